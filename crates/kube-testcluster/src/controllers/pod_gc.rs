//! The pod garbage collector: deletes pods that nothing else deletes, namely pods of missing or out-of-service nodes,
//! pods deleted before they had a node, and the oldest of too many ended pods. Upstream: `pkg/controller/podgc`.

use std::time::Duration;

use super::housekeeping::is_gone_or_changed;
use crate::admission::Gate;
use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::{Key, Object, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::delete::remove;
use crate::verbs::delete_options::DeleteOptions;
use crate::verbs::list::everything;
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::conventions::conditions;
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::field_selector::Fields;
use kube_machinery::kinds::{NODES, PODS, Subresource};
use kube_machinery::value::{Value, json};

/// The time that a node may be missing before its pods are deleted, because it may come back. Upstream:
/// `quarantineTime`.
pub(super) const QUARANTINE: Duration = Duration::from_secs(40);

/// The delay between a pod's end and the deletion of surplus ended pods. Pods that end in the meantime are deleted in
/// the same scan of the store. Upstream: `gcCheckPeriod`.
pub(super) const PERIOD: Duration = Duration::from_secs(20);

/// The number of ended pods that are kept. Upstream: `--terminated-pod-gc-threshold`.
pub(super) const MOST_TERMINATED: usize = 12_500;

const USER: &str = "system:serviceaccount:kube-system:pod-garbage-collector";

/// The taint by which an administrator declares that a node is down for good.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// Marks the pods of a node that does not exist as failed, and deletes them. Upstream: `gcOrphaned`.
pub(crate) async fn collect_orphans(store: &Store, node: &str) -> Result<(), ApiError> {
    if store.get(NODES, &Key::new(None, node)).is_some() {
        return Ok(());
    }
    for pod in pods_on(store, node)? {
        collect(store, &pod, Some("PodGC: node no longer exists")).await?;
    }
    Ok(())
}

/// Deletes the terminating pods of an out-of-service node, because its kubelet cannot end them. Upstream:
/// `gcTerminating`.
pub(crate) async fn collect_terminating(store: &Store, node: &str) -> Result<(), ApiError> {
    let Some(found) = store.get(NODES, &Key::new(None, node)) else { return Ok(()) };
    if !is_out_of_service(&found.open()?.value) {
        return Ok(());
    }
    for pod in pods_on(store, node)?.iter().filter(|pod| pod.summary.is_deleting) {
        collect(store, pod, None).await?;
    }
    Ok(())
}

/// Returns true if the node has the taint and is not ready. A ready node is left alone, because its kubelet works.
fn is_out_of_service(node: &Value) -> bool {
    let has = |list: &Value, holds: &dyn Fn(&Value) -> bool| list.as_array().is_some_and(|list| list.iter().any(holds));
    let is_ready = |condition: &Value| condition["type"] == "Ready" && condition["status"] == "True";
    has(&node["spec"]["taints"], &|taint| taint["key"] == OUT_OF_SERVICE)
        && !has(&node["status"]["conditions"], &is_ready)
}

/// Deletes a terminating pod that was never bound to a node, because no kubelet will end it. Upstream:
/// `gcUnscheduledTerminating`.
pub(crate) async fn collect_unscheduled(store: &Store, key: &Key) -> Result<(), ApiError> {
    match store.get(PODS, key) {
        Some(pod) if is_unscheduled_and_going(&pod) => collect(store, &pod, None).await,
        _ => Ok(()),
    }
}

/// Returns true if a pod is being deleted and was never bound to a node.
pub(super) fn is_unscheduled_and_going(pod: &Object) -> bool {
    pod.summary.is_deleting && field(pod, "spec.nodeName").is_none_or(str::is_empty)
}

/// Deletes the oldest ended pods beyond `MOST_TERMINATED`, evicted pods first. Upstream: `gcTerminated`.
pub(crate) async fn collect_terminated(store: &Store) -> Result<(), ApiError> {
    let mut ended = pods(store, "status.phase!=Pending,status.phase!=Running,status.phase!=Unknown")?;
    let surplus = ended.len().saturating_sub(MOST_TERMINATED);
    if surplus == 0 {
        return Ok(());
    }
    ended.sort_by_cached_key(|pod| {
        let opened = pod.open().ok();
        let text = |pointer: &str| Some(opened.as_ref()?.value.pointer(pointer)?.as_str()?.to_owned());
        let is_evicted = text("/status/reason").as_deref() == Some("Evicted");
        (!is_evicted, text("/metadata/creationTimestamp"), pod.key.name().to_owned())
    });
    for pod in &ended[..surplus] {
        collect(store, pod, None).await?;
    }
    Ok(())
}

/// Returns true if a pod counts towards `MOST_TERMINATED`: it has any phase but `Pending`, `Running` and `Unknown`.
/// Upstream: `isPodTerminated`.
pub(super) fn has_ended(pod: &Object) -> bool {
    !matches!(field(pod, "status.phase"), Some("Pending" | "Running" | "Unknown"))
}

/// Returns the value of a field that pods can be selected by.
pub(super) fn field<'a>(pod: &'a Object, name: &str) -> Option<&'a str> {
    let place = PODS.fields().position(|(field, ..)| field == name)?;
    pod.summary.field(place)
}

