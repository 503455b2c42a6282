//! GET, PUT and PATCH of an object's `scale`, as `kubectl scale` uses it.

use std::sync::Arc;

use axum::response::Response;
use http::StatusCode;
use serde_json::{Value, json};

use super::ownership::Writer;
use super::patch::PatchBody;
use super::{Call, key, update};
use crate::codec::schema;
use crate::http::body::{self, Format};
use crate::http::field_validation::warn;
use crate::http::status::{self, ApiError};
use crate::http::write_options::WriteOptions;
use crate::kinds::Resource;
use crate::kinds::custom_resource::ScalePaths;
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
    let body = body::read(request).await?;
    let WriteOptions { commit, strictness } = WriteOptions::of_update(&query)?;
    let wanted = format?.typed(&body, KIND, VERSION, strictness)?;
    let served = target.served;
    let change = |current: &Opened| rescaled(&store, current, served, &wanted.value, &writer);
    let scaled = store.update(target.resource, &key(&target)?, commit, change).await?;
    let scaled = scaled.open()?;
    Ok(warn(answer(&scaled, served), &wanted.faults))
}

pub(crate) async fn patch(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let writer = Writer::of(&query, &request);
    let (patch, WriteOptions { commit, .. }) = PatchBody::read(request, &query).await?;
    let served = target.served;
    let change = |current| patched(&store, current, served, &patch, &writer);
    let scaled = store.guaranteed_update(target.resource, &key(&target)?, commit, change).await?;
    Ok(answer(&scaled, served))
}

/// The object after a patch of its scale.
async fn patched(
    store: &Store,
    current: Arc<Opened>,
    served: &'static Resource,
    patch: &PatchBody,
    writer: &Writer,
) -> Result<Next, ApiError> {
    let mut wanted = scale(&current, served);
    patch.apply(KIND, &mut wanted).await?;
    let text = wanted.to_string();
    let wanted = schema::decode(KIND, wanted).map_err(|why| ApiError::undecodable_patch(&text, &why))?.value;
    rescaled(store, &current, served, &wanted, writer)
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
