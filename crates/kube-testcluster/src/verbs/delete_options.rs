//! DeleteOptions: validates the grace period, preconditions, propagation policy and dry run of a deletion, and answers
//! the questions of `delete.rs` about them.

mod raw;

use axum::extract::Request;

use self::raw::{Preconditions, RawOptions};
use super::preconditions::failed_precondition;
use crate::http::body::{self, Format};
use crate::http::query::Query;
use crate::http::status::ApiError;
use crate::http::write_options;
use crate::store::Commit;
use crate::store::object::{Object, Opened};
use kube_machinery::conventions::cause::Cause;
use kube_machinery::kinds::metadata::{FOREGROUND, ORPHAN};
use kube_machinery::kinds::{Deletion, Dependents, Resource};
use kube_machinery::value::{Map, Value, json};

/// `metav1.DeleteOptions`, from the body or, if that is empty, from the query.
#[derive(Clone, Debug)]
pub(crate) struct DeleteOptions {
    grace_period_seconds: Option<i64>,
    uid: Option<String>,
    resource_version: Option<String>,
    policy: Option<PropagationPolicy>,
    /// `ignoreStoreReadErrorWithClusterBreakingPotential`: delete the object even if storage cannot decode it.
    deletes_unreadable: bool,
    /// The old `orphanDependents: false`. If the object stays, the response then has code 202.
    pub(crate) forbids_orphans: bool,
    pub(crate) commit: Commit,
    pub(crate) scope: DeleteScope,
}

/// The extent of a deletion: one object, or a collection. Upstream's registry of CustomResourceDefinitions deletes a
/// single definition in a way of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeleteScope {
    One,
    Collection,
}

/// The treatment of the deleted object's dependents: `propagationPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PropagationPolicy {
    Background,
    Foreground,
    Orphan,
}

const UNREADABLE: &str = "ignoreStoreReadErrorWithClusterBreakingPotential";

impl DeleteOptions {
    pub(crate) async fn read(request: Request, query: &Query) -> Result<Self, ApiError> {
        let format = Format::of(request.headers());
        let body = body::read(request).await?;
        Self::of_raw(if body.is_empty() { RawOptions::of_query(query)? } else { RawOptions::of_body(format?, &body)? })
    }

    /// Returns the options inside an Eviction. The dry run may be in them or in the query.
    pub(crate) fn of_eviction(options: &Value, requested: Commit) -> Result<Self, ApiError> {
        if options.is_null() {
            return Ok(Self::plain(requested));
        }
        let raw = kube_machinery::value::from_value::<RawOptions>(options.clone())
            .map_err(|error| ApiError::bad_request(error.to_string()))?;
        let mut options = Self::of_raw(raw)?;
        if requested == Commit::Pretend {
            options.commit = requested;
        }
        Ok(options)
    }

    /// Returns the options for the rest of a request that has itself changed the object: a precondition on
    /// resourceVersion now refers to the new version.
    pub(crate) fn after(mut self, object: &Object) -> Self {
        if self.resource_version.is_some() {
            self.resource_version = Some(object.revision.to_string());
        }
        self
    }

    /// Returns the warning that dependents stay because no policy is named.
    pub(super) fn warnings(&self, resource: &Resource) -> Vec<String> {
        let warning = resource.strategy.warning_of_orphans.filter(|_| self.policy.is_none());
        warning.map(ToOwned::to_owned).into_iter().collect()
    }

    /// Returns true if there is a precondition on resourceVersion.
    pub(crate) fn has_version(&self) -> bool {
        self.resource_version.is_some()
    }

    /// Returns the options with the precondition that the object is still in this state.
    pub(crate) fn at_version_of(mut self, object: &Object) -> Self {
        self.resource_version = Some(object.revision.to_string());
        self
    }

