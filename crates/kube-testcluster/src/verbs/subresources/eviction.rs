//! POST to a pod's `eviction`, as `kubectl drain` does: a deletion that the server allows only if the pod's disruption
//! budget permits it. Upstream: `pkg/registry/core/pod/storage/eviction.go`.

mod budget;

use crate::admission::Gate;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::body::{self, Format};
use crate::http::status::{self, ApiError};
use crate::http::write_options::{self, WriteOptions};
use crate::plugins::admit::Operation;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::delete::remove;
use crate::verbs::delete_options::DeleteOptions;
use crate::verbs::{Call, key};
use kube_machinery::conventions::conditions;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Value, json};

/// Evicts a pod, with the options in the Eviction.
pub(crate) async fn evict(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let format = Format::of(request.headers())?;
    let user = user_of(request.extensions());
    let body = body::read(request).await?;
    let WriteOptions { commit, strictness } = WriteOptions::of_create(&query)?;
    let mut eviction = format.typed(&body, "Eviction", "policy/v1", strictness)?;
    let (resource, key) = (&target.resource, key(&target)?);
    body::check_namespace(&eviction.value, target.namespace.as_deref())?;
    let gate = Gate::of(&store, &target, &user, commit, || write_options::fields(&query));
    eviction.value = gate.mutate(Operation::Create, eviction.value, None).await?;
    if eviction.value["metadata"]["name"].as_str() != Some(key.name()) {
        return Err(ApiError::bad_request("name in URL does not match name in Eviction object"));
    }
    gate.validate(Operation::Create, Some(&eviction.value), None).await?;
    let options = DeleteOptions::of_eviction(&eviction.value["deleteOptions"], commit)?;
    let eviction_of_pod = PodEviction { store: &store, resource, key: &key, options };
    eviction_of_pod.run().await?;
    Ok(status::created().with_warnings(eviction.faults).with_warnings(gate.warnings()))
}

/// The number of attempts to delete a pod that others change at the same time. Upstream: `EvictionsRetry`, which also
/// waits between the attempts, because it reads the pod from another process.
const ATTEMPTS: usize = 20;

/// The eviction of one pod, after admission.
struct PodEviction<'a> {
    store: &'a Store,
    resource: &'a Resource,
    key: &'a Key,
    /// The options of the request.
    options: DeleteOptions,
}

impl PodEviction<'_> {
    /// Deletes the pod. A pod that does no work does not need the permission of its budget. If such a pod changes
    /// before it is deleted, it may do work now, so the eviction starts again.
    async fn run(&self) -> Result<(), ApiError> {
        let mut attempt = 1;
        loop {
            let pod = self.store.get(self.resource, self.key);
            let pod = pod.ok_or_else(|| ApiError::not_found(self.resource, self.key.name()))?.open()?;
            if !can_ignore_budget(&pod) {
                return self.delete_within_budget(&pod).await;
            }
            match self.delete(&self.options_for_idle(&pod)).await {
                Err(error) if error.is_conflict() && !self.options.has_version() && attempt < ATTEMPTS => attempt += 1,
                done => return done,
            }
        }
    }

    /// Returns the options for a pod that does not need the permission of its budget. A pending pod must not have
    /// become ready meanwhile. Upstream: `shouldEnforceResourceVersion`.
    fn options_for_idle(&self, pod: &Opened) -> DeleteOptions {
        let may_become_ready = phase(pod) == "Pending" && !pod.summary.is_deleting;
        match may_become_ready && !self.options.has_version() {
            true => self.options.clone().at_version_of(pod),
            false => self.options.clone(),
        }
    }

    /// Deletes the pod if its budget allows that.
    async fn delete_within_budget(&self, pod: &Opened) -> Result<(), ApiError> {
        let Some(budget) = budget::of_pod(self.store, pod)? else { return self.delete(&self.options).await };
        if is_ready(pod) || !budget::allows_unhealthy(&budget) {
            budget::check_and_decrement(self.store, &budget, self.key.name(), self.options.commit).await?;
            return self.delete(&self.options).await;
        }
        // An unhealthy pod takes nothing from the budget, so it must still be unhealthy when it is deleted.
        match self.delete(&self.options.clone().at_version_of(pod)).await {
            Err(error) if error.is_conflict() && !self.options.has_version() => {
                Err(ApiError::budget_in_progress(budget.key.name()))
            }
            done => done,
        }
    }

    /// Sets the condition `DisruptionTarget`, except in a dry run, and deletes the pod. Upstream:
    /// `addConditionAndDeletePod`.
    async fn delete(&self, options: &DeleteOptions) -> Result<(), ApiError> {
        let mut options = options.clone();
        if options.commit == Commit::Really {
            let now = self.store.clock.now();
            let disrupt = |pod: &Opened| {
                options.check(pod)?;
                Ok::<_, ApiError>(Next::Put(disrupted(pod, &now)?))
            };
            let marked = self.store.update(self.resource, self.key, Commit::Really, disrupt).await?;
            options = options.after(&marked);
        }
        let accepted = Gate::open(); // admission has already accepted the eviction
        remove(self.store, self.resource, self.key, &options, &accepted).await.map(drop)
    }
}

/// Returns true if the pod can be deleted without the permission of its budget: it has not started, it has ended, or it
/// is being deleted. Upstream: `canIgnorePDB`.
fn can_ignore_budget(pod: &Opened) -> bool {
    matches!(phase(pod), "Pending" | "Succeeded" | "Failed") || pod.summary.is_deleting
}

fn phase(pod: &Opened) -> &str {
    pod.text("/status/phase").unwrap_or_default()
}

/// Upstream: `IsPodReady`.
fn is_ready(pod: &Opened) -> bool {
    conditions::find(&pod.value, "Ready").is_some_and(|ready| ready["status"] == "True")
}

/// Returns the pod with the condition `DisruptionTarget`.
fn disrupted(pod: &Opened, now: &str) -> Result<Value, ApiError> {
    let mut value = pod.value.clone();
    let target = json!({
        "type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting",
    });
    conditions::update(&mut value, target, now);
    Ok(pod.resource.decode_change(value, &pod.value).map_err(ApiError::internal)?.value)
}