/// Returns the pods that are bound to a node.
pub(super) fn pods_on(store: &Store, node: &str) -> Result<Vec<std::sync::Arc<Object>>, ApiError> {
    pods(store, &format!("spec.nodeName={node}"))
}

fn pods(store: &Store, fields: &str) -> Result<Vec<std::sync::Arc<Object>>, ApiError> {
    let fields = Fields::parse(fields, PODS).map_err(ApiError::internal)?;
    Ok(everything(store, PODS, &Filter { fields, ..Filter::default() }).objects)
}

/// Marks a pod as failed, unless it has ended, and deletes it at once. `disrupted` is the message of an additional
/// condition `DisruptionTarget`. Upstream: `markFailedAndDeletePodWithCondition`.
async fn collect(store: &Store, pod: &Object, disrupted: Option<&str>) -> Result<(), ApiError> {
    let now = store.clock.now();
    let marked = store.update(PODS, &pod.key, Commit::Really, |current: &Opened| {
        if current.summary.uid() != pod.summary.uid() {
            return Ok::<_, ApiError>(Next::Keep); // another pod with the same name
        }
        let changed = failed(&current.value, disrupted, &now);
        let by = |pod| written_by(Component::CONTROLLERS, store, current, Some(Subresource::Status), pod);
        Ok(changed.map_or(Next::Keep, |pod| Next::Put(by(pod))))
    });
    match marked.await {
        Err(error) if is_gone_or_changed(&error) => return Ok(()),
        marked => marked?,
    };
    let gate = Gate::of_component(store, PODS, &pod.key, USER);
    match remove(store, PODS, &pod.key, &DeleteOptions::at_once(pod.summary.uid().to_owned()), &gate).await {
        Err(error) if !is_gone_or_changed(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Returns the pod with the phase `Failed`, or `None` if it has ended already.
fn failed(pod: &Value, disrupted: Option<&str>, now: &str) -> Option<Value> {
    if matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed")) {
        return None;
    }
    let mut pod = pod.clone();
    let generation = pod["metadata"]["generation"].clone();
    let status = object(&mut pod["status"]);
    status.insert("phase".into(), json!("Failed"));
    status.insert("observedGeneration".into(), generation.clone());
    if let Some(message) = disrupted {
        let target = json!({
            "type": "DisruptionTarget", "status": "True", "reason": "DeletionByPodGC", "message": message,
            "observedGeneration": generation,
        });
        conditions::update(&mut pod, target, now);
    }
    Some(pod)
}
