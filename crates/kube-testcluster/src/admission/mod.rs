//! Asks those who decide about a write before it is stored. Upstream: `k8s.io/apiserver/pkg/admission`.
//!
//! The order is that of upstream: the plugins of the server and those of [`ClusterBuilder::admit`](crate::ClusterBuilder::admit), mutating
//! webhooks, the validation of the kind, policies, validating webhooks. All of it happens without any lock, for the state
//! that the write has seen; if the object was written meanwhile, everybody is asked again about the new state.

mod attributes;
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
use kube_machinery::kinds::admission::Configured;
use kube_machinery::kinds::{NAMESPACES, Resource, Subresource};

/// Admission as one request meets it. If nobody is to be asked, it costs nothing.
pub(crate) struct Gate<'a> {
    asked: Option<Box<Asked<'a>>>,
    /// What the kind has to warn of, if nobody is asked.
    warnings: Mutex<Vec<String>>,
}

/// A request for which somebody may have to be asked.
struct Asked<'a> {
    store: &'a Store,
    configured: Option<Arc<Configured>>,
    served: &'static Resource,
    part: Option<Subresource>,
    /// Of a namespace, its own name.
    namespace: Option<String>,
    /// What the path says.
    name: Option<String>,
    user: Arc<User>,
    /// Those of the request, whatever their kind.
    options: Map,
    commit: Commit,
    warnings: Mutex<Vec<String>>,
}

impl<'a> Gate<'a> {
    /// Of a request. `options` are read only if anybody is to be asked.
    pub(crate) fn of(
        store: &'a Store,
        target: &Target,
        user: &Arc<User>,
        commit: Commit,
        options: impl FnOnce() -> Map,
    ) -> Self {
        Self::new(store, target, commit, || (user.clone(), options()))
    }

    /// Of a write that the cluster makes itself.
    pub(crate) fn of_component(store: &'a Store, resource: &'static Resource, key: &Key, user: &str) -> Self {
        let target = Target {
            resource,
            served: resource,
            namespace: key.namespace().map(ToOwned::to_owned),
            name: Some(key.name().to_owned()),
            subresource: None,
            watch: false,
        };
        let groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"];
        let user = || (Arc::new(User::new(user, groups)), Map::new());
        Self::new(store, &target, Commit::Really, user)
    }

    /// Of a write of a kubelet, or of the scheduler.
    pub(crate) fn of_node(store: &'a Store, target: &Target) -> Self {
        let user = || Arc::new(User::new("system:node", ["system:nodes", "system:authenticated"]));
        Self::new(store, target, Commit::Really, || (user(), Map::new()))
    }

    /// Of a write that nobody is asked about.
    pub(crate) fn open() -> Self {
        Self { asked: None, warnings: Mutex::default() }
    }

    fn new(store: &'a Store, target: &Target, commit: Commit, who: impl FnOnce() -> (Arc<User>, Map)) -> Self {
        let configured = store.configured().filter(|_| !target.served.configures_admission());
        if configured.is_none() && store.plugins.0.is_empty() {
            return Self::open();
        }
        let (user, options) = who();
        let is_namespace = target.served == NAMESPACES;
        let asked = Asked {
            store,
            configured,
            served: target.served,
            part: target.subresource,
            namespace: if is_namespace { target.name.clone() } else { target.namespace.clone() },
            name: target.name.clone(),
            user,
            options,
            commit,
            warnings: Mutex::default(),
        };
        Self { asked: Some(Box::new(asked)), warnings: Mutex::default() }
    }

    /// Whether anybody is to be asked.
    pub(crate) fn is_open(&self) -> bool {
        self.asked.is_none()
    }

    /// Asks whether an object may be deleted. Upstream: `AdmissionToValidateObjectDeleteFunc`.
    pub(crate) async fn delete(&self, old: &Value) -> Result<(), ApiError> {
        if self.is_open() {
            return Ok(());
        }
        self.mutation(Operation::Delete, Some(old)).run(None).await?;
        self.validate(Operation::Delete, None, Some(old)).await
    }

    /// Asks whether there may be a connection to a subresource. `options` are those of the connection.
    pub(crate) async fn connect(&self, options: Value) -> Result<(), ApiError> {
        if self.is_open() {
            return Ok(());
        }
        let options = self.mutation(Operation::Connect, None).run(Some(options)).await?;
        self.validate(Operation::Connect, options.as_ref(), None).await
    }

    /// Lets mutating webhooks and plugins change an object: in one go, for a write that no plugin of the server is about.
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

    /// The rounds in which an object is changed. Upstream: `mutatingDispatcher`.
    pub(crate) fn mutation<'g>(&'g self, operation: Operation, old: Option<&'g Value>) -> Mutation<'g> {
        Mutation::new(self.asked.as_deref(), operation, old)
    }

    /// Lets policies decide, and then asks the validating webhooks. Upstream: the order of `AllOrderedPlugins` in
    /// `pkg/kubeapiserver/options/plugins.go`.
    pub(crate) async fn validate(
        &self,
        operation: Operation,
        object: Option<&Value>,
        old: Option<&Value>,
    ) -> Result<(), ApiError> {
        match self.asked.as_deref() {
            Some(asked) => {
                let object = object.map(Cow::Borrowed);
                let attributes = Attributes { request: asked, operation, object, old };
                policy::dispatch(&attributes).await?;
                validating::dispatch(&attributes).await
            }
            None => Ok(()),
        }
    }

    /// Adds what the kind itself has to warn of.
    pub(crate) fn warn(&self, warnings: Vec<String>) {
        if !warnings.is_empty() {
            self.all_warnings().extend(warnings);
        }
    }

    /// What was told to warn of since the last call.
    pub(crate) fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.all_warnings())
    }

    fn all_warnings(&self) -> MutexGuard<'_, Vec<String>> {
        let warnings = self.asked.as_deref().map_or(&self.warnings, |asked| &asked.warnings);
        warnings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