    /// Upstream: `ValidateDeleteOptions`.
    fn of_raw(raw: RawOptions) -> Result<Self, ApiError> {
        let dry_run: Vec<&str> = raw.dry_run.iter().map(String::as_str).collect();
        let (policy, mut causes) = raw.policy();
        causes.extend(write_options::unknown_dry_run(&dry_run));
        causes.extend(raw.contradictions());
        if !causes.is_empty() {
            return Err(ApiError::invalid_options("DeleteOptions", causes));
        }
        let deletes_unreadable = raw.deletes_unreadable();
        let Preconditions { uid, resource_version } = raw.preconditions.unwrap_or_default();
        Ok(Self {
            grace_period_seconds: raw.grace_period_seconds,
            policy,
            deletes_unreadable,
            forbids_orphans: raw.orphan_dependents == Some(false),
            commit: write_options::commit(&dry_run),
            scope: DeleteScope::One,
            uid,
            resource_version,
        })
    }

    /// Returns the options of a deletion by a controller. If `uid` is given, only the object with this uid is deleted.
    pub(crate) fn of_controller(uid: Option<String>, policy: PropagationPolicy) -> Self {
        Self { uid, policy: Some(policy), ..Self::plain(Commit::Really) }
    }

    /// Returns the options of a forced deletion, without a grace period, of the object with this uid.
    pub(crate) fn at_once(uid: String) -> Self {
        Self { grace_period_seconds: Some(0), uid: Some(uid), ..Self::plain(Commit::Really) }
    }

    fn plain(commit: Commit) -> Self {
        Self {
            grace_period_seconds: None,
            uid: None,
            resource_version: None,
            policy: None,
            deletes_unreadable: false,
            forbids_orphans: false,
            commit,
            scope: DeleteScope::One,
        }
    }

