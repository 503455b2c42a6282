//! GET, PUT and PATCH of an object's `scale`, as `kubectl scale` and autoscalers use it. The `Scale` is a small object
//! with only the numbers of replicas and the selector of the pods, in the same form for all workloads. A write of the
//! Scale becomes an update of the object. For a custom resource, the definition says which field has the replicas.

use std::sync::{Arc, Mutex, PoisonError};

use http::StatusCode;

use crate::admission::Gate;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::body::{self, Format};
use crate::http::request_info::Target;
use crate::http::status::ApiError;
use crate::http::write_options::{self, WriteOptions};
use crate::plugins::admit::Operation;
use crate::store::object::Opened;
use crate::store::{Commit, Next, Store};
use crate::verbs::apply::{Apply, absence, is_apply};
use crate::verbs::ownership::{Writer, is_managed, scale_manager};
use crate::verbs::patch::{PatchBody, Patching};
use crate::verbs::{Call, conversion, key, next_state, preconditions, update};
use kube_informers::selector::LabelSelector;
use kube_machinery::codec::schema::{self, Decoded};
use kube_machinery::conventions::edit::object;
use kube_machinery::conventions::label_selector;
use kube_machinery::kinds::Resource;
use kube_machinery::managed_fields::{ReplicasPaths, ScaleHandler, field_path};
use kube_machinery::value::{Value, json};

const KIND: &str = "Scale";
const VERSION: &str = "autoscaling/v1";
/// The number that stands for missing replicas of a custom resource while its scale is written. Upstream:
/// `invalidSpecReplicas`.
const MISSING_REPLICAS: i64 = i32::MIN as i64;

pub(crate) async fn get(call: Call) -> Result<Answer, ApiError> {
    let key = key(&call.target)?;
    let object = call.store.get(&call.target.resource, &key);
    let object = object.ok_or_else(|| ApiError::not_found(&call.target.resource, key.name()))?;
    let object = conversion::to_served(&call.store, &(&call.target).into(), object.open()?).await?;
    let (scale, replicas) = scale(&object, &call.target.served).map_err(ApiError::internal)?;
    match call.target.served.scale_paths() {
        Some(paths) if replicas == Replicas::Missing => {
            let path = paths.spec_replicas_text();
            Err(ApiError::internal_error(&format!("the spec replicas field {path:?} does not exist")))
        }
        _ => Ok(answer(scale)),
    }
}

pub(crate) async fn update(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let format = Format::of(request.headers());
    let writer = Writer::of(&query, &request);
    let user = user_of(request.extensions());
    let body = body::read(request).await?;
    let WriteOptions { commit, strictness } = WriteOptions::of_update(&query)?;
    let read = format?.typed(&body, KIND, VERSION, strictness);
    let wanted = read.map_err(|error| if target.served.scale_paths().is_some() { no_such_type() } else { error })?;
    update::check_name(&target, &wanted.value)?;
    let gate = Gate::of(&store, &target, &user, commit, || write_options::fields(&query));
    let (gate, value) = (&gate, &wanted.value);
    let next = |current: Arc<Opened>| async {
        preconditions::check_uid(&current, value)?;
        admitted(&store, gate, &target, current, value.clone(), &writer).await
    };
    let answer = Answer::from(write(&store, &target, commit, next).await);
    Ok(answer.with_warnings(wanted.faults).with_warnings(gate.warnings()))
}

pub(crate) async fn patch(call: Call) -> Result<Answer, ApiError> {
    if is_apply(call.request.headers(), call.store.settings.managed_fields) {
        return apply(call).await;
    }
    let Call { store, target, query, request } = call;
    let writer = Writer::of(&query, &request);
    let user = user_of(request.extensions());
    let (patch, options) = PatchBody::read(request, &query).await?;
    let gate = Gate::of(&store, &target, &user, options.commit, || write_options::fields(&query));
    let warnings = Mutex::default();
    let with = Patching { target: &target, gate: &gate, patch: &patch, options, writer: &writer };
    let next = |current| patched(&store, current, with, &warnings);
    let answer = Answer::from(write(&store, &target, options.commit, next).await);
    let warnings = warnings.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(answer.with_warnings(warnings).with_warnings(gate.warnings()))
}

async fn apply(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let apply = Apply::read(request, &query, || absence(&store, &target)).await?;
    let gate = Gate::of(&store, &target, &apply.user, apply.options.commit, || write_options::fields(&query));
    let next = |current| applied(&store, &gate, &target, current, &apply);
    let scaled = write(&store, &target, apply.options.commit, next).await;
    Ok(apply.answer(scaled, gate.warnings()))
}

/// Writes the state that `next` computes in the version of the request, and responds with its scale.
async fn write<F: Future<Output = Result<Next, ApiError>>>(
    store: &Store,
    target: &Target,
    commit: Commit,
    next: impl Fn(Arc<Opened>) -> F + Copy,
) -> Result<Answer, ApiError> {
    let change = |current| conversion::changed(store, target.into(), current, next);
    let written = store.guaranteed_update(&target.resource, &key(target)?, commit, change).await?;
    let written = conversion::to_served(store, &target.into(), written).await?;
    let (scale, _) = scale(&written, &target.served).map_err(ApiError::bad_request)?;
    Ok(answer(scale))
}

