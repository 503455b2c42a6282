//! POST to a collection: creates an object.

use axum::response::Response;
use http::StatusCode;
use serde_json::{Map, Value, json};

use super::admission::namespace_lifecycle;
use super::{Call, answer};
use crate::codec::schema::Decoded;
use crate::http::body;
use crate::http::field_validation::{Strictness, warn};
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::kinds::{Generation, NAMESPACES, Resource, Subresource, namespace};
use crate::machinery::fill::object;
use crate::settings::Controllers;
use crate::store::Store;
use crate::store::object::Key;
use crate::store::storage::Storage;

/// How many names are generated before a taken one is kept.
const NAME_TRIES: usize = 8;

pub(crate) async fn create(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let commit = body::query_commit(&query, "CreateOptions")?;
    let strictness = Strictness::of_query(&query, "CreateOptions")?;
    let Decoded { mut value, unknown } = body::object(request, target.resource, strictness).await?;
    check_namespace(&store, &target, &mut value)?;
    let resource = target.resource;
    if resource.subresources.contains(&Subresource::Status) {
        object(&mut value).remove("status"); // only the status subresource writes it
    }
    prepare(&store, resource, target.namespace.as_deref(), &mut value)?;
    let name = value["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let causes = (resource.validate)(&value, None);
    if !causes.is_empty() {
        return Err(ApiError::invalid(resource, &name, causes));
    }
    let key = Key::new(target.namespace.as_deref(), &name);
    let admit = |storage: &Storage| namespace_lifecycle(storage, resource, &key);
    let created = store.create(resource, key.clone(), value, commit, admit).await?;
    Ok(warn(answer(StatusCode::CREATED, &created), &unknown))
}

/// The body's namespace must be that of the path, and must exist.
fn check_namespace(store: &Store, target: &Target, value: &mut Value) -> Result<(), ApiError> {
    if target.namespace.is_some() {
        body::check_namespace(value, target.namespace.as_deref())?;
    }
    let metadata = object(&mut value["metadata"]);
    let Some(namespace) = &target.namespace else {
        metadata.remove("namespace");
        return Ok(());
    };
    metadata.insert("namespace".into(), json!(namespace));
    match store.get(NAMESPACES, &Key::new(None, namespace)) {
        Some(_) => Ok(()),
        None => Err(ApiError::not_found(NAMESPACES, namespace)),
    }
}

/// Sets the fields of a new object that the server decides: generated name, uid, timestamps, generation, defaults.
pub(crate) fn prepare(
    store: &Store,
    resource: &'static Resource,
    namespace: Option<&str>,
    value: &mut Value,
) -> Result<(), ApiError> {
    let metadata = object(&mut value["metadata"]);
    if metadata.remove("resourceVersion").is_some_and(|version| version != "" && version != "0") {
        return Err(ApiError::internal("resourceVersion should not be set on objects to be created"));
    }
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields", "generation"] {
        metadata.remove(field);
    }
    generate_name(store, resource, namespace, metadata);
    metadata.insert("uid".into(), json!(store.lock().random.uid()));
    metadata.insert("creationTimestamp".into(), json!(store.clock.now()));
    if resource.generation == Generation::Counted {
        metadata.insert("generation".into(), json!(1));
    }
    if resource == NAMESPACES && store.settings.controllers != Controllers::None {
        add_namespace_finalizer(value);
    }
    (resource.defaults)(value);
    Ok(())
}

/// Adds the finalizer that keeps a namespace until it is empty.
fn add_namespace_finalizer(namespace: &mut Value) {
    let finalizers = object(&mut namespace["spec"]).entry("finalizers").or_insert_with(|| json!([]));
    if let Value::Array(names) = finalizers
        && !names.iter().any(|name| name == namespace::FINALIZER)
    {
        names.push(json!(namespace::FINALIZER));
    }
}

fn generate_name(store: &Store, resource: &Resource, namespace: Option<&str>, metadata: &mut Map<String, Value>) {
    let text = |field: &str| metadata.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let prefix = text("generateName");
    if !text("name").is_empty() || prefix.is_empty() {
        return;
    }
    let mut state = store.lock();
    for _ in 0..NAME_TRIES {
        let name = format!("{prefix}{}", state.random.suffix());
        let taken = state.storage.get(resource, &Key::new(namespace, &name)).is_some();
        metadata.insert("name".into(), json!(name));
        if !taken {
            return;
        }
    }
}
