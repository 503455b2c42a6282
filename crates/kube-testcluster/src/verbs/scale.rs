//! GET, PUT and PATCH of an object's `scale`, as `kubectl scale` uses it.

use std::sync::Arc;

use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};

use super::ownership::Writer;
use super::patch::PatchBody;
use super::{Call, key, update};
use crate::admission::Gate;
use crate::auth::user_of;
use crate::codec::schema;
use crate::http::body::{self, Format};
use crate::http::field_validation::warn;
use crate::http::status::{self, ApiError};
use crate::http::write_options::{self, WriteOptions};
use crate::kinds::Resource;
use crate::kinds::custom_resource::ScalePaths;
use crate::machinery::admit::Operation;
use crate::machinery::label_selector;
use crate::store::object::Opened;
use crate::store::{Next, Store};
use kube_informers::selector::LabelSelector;

const KIND: &str = "Scale";
const VERSION: &str = "autoscaling/v1";

pub(crate) async fn get(call: Call) -> Result<Response, ApiError> {
    let key = key(&call.target)?;
    let object = call.store.get(call.target.resource, &key);
    let object = object.ok_or_else(|| ApiError::not_found(call.target.resource, key.name()))?;
    let opened = object.open()?;
    Ok(answer(&opened, call.target.served))
}

pub(crate) async fn update(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let format = Format::of(request.headers());
    let writer = Writer::of(&query, &request);
    let user = user_of(request.extensions());
    let body = body::read(request).await?;
    let WriteOptions { commit, strictness } = WriteOptions::of_update(&query)?;
    let mut wanted = format?.typed(&body, KIND, VERSION, strictness)?;
    let gate = Gate::of(&store, &target, &user, commit, || write_options::fields(&query));
    let (gate, served, value) = (&gate, target.served, &wanted.value);
    let change = |current: Arc<Opened>| admitted(&store, gate, current, served, value.clone(), &writer);
    let scaled = store.guaranteed_update(target.resource, &key(&target)?, commit, change).await;
    let response = scaled.map_or_else(IntoResponse::into_response, |scaled| answer(&scaled, served));
    wanted.faults.extend(gate.warnings());
    Ok(warn(response, &wanted.faults))
}

pub(crate) async fn patch(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let writer = Writer::of(&query, &request);
    let user = user_of(request.extensions());
    let (patch, WriteOptions { commit, .. }) = PatchBody::read(request, &query).await?;
    let gate = Gate::of(&store, &target, &user, commit, || write_options::fields(&query));
    let served = target.served;
    let change = |current| patched(&store, &gate, current, served, &patch, &writer);
    let scaled = store.guaranteed_update(target.resource, &key(&target)?, commit, change).await;
    let response = scaled.map_or_else(IntoResponse::into_response, |scaled| answer(&scaled, served));
    Ok(warn(response, &gate.warnings()))
}

/// The object after a patch of its scale.
async fn patched(
    store: &Store,
    gate: &Gate<'_>,
    current: Arc<Opened>,
    served: &'static Resource,
    patch: &PatchBody,
    writer: &Writer,
) -> Result<Next, ApiError> {
    let mut wanted = scale(&current, served);
    patch.apply(KIND, &mut wanted).await?;
    let text = wanted.to_string();
    let wanted = schema::decode(KIND, wanted).map_err(|why| ApiError::undecodable_patch(&text, &why))?.value;
    admitted(store, gate, current, served, wanted, writer).await
}

/// The object with the replicas of a scale, if those agree who are asked about the scale.
async fn admitted(
    store: &Store,
    gate: &Gate<'_>,
    current: Arc<Opened>,
    served: &'static Resource,
    mut wanted: Value,
    writer: &Writer,
) -> Result<Next, ApiError> {
    if gate.is_open() {
        return rescaled(store, &current, served, &wanted, writer);
    }
    let old = scale(&current, served);
    wanted = gate.mutate(Operation::Update, wanted, Some(&old)).await?;
    let next = rescaled(store, &current, served, &wanted, writer)?;
    gate.validate(Operation::Update, Some(&wanted), Some(&old)).await?;
    Ok(next)
}

/// The object with the replicas of a scale. The scale's uid and resourceVersion are preconditions.
fn rescaled(
    store: &Store,
    current: &Opened,
    served: &'static Resource,
    wanted: &Value,
    writer: &Writer,
) -> Result<Next, ApiError> {
    let mut value = current.value.clone();
    let replicas = wanted.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or_default();
    match paths(served) {
        Some(paths) => paths.set_replicas(&mut value, replicas),
        None => value["spec"]["replicas"] = json!(replicas),
    }
    for field in ["uid", "resourceVersion"] {
        value["metadata"][field] = wanted["metadata"][field].clone();
    }
    update::same_uid(current, &value)?;
    update::next(store, current, current.resource, value, None, writer)
}

/// Where a version of a custom resource has its scale.
fn paths(served: &'static Resource) -> Option<&'static ScalePaths> {
    served.custom.and_then(|custom| custom.scale.as_ref())
}

/// The Scale of an object.
fn scale(object: &Opened, served: &'static Resource) -> Value {
    let metadata = &object.value["metadata"];
    let shown = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"]
        .map(|field| (field.to_owned(), metadata[field].clone()));
    let selector = match &object.value["spec"]["selector"] {
        // That of a replication controller is a map of labels.
        labels if object.resource.kind == "ReplicationController" => {
            label_selector::read(&json!({"matchLabels": labels}))
        }
        selector => label_selector::read(selector),
    };
    let selector = selector.unwrap_or_else(|_| LabelSelector::nothing());
    let count = |part: &str| object.value[part]["replicas"].as_i64().unwrap_or_default();
    let (wanted, found, selector) = match paths(served) {
        Some(paths) => {
            let wanted = paths.spec_replicas(&object.value).unwrap_or_default();
            (wanted, paths.status_replicas(&object.value), paths.selector(&object.value).to_owned())
        }
        None => (count("spec"), count("status"), selector.to_string()),
    };
    json!({
        "kind": KIND, "apiVersion": VERSION, "metadata": Value::Object(shown.into_iter().collect()),
        "spec": {"replicas": wanted}, "status": {"replicas": found, "selector": selector},
    })
}

fn answer(object: &Opened, served: &'static Resource) -> Response {
    status::json(StatusCode::OK, scale(object, served).to_string().into_bytes())
}