/// Computes the object after a patch of its scale. The store calls it again if another request has written the object
/// meanwhile; the warnings then replace those of the earlier attempt.
async fn patched(
    store: &Store,
    current: Arc<Opened>,
    with: Patching<'_>,
    warnings: &Mutex<Vec<String>>,
) -> Result<Next, ApiError> {
    let Patching { target, gate, patch, options, writer } = with;
    let mut wanted = live(&current, &target.served)?;
    patch.apply(KIND, &mut wanted).await?;
    let text = wanted.to_string();
    let fits = body::check_patched_kind(&wanted, KIND, VERSION).and_then(|()| schema::decode(KIND, wanted));
    let decoded = fits.and_then(|decoded| patch.checked(decoded, options.strictness));
    let Decoded { value, faults } = decoded.map_err(|why| ApiError::undecodable_patch(&text, &why))?;
    update::check_name(target, &value)?;
    *warnings.lock().unwrap_or_else(PoisonError::into_inner) = faults;
    admitted(store, gate, target, current, value, writer).await
}

/// Computes the object after an update of its scale. Admission decides about the Scale, not about the object.
async fn admitted(
    store: &Store,
    gate: &Gate<'_>,
    target: &Target,
    current: Arc<Opened>,
    mut wanted: Value,
    writer: &Writer,
) -> Result<Next, ApiError> {
    if gate.is_open() {
        return updated(store, target, &current, wanted, writer, gate);
    }
    let old = live(&current, &target.served)?;
    wanted = gate.mutate(Operation::Update, wanted, Some(&old)).await?;
    let next = updated(store, target, &current, wanted.clone(), writer, gate)?;
    gate.validate(Operation::Update, Some(&wanted), Some(&old)).await?;
    Ok(next)
}

/// Computes the object after an update of its scale, without admission.
fn updated(
    store: &Store,
    target: &Target,
    current: &Opened,
    mut wanted: Value,
    writer: &Writer,
    gate: &Gate<'_>,
) -> Result<Next, ApiError> {
    let kept = &current.value["metadata"]["managedFields"];
    let Some(manager) = writer.manager().filter(|_| is_managed(store, kept, &Value::Null)) else {
        return rescaled(store, target, current, &wanted, Value::Null, writer, gate);
    };
    let (handler, live) = translated(store, target, current)?;
    // The managers of a scale are computed here; clients cannot send them.
    object(&mut wanted["metadata"]).remove("managedFields");
    let entries = scale_manager(store, &target.served, manager).update(Some(&live), &wanted, &Value::Null);
    rescaled(store, target, current, &wanted, to_parent(&handler, &entries)?, writer, gate)
}

/// Computes the object after a server-side apply of its scale. Admission decides about the Scale.
async fn applied(
    store: &Store,
    gate: &Gate<'_>,
    target: &Target,
    current: Arc<Opened>,
    apply: &Apply,
) -> Result<Next, ApiError> {
    let (mut wanted, entries) = wanted_by(store, target, &current, apply)?;
    if gate.is_open() {
        return rescaled(store, target, &current, &wanted, entries, &apply.writer, gate);
    }
    let old = live(&current, &target.served)?;
    wanted = gate.mutate(Operation::Update, wanted, Some(&old)).await?;
    let next = rescaled(store, target, &current, &wanted, entries, &apply.writer, gate)?;
    gate.validate(Operation::Update, Some(&wanted), Some(&old)).await?;
    Ok(next)
}

/// Returns the scale with a configuration applied, and the `managedFields` that the object then has.
fn wanted_by(store: &Store, target: &Target, current: &Opened, apply: &Apply) -> Result<(Value, Value), ApiError> {
    let (handler, live) = translated(store, target, current)?;
    let manager = scale_manager(store, &target.served, &apply.manager);
    let mut wanted = apply.applied_to(Some(&live), &manager)?;
    let entries = to_parent(&handler, &wanted["metadata"]["managedFields"])?;
    let wanted = schema::from_map(KIND, &mut wanted, &Value::Null).and_then(|()| schema::decode(KIND, wanted));
    let wanted = wanted.map_err(|why| ApiError::internal(apply.not_converted(&manager, &why)))?;
    update::check_name(target, &wanted.value)?;
    Ok((wanted.value, entries))
}

/// Returns the translator of `managedFields`, and the scale of an object with the translated `managedFields`.
fn translated(store: &Store, target: &Target, current: &Opened) -> Result<(ScaleHandler, Value), ApiError> {
    let entries = &current.value["metadata"]["managedFields"];
    let handler = ScaleHandler::new(entries, target.served.api_version(), replicas_paths(store, target));
    let handler = handler.map_err(ApiError::internal)?;
    let mut live = live(current, &target.served)?;
    live["metadata"]["managedFields"] = handler.to_subresource();
    Ok((handler, live))
}

