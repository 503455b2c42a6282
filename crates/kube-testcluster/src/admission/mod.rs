//! Admission: plugins, webhooks and policies decide about a write before it is stored; some may also change the object.
//! The code of the verbs makes a [`Gate`] for each write, and passes the object through it. Upstream:
//! `k8s.io/apiserver/pkg/admission`.
//!
//! The order is that of upstream: the plugins of the server and those of
//! [`ClusterBuilder::admit`](crate::ClusterBuilder::admit), mutating webhooks, the validation of the kind, policies,
//! validating webhooks. No lock is held meanwhile. Admission decides about the object as the write has read it; if
//! another request writes the object meanwhile, admission runs again for the new state.

mod attributes;
pub(crate) mod builtin;
mod conditions;
mod equivalent;
mod in_process;
mod matching;
mod mutating;
mod policy;
mod refusal;
mod review;
mod validating;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use self::attributes::Attributes;
pub(crate) use self::mutating::{Mutation, Reinvoke};
use kube_machinery::value::{Map, Value};

use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::plugins::admit::Operation;
use crate::store::object::Key;
use crate::store::{Commit, Store};
use kube_machinery::conventions::user::User;
use kube_machinery::kinds::admission::AdmissionConfiguration;
use kube_machinery::kinds::{NAMESPACES, Resource, Subresource};

/// The admission of one request. Without plugins, webhooks and policies, the gate is open: every write passes, and
/// admission costs nothing. Webhooks and policies do not apply to writes of webhooks and policies.
pub(crate) struct Gate<'a> {
    /// `None` for an open gate.
    request: Option<Box<RequestContext<'a>>>,
    /// The kind's own warnings, used only if `request` is `None`.
    warnings: Mutex<Vec<String>>,
}

/// A request that plugins, webhooks or policies may decide about.
struct RequestContext<'a> {
    store: &'a Store,
    /// The webhooks and policies; `None` if there are none, or if the request writes one of them.
    configuration: Option<Arc<AdmissionConfiguration>>,
    /// The kind, in the group and version that the client uses.
    served: Resource,
    subresource: Option<Subresource>,
    /// The namespace in the path; for a Namespace object, its own name.
    namespace: Option<String>,
    /// The name in the path.
    name: Option<String>,
    user: Arc<User>,
    /// The options of the request: `CreateOptions`, `DeleteOptions` and the like, as an object.
    options: Map,
    commit: Commit,
    /// The warnings for the client, from webhooks, policies and the kind itself.
    warnings: Mutex<Vec<String>>,
}

impl<'a> Gate<'a> {
    /// Returns the gate of a client's request. `options` is called only if the gate is not open.
    pub(crate) fn of(
        store: &'a Store,
        target: &Target,
        user: &Arc<User>,
        commit: Commit,
        options: impl FnOnce() -> Map,
    ) -> Self {
        Self::new(store, target, commit, || (user.clone(), options()))
    }

    /// Returns the gate for a write of one of the cluster's controllers. Plugins and webhooks see the controller as
    /// `user`, its service account in `kube-system`.
    pub(crate) fn of_component(store: &'a Store, resource: &Resource, key: &Key, user: &str) -> Self {
        let target = Target {
            resource: resource.clone(),
            served: resource.clone(),
            namespace: key.namespace().map(ToOwned::to_owned),
            name: Some(key.name().to_owned()),
            subresource: None,
            watch: false,
        };
        let groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"];
        let user = || (Arc::new(User::new(user, groups)), Map::new());
        Self::new(store, &target, Commit::Really, user)
    }

    /// Returns the gate for a write of the simulated kubelet or scheduler. For both, plugins and webhooks see the user
    /// `system:node`.
    pub(crate) fn of_node(store: &'a Store, target: &Target) -> Self {
        let user = || Arc::new(User::new("system:node", ["system:nodes", "system:authenticated"]));
        Self::new(store, target, Commit::Really, || (user(), Map::new()))
    }