    /// Returns the options as an object, for admission webhooks and policies.
    pub(crate) fn fields(&self) -> Map {
        let preconditions = [("uid", &self.uid), ("resourceVersion", &self.resource_version)];
        let preconditions =
            preconditions.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text.as_ref()?))));
        let preconditions: Map = preconditions.collect();
        let policy = self.policy.map(|policy| match policy {
            PropagationPolicy::Background => "Background",
            PropagationPolicy::Foreground => "Foreground",
            PropagationPolicy::Orphan => "Orphan",
        });
        let dry_run = (self.commit == Commit::Pretend).then(|| json!(["All"]));
        let fields = [
            ("dryRun", dry_run),
            ("gracePeriodSeconds", self.grace_period_seconds.map(Value::from)),
            ("preconditions", (!preconditions.is_empty()).then_some(Value::Object(preconditions))),
            ("propagationPolicy", policy.map(Value::from)),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    /// Returns the grace period of the request, in seconds. A negative one counts as one second.
    pub(crate) fn period(&self) -> Option<i64> {
        self.grace_period_seconds.map(at_least_one_if_negative)
    }

    /// Returns the grace period of a pod's first deletion, in seconds: the period of the request, or else the pod's
    /// own. A pod without a node, or one that has ended, is deleted at once.
    pub(crate) fn first_period(&self, pod: &Opened) -> i64 {
        let bound = pod.text("/spec/nodeName").is_some_and(|node| !node.is_empty());
        let ended = matches!(pod.text("/status/phase"), Some("Succeeded" | "Failed"));
        if !bound || ended {
            return 0;
        }
        let own = pod.value["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or_default();
        at_least_one_if_negative(self.grace_period_seconds.unwrap_or(own))
    }

    /// Returns the object's finalizers after applying the propagation policy. Upstream:
    /// `deletionFinalizersForGarbageCollection`.
    pub(crate) fn finalizers(&self, resource: &Resource, current: &Value) -> Vec<Value> {
        let mut finalizers = current.as_array().map(|names| names.to_vec()).unwrap_or_default();
        let is_policy = |name: &Value| name == ORPHAN || name == FOREGROUND;
        let wanted = match self.policy {
            _ if resource.strategy.dependents == Dependents::Unsupported => None,
            None if resource.strategy.dependents == Dependents::Orphaned && !finalizers.iter().any(is_policy) => {
                Some(ORPHAN)
            }
            None => return finalizers,
            Some(PropagationPolicy::Background) => None,
            Some(PropagationPolicy::Foreground) => Some(FOREGROUND),
            Some(PropagationPolicy::Orphan) => Some(ORPHAN),
        };
        finalizers
            .retain(|name| Some(name.as_str().unwrap_or_default()) == wanted || (name != ORPHAN && name != FOREGROUND));
        if let Some(wanted) = wanted.filter(|wanted| !finalizers.iter().any(|name| name == wanted)) {
            finalizers.push(wanted.into());
        }
        finalizers
    }

    /// Refuses the deletion of a collection with the option [`UNREADABLE`].
    pub(crate) fn refuse_for_collections(&self) -> Result<(), ApiError> {
        if !self.deletes_unreadable {
            return Ok(());
        }
        let detail = "is not allowed with DELETECOLLECTION, try again after removing the option";
        let cause = Cause::invalid_as(UNREADABLE, "true", detail);
        Err(ApiError::invalid_options("DeleteOptions", [cause]))
    }

    /// Refuses the option [`UNREADABLE`], because storage can decode every object of this server.
    pub(crate) fn refuse_readable(&self, object: &Object) -> Result<(), ApiError> {
        if !self.deletes_unreadable {
            return Ok(());
        }
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: {}/{}, ResourceVersion: 0, AdditionalErrorMsg: unsafe deletion \
             is not allowed because the object is decodable from storage",
            object.resource.storage_path(),
            object.key
        );
        Err(ApiError::conflict(&object.resource, object.resource.plural(), object.key.name(), why))
    }

    /// Refuses a precondition on resourceVersion in the case `NextStep::RemovedByFinalizers` of `delete`, where
    /// upstream compares it with the version of a blank object.
    pub(crate) fn refuse_version_precondition(&self, object: &Object) -> Result<(), ApiError> {
        if self.resource_version.is_none() || self.commit == Commit::Pretend {
            return Ok(());
        }
        Err(failed_precondition(object, "ResourceVersion", "", &object.revision.to_string()))
    }

    /// Returns true if a single CustomResourceDefinition is deleted, which stays until its objects are gone.
    pub(crate) fn keeps_definition(&self, resource: &Resource) -> bool {
        resource.deletion == Deletion::AfterInstances && self.scope == DeleteScope::One
    }

    /// Checks the preconditions.
    pub(crate) fn check(&self, object: &Object) -> Result<(), ApiError> {
        let (resource, name) = (&object.resource, object.key.name());
        let uid = object.summary.uid();
        if self.keeps_definition(resource) {
            return self.check_definition(object);
        }
        if let Some(requested) = self.uid.as_deref().filter(|requested| *requested != uid) {
            let why = format!(
                "the UID in the precondition ({requested}) does not match the UID in record ({uid}). The object might have \
                 been deleted and then recreated"
            );
            return Err(ApiError::conflict(resource, resource.kind(), name, why));
        }
        let version = object.revision.to_string();
        if let Some(requested) = self.resource_version.as_deref().filter(|requested| *requested != version) {
            let why = format!(
                "the ResourceVersion in the precondition ({requested}) does not match the ResourceVersion in record \
                 ({version}). The object might have been modified"
            );
            return Err(ApiError::conflict(resource, resource.kind(), name, why));
        }
        Ok(())
    }

    /// Checks the preconditions for a single CustomResourceDefinition, whose registry has messages of its own.
    /// Upstream: `REST.Delete` of `pkg/registry/customresourcedefinition/etcd.go`.
    fn check_definition(&self, object: &Object) -> Result<(), ApiError> {
        let version = object.revision.to_string();
        let compared = [
            ("UID", self.uid.as_deref(), object.summary.uid()),
            ("ResourceVersion", self.resource_version.as_deref(), &version),
        ];
        for (what, requested, found) in compared {
            if let Some(requested) = requested.filter(|requested| *requested != found) {
                let why =
                    format!("precondition failed: {what} in precondition: {requested}, {what} in object meta: {found}");
                let resource = &object.resource;
                return Err(ApiError::conflict(resource, resource.plural(), object.key.name(), why));
            }
        }
        Ok(())
    }
}

fn at_least_one_if_negative(period: i64) -> i64 {
    if period < 0 { 1 } else { period }
}