/// Translates the `managedFields` of a scale to those of the object.
fn to_parent(handler: &ScaleHandler, entries: &Value) -> Result<Value, ApiError> {
    handler.to_parent(entries).map_err(ApiError::internal)
}

/// Returns the path of the replicas field in each served version of the kind.
fn replicas_paths(store: &Store, target: &Target) -> ReplicasPaths {
    let catalog = store.catalog();
    let versions = catalog.served().filter(|row| row.group_resource() == target.resource.group_resource());
    versions.map(|row| (row.api_version(), row.replicas_path().map(|path| field_path(&path)))).collect()
}

/// Returns the object with the replicas of a scale and with these `managedFields`. The scale's resourceVersion is a
/// precondition; for a built-in kind its uid is one, too.
fn rescaled(
    store: &Store,
    target: &Target,
    current: &Opened,
    wanted: &Value,
    entries: Value,
    writer: &Writer,
    gate: &Gate<'_>,
) -> Result<Next, ApiError> {
    let mut value = current.value.clone();
    let replicas = wanted.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or_default();
    match target.served.scale_paths() {
        Some(paths) if replicas == MISSING_REPLICAS => {
            let path = paths.spec_replicas_text();
            return Err(ApiError::bad_request(format!("the spec replicas field {path:?} cannot be empty")));
        }
        Some(paths) => paths.set_replicas(&mut value, replicas).map_err(ApiError::internal)?,
        None => value["spec"]["replicas"] = json!(replicas),
    }
    let written = |field: &str| wanted["metadata"][field].as_str().unwrap_or_default();
    let (requested, uid) = (written("uid"), current.summary.uid());
    if target.served.scale_paths().is_none() && !requested.is_empty() && requested != uid {
        let what = format!("{}/scale", target.served.plural());
        let why = format!("Precondition failed: UID in precondition: {requested}, UID in object meta: {uid}");
        return Err(ApiError::conflict(&target.served, &what, current.key.name(), why));
    }
    if !written("resourceVersion").is_empty() {
        value["metadata"]["resourceVersion"] = wanted["metadata"]["resourceVersion"].clone();
    }
    value["metadata"]["managedFields"] = entries;
    next_state::next(store, current, &current.resource, value, None, &writer.with_entries(), gate)
}

/// Returns the error for every malformed scale of a custom resource: upstream cannot report the real error, because its
/// scheme does not have the type.
fn no_such_type() -> ApiError {
    ApiError::bad_request("no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:111\"")
}

/// Returns the Scale of an object before a write. Missing replicas become [`MISSING_REPLICAS`].
fn live(object: &Opened, served: &Resource) -> Result<Value, ApiError> {
    let (mut scale, replicas) = scale(object, served).map_err(ApiError::internal)?;
    if replicas == Replicas::Missing {
        scale["spec"]["replicas"] = json!(MISSING_REPLICAS);
    }
    Ok(scale)
}

/// The presence of the replicas field in an object. An object of a built-in kind always has it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Replicas {
    Found,
    Missing,
}

/// Returns the Scale of an object, and whether the object has replicas. Fails with upstream's message if a field that
/// the definition names has another type.
fn scale(object: &Opened, served: &Resource) -> Result<(Value, Replicas), String> {
    let metadata = &object.value["metadata"];
    let fields = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"].into_iter();
    let shown = fields.filter_map(|field| metadata.get(field).map(|value| (field, value.clone())));
    let selector = match &object.value["spec"]["selector"] {
        // The selector of a ReplicationController is a map of labels.
        labels if object.resource.kind() == "ReplicationController" => {
            label_selector::read(&json!({"matchLabels": labels}))
        }
        selector => label_selector::read(selector),
    };
    let selector = selector.unwrap_or_else(|_| LabelSelector::nothing());
    let count = |section: &str| object.value[section]["replicas"].as_i64().unwrap_or_default();
    let (wanted, found, selector) = match served.scale_paths() {
        Some(paths) => {
            let value = &object.value;
            (paths.spec_replicas(value)?, paths.status_replicas(value)?, paths.selector(value)?.to_owned())
        }
        None => (Some(count("spec")), count("status"), selector.to_string()),
    };
    let replicas = if wanted.is_some() { Replicas::Found } else { Replicas::Missing };
    let scale = json!({
        "kind": KIND, "apiVersion": VERSION, "metadata": Value::Object(shown.collect()),
        "spec": {"replicas": wanted.unwrap_or_default()}, "status": {"replicas": found, "selector": selector},
    });
    Ok((scale, replicas))
}

fn answer(mut scale: Value) -> Answer {
    // Go's types omit zero values.
    for (section, field, zero) in [("spec", "replicas", json!(0)), ("status", "selector", json!(""))] {
        if scale[section][field] == zero {
            object(&mut scale[section]).remove(field);
        }
    }
    Answer::value(StatusCode::OK, scale)
}