    /// Returns the gate for a write of the API server itself. Upstream: the user of the loopback client.
    pub(crate) fn of_server(store: &'a Store, target: &Target) -> Self {
        let user = || Arc::new(User::new("system:apiserver", ["system:authenticated", "system:masters"]));
        Self::new(store, target, Commit::Really, || (user(), Map::new()))
    }

    /// Returns a gate without any admission.
    pub(crate) fn open() -> Self {
        Self { request: None, warnings: Mutex::default() }
    }

    fn new(store: &'a Store, target: &Target, commit: Commit, caller: impl FnOnce() -> (Arc<User>, Map)) -> Self {
        // A broken webhook or policy must not prevent its own repair, so none applies to writes of these kinds.
        let configuration = store.admission_configuration().filter(|_| !target.served.configures_admission());
        if configuration.is_none() && store.plugins.0.is_empty() {
            return Self::open();
        }
        let (user, options) = caller();
        let is_namespace = target.served == NAMESPACES;
        let request = RequestContext {
            store,
            configuration,
            served: target.served.clone(),
            subresource: target.subresource,
            namespace: if is_namespace { target.name.clone() } else { target.namespace.clone() },
            name: target.name.clone(),
            user,
            options,
            commit,
            warnings: Mutex::default(),
        };
        Self { request: Some(Box::new(request)), warnings: Mutex::default() }
    }

    /// Returns true if no plugin, webhook or policy can decide about this request.
    pub(crate) fn is_open(&self) -> bool {
        self.request.is_none()
    }

    /// Decides about the deletion of an object. Upstream: `AdmissionToValidateObjectDeleteFunc`.
    pub(crate) async fn delete(&self, old: &Value) -> Result<(), ApiError> {
        if self.is_open() {
            return Ok(());
        }
        self.mutation(Operation::Delete, Some(old)).run(None).await?;
        self.validate(Operation::Delete, None, Some(old)).await
    }

    /// Decides about a connection to a subresource. `options` are the options of the connection.
    pub(crate) async fn connect(&self, options: Value) -> Result<(), ApiError> {
        if self.is_open() {
            return Ok(());
        }
        let options = self.mutation(Operation::Connect, None).run(Some(options)).await?;
        self.validate(Operation::Connect, options.as_ref(), None).await
    }

    /// Runs plugins and mutating webhooks over an object, in both rounds (see [`Mutation`]). It is for writes that no
    /// built-in plugin of the server changes, because such a plugin would run between the rounds.
    pub(crate) async fn mutate(
        &self,
        operation: Operation,
        object: Value,
        old: Option<&Value>,
    ) -> Result<Value, ApiError> {
        if self.is_open() {
            return Ok(object);
        }
        Ok(self.mutation(operation, old).run(Some(object)).await?.unwrap_or_default())
    }

    /// Begins the mutating part of admission. The caller runs the rounds. Upstream: `mutatingDispatcher`.
    pub(crate) fn mutation<'g>(&'g self, operation: Operation, old: Option<&'g Value>) -> Mutation<'g> {
        Mutation::new(self.request.as_deref(), operation, old)
    }

    /// Runs the policies, and then the validating webhooks. Upstream: the order of `AllOrderedPlugins` in
    /// `pkg/kubeapiserver/options/plugins.go`.
    pub(crate) async fn validate(
        &self,
        operation: Operation,
        object: Option<&Value>,
        old: Option<&Value>,
    ) -> Result<(), ApiError> {
        match self.request.as_deref() {
            Some(request) => {
                let object = object.map(Cow::Borrowed);
                let attributes = Attributes { request, operation, object, old };
                policy::dispatch(&attributes).await?;
                validating::dispatch(&attributes).await
            }
            None => Ok(()),
        }
    }

    /// Adds warnings for the client.
    pub(crate) fn warn(&self, warnings: Vec<String>) {
        if !warnings.is_empty() {
            self.all_warnings().extend(warnings);
        }
    }

    /// Takes the warnings since the last call.
    pub(crate) fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.all_warnings())
    }

    fn all_warnings(&self) -> MutexGuard<'_, Vec<String>> {
        let warnings = self.request.as_deref().map_or(&self.warnings, |request| &request.warnings);
        warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
