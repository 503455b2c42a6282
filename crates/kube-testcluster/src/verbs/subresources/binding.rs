//! POST to a pod's `binding`, with which a scheduler assigns a node. Upstream: `BindingREST` in
//! `pkg/registry/core/pod/storage/storage.go`.

use std::future::ready;
use std::sync::Arc;

use crate::admission::Gate;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::body::{self, Format};
use crate::http::request_info::Target;
use crate::http::status::{self, ApiError};
use crate::http::write_options::{self, WriteOptions};
use crate::plugins::admit::Operation;
use crate::store::object::{Object, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::preconditions::failed_precondition;
use crate::verbs::{Call, key};
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::conventions::cause::Cause;
use kube_machinery::conventions::conditions;
use kube_machinery::conventions::edit::{empty, object};
use kube_machinery::value::{Map, Value, json};

/// Sets the pod's node and the condition `PodScheduled`. A pod can be bound only once.
pub(crate) async fn bind(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let format = Format::of(request.headers())?;
    let user = user_of(request.extensions());
    let body = body::read(request).await?;
    let WriteOptions { commit, strictness } = WriteOptions::of_create(&query)?;
    let binding = format.typed(&body, "Binding", "v1", strictness)?;
    let gate = Gate::of(&store, &target, &user, commit, || write_options::fields(&query));
    let written = write(&store, &target, &gate, binding.value, commit).await;
    let answer = Answer::from(written.map(|_| status::created()));
    Ok(answer.with_warnings(binding.faults).with_warnings(gate.warnings()))
}

/// Binds a pod, for a request or for the cluster's own scheduler.
pub(in crate::verbs) async fn write(
    store: &Store,
    target: &Target,
    gate: &Gate<'_>,
    binding: Value,
    commit: Commit,
) -> Result<Arc<Opened>, ApiError> {
    body::check_namespace(&binding, target.namespace.as_deref())?;
    let binding = &gate.mutate(Operation::Create, binding, None).await?;
    let key = key(target)?;
    if text(binding, "/metadata/name") != key.name() {
        return Err(ApiError::bad_request("name in URL does not match name in Binding object"));
    }
    validate(binding)?;
    gate.validate(Operation::Create, Some(binding), None).await?;
    let now = store.clock.now();
    let next = |pod: &Opened| preconditions(pod, binding).and_then(|()| bound(pod, binding, &now));
    let bind = |pod: Arc<Opened>| ready(next(&pod).map(|next| (target.resource.clone(), next)));
    store.guaranteed_update(&target.resource, &key, commit, bind).await
}

fn text<'a>(binding: &'a Value, pointer: &str) -> &'a str {
    binding.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Validates a binding. As upstream, the errors have no status of their own, so the response has code 500. Upstream:
/// `ValidatePodBinding`.
fn validate(binding: &Value) -> Result<(), ApiError> {
    let mut causes = Vec::new();
    let kind = text(binding, "/target/kind");
    if !matches!(kind, "" | "Node") {
        causes.push(Cause::unsupported("target.kind", &format!("{kind:?}"), &["Node", "<empty>"]));
    }
    if text(binding, "/target/name").is_empty() {
        causes.push(Cause::required("target.name", ""));
    }
    aggregate(causes.iter().map(Cause::sentence)).map_or(Ok(()), |causes| Err(ApiError::internal(causes)))
}

/// Checks that a binding with a uid or a resourceVersion applies to the pod that has them.
fn preconditions(pod: &Object, binding: &Value) -> Result<(), ApiError> {
    let version = pod.revision.to_string();
    for (what, pointer, found) in
        [("UID", "/metadata/uid", pod.summary.uid()), ("ResourceVersion", "/metadata/resourceVersion", &version)]
    {
        let requested = text(binding, pointer);
        if !requested.is_empty() && requested != found {
            return Err(failed_precondition(pod, what, requested, found));
        }
    }
    Ok(())
}

/// Returns the pod with its node, or the conflict if it cannot be bound.
fn bound(pod: &Opened, binding: &Value, now: &str) -> Result<Next, ApiError> {
    let name = pod.key.name();
    let refused = |why: String| Err(ApiError::conflict(&pod.resource, "pods/binding", name, why));
    if pod.summary.is_deleting {
        return refused(format!("pod {name} is being deleted, cannot be assigned to a host"));
    }
    if let Some(node) = pod.text("/spec/nodeName").filter(|node| !node.is_empty()) {
        return refused(format!("pod {name} is already assigned to node {node:?}"));
    }
    if pod.value["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty()) {
        return refused(format!("pod {name} has non-empty .spec.schedulingGates"));
    }
    let mut value = pod.value.clone();
    value["spec"]["nodeName"] = json!(text(binding, "/target/name"));
    for field in ["annotations", "labels"] {
        copy(&binding["metadata"][field], &mut value["metadata"], field);
    }
    object(&mut value["status"]).remove("nominatedNodeName");
    conditions::update(&mut value, json!({"type": "PodScheduled", "status": "True"}), now);
    let mut value = pod.resource.decode_change(value, &pod.value).map_err(ApiError::internal)?.value;
    (pod.resource.defaults)(&mut value);
    Ok(Next::Put(value))
}

/// Adds the binding's annotations or labels to the pod's. The binding's values win.
fn copy(from: &Value, metadata: &mut Value, field: &str) {
    if let Some(more) = from.as_object().filter(|more| !more.is_empty()) {
        let own: &mut Map = object(object(metadata).entry(field).or_insert_with(empty));
        own.extend(more.clone());
    }
}
