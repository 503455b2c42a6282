//! The plugin `ResourceQuota`: refuses a write that exceeds a quota of its namespace, and counts an allowed write in
//! the status of the quota. As upstream, only the limits in the status count, so a quota has no effect before the quota
//! controller has seen it. Upstream: `k8s.io/apiserver/pkg/admission/plugin/resourcequota`.

use std::sync::Arc;

use super::WriteAttributes;
use crate::http::status::ApiError;
use crate::store::companion::Companion;
use crate::store::object::{Key, Object, Opened};
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::kinds::quota::{Charge, Evaluator, Request, check_request};
use kube_machinery::kinds::{PERSISTENT_VOLUME_CLAIMS, PODS, RESOURCE_QUOTAS, SERVICES, Subresource};
use kube_machinery::value::Value;

/// Returns the new states of the quotas that the write changes. Unlike upstream, they are stored together with the
/// object, and not before it, so that a write that fails later is not charged.
pub(super) fn charges(write: &WriteAttributes<'_>, new: &Value) -> Result<Vec<Companion>, ApiError> {
    if !can_charge(write) {
        return Ok(Vec::new());
    }
    let quotas = quotas(write)?;
    let evaluator = Evaluator::of(write.resource.group(), write.resource.plural());
    let Some(evaluator) = evaluator.filter(|_| !quotas.is_empty()) else { return Ok(Vec::new()) };
    let values: Vec<&Value> = quotas.iter().map(|quota| &quota.value).collect();
    let request =
        Request { object: new, old: write.old, subresource: write.subresource, now: write.store.clock.time() };
    let charges = check_request(&evaluator, &values, &request).map_err(|why| write.forbidden(new, &why))?;
    Ok(charges.into_iter().map(|Charge { quota, used }| charged(write, &quotas[quota], used)).collect())
}

/// Returns false for the writes that never change the usage of a quota, such as most writes of a status, so that no
/// quotas are looked up for them.
fn can_charge(write: &WriteAttributes<'_>) -> bool {
    match (write.subresource, write.old) {
        (None, None) => true,
        (None, Some(_)) => [PODS, SERVICES, PERSISTENT_VOLUME_CLAIMS].contains(&write.resource),
        (Some(Subresource::Status), _) => write.resource == PERSISTENT_VOLUME_CLAIMS,
        (Some(subresource), _) => subresource == Subresource::Resize,
    }
}

fn charged(write: &WriteAttributes<'_>, quota: &Arc<Opened>, used: Value) -> Companion {
    let mut new = quota.value.clone();
    new["status"]["used"] = used;
    let new = written_by(Component::SERVER, write.store, quota, Some(Subresource::Status), new);
    Companion::new(quota.clone(), new)
}

/// Returns the quotas of the namespace, by name. Upstream has no order.
fn quotas(write: &WriteAttributes<'_>) -> Result<Vec<Arc<Opened>>, ApiError> {
    let Some(namespace) = write.namespace else { return Ok(Vec::new()) };
    let quotas: Vec<Arc<Object>> = {
        let state = write.store.lock();
        let quotas = state.storage.range(RESOURCE_QUOTAS, Key::new(Some(namespace), ""));
        quotas.take_while(|quota| quota.key.namespace() == Some(namespace)).cloned().collect()
    };
    Ok(quotas.iter().map(Object::open).collect::<Result<_, _>>()?)
}
