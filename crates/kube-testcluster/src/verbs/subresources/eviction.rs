//! POST to a pod's `eviction`, as `kubectl drain` does: a deletion that upstream allows only if the pod's disruption
//! budget permits it. Here disruption budgets are stored but not enforced, so no budget refuses an eviction.

use crate::admission::Gate;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::body::{self, Format};
use crate::http::status::{self, ApiError};
use crate::http::write_options::{self, WriteOptions};
use crate::plugins::admit::Operation;
use crate::store::object::Opened;
use crate::store::{Commit, Next};
use crate::verbs::delete::remove;
use crate::verbs::delete_options::DeleteOptions;
use crate::verbs::{Call, key};
use kube_machinery::conventions::conditions;
use kube_machinery::value::{Value, json};

/// Sets the condition `DisruptionTarget`, except in a dry run, and deletes the pod with the eviction's options.
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
    let mut options = DeleteOptions::of_eviction(&eviction.value["deleteOptions"], commit)?;
    if options.commit == Commit::Really {
        let now = store.clock.now();
        let marked = store
            .update(resource, &key, Commit::Really, |pod: &Opened| {
                options.check(pod)?;
                Ok::<_, ApiError>(Next::Put(disrupted(pod, &now)?))
            })
            .await?;
        options = options.after(&marked);
    }
    remove(&store, resource, &key, &options, &Gate::open()).await?; // admission has already accepted the eviction
    Ok(status::created().with_warnings(eviction.faults).with_warnings(gate.warnings()))
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
