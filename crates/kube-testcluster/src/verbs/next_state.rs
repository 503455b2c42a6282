//! The steps that all updates share: updates, patches, applies and the cluster's own components compute their new state
//! with [`next`] or [`admitted`], in upstream's order (admission, defaults, fields that must not change, validation,
//! generation, managed fields).

use std::collections::BTreeMap;

use super::ownership::{self, Writer};
use super::{charged, preconditions};
use crate::admission::builtin::WriteAttributes;
use crate::admission::{Gate, Reinvoke};
use crate::auth::certificates;
use crate::auth::rbac::escalation::{self, CheckedWrite};
use crate::auth::{policy_parameters, resource_claims};
use crate::http::status::ApiError;
use crate::plugins::admit::Operation;
use crate::store::object::Opened;
use crate::store::{Next, Store};
use kube_machinery::conventions::cause::Findings;
use kube_machinery::conventions::edit::{keep, object};
use kube_machinery::kinds::{Change, Generation, Resource, Subresource};
use kube_machinery::value::{SmolStr, Value, json};

/// Computes the state after an update, with no admission but that of the built-in plugins. An update of the object
/// keeps the status, if the kind has the subresource `status`. An update of `status` or `approval` keeps everything but
/// the status and, for a built-in kind, the metadata. `served` is the version in which the new state was sent.
pub(crate) fn next(
    store: &Store,
    current: &Opened,
    served: &Resource,
    mut new: Value,
    subresource: Option<Subresource>,
    writer: &Writer,
    gate: &Gate<'_>,
) -> Result<Next, ApiError> {
    let entries = ownership::after_update(store, current, served, &new, subresource, writer);
    update_of(store, current, subresource).admit_update(&mut new)?;
    after_admission(store, current, served, Wanted { new, entries }, subresource, writer, gate)
}

/// Computes the state after an update, with admission: plugins and webhooks may first change the new state, and at the
/// end validate what will be stored.
pub(crate) async fn admitted(
    store: &Store,
    gate: &Gate<'_>,
    current: &Opened,
    served: &Resource,
    new: Value,
    subresource: Option<Subresource>,
    writer: &Writer,
) -> Result<Next, ApiError> {
    let old = Some(&current.value);
    let next = if gate.is_open() {
        next(store, current, served, new, subresource, writer, gate)?
    } else {
        mutated(store, gate, current, served, new, subresource, writer).await?
    };
    warn_of(gate, current, subresource, &next);
    if let Next::Put(new) | Next::Release(new) = &next {
        gate.warn(update_of(store, current, subresource).validate(new)?);
        gate.validate(Operation::Update, Some(new), old).await?;
    }
    charged::next(update_of(store, current, subresource), next)
}

/// Computes the state after an update that plugins and webhooks may change.
async fn mutated(
    store: &Store,
    gate: &Gate<'_>,
    current: &Opened,
    served: &Resource,
    mut new: Value,
    subresource: Option<Subresource>,
    writer: &Writer,
) -> Result<Next, ApiError> {
    let entries = ownership::after_update(store, current, served, &new, subresource, writer);
    if !entries.is_null() {
        object(&mut new["metadata"]).insert("managedFields".into(), entries.clone());
    }
    let mut mutation = gate.mutation(Operation::Update, Some(&current.value));
    loop {
        update_of(store, current, subresource).admit_update(&mut new)?;
        let (object, reinvoke) = mutation.round(Some(new)).await?;
        new = object.unwrap_or_default();
        if reinvoke == Reinvoke::No {
            break;
        }
    }
    after_admission(store, current, served, Wanted { new, entries }, subresource, writer, gate)
}

fn update_of<'a>(store: &'a Store, current: &'a Opened, subresource: Option<Subresource>) -> WriteAttributes<'a> {
    let (resource, namespace) = (&current.resource, current.key.namespace());
    WriteAttributes { store, resource, subresource, namespace, old: Some(&current.value) }
}

/// Adds the kind's warnings about the new state. An update of a subresource other than the status has none.
fn warn_of(gate: &Gate<'_>, current: &Opened, subresource: Option<Subresource>, next: &Next) {
    let (Next::Put(new) | Next::Release(new)) = next else { return };
    match subresource {
        None => gate.warn((current.resource.warnings)(new, Some(&current.value))),
        Some(Subresource::Status) => gate.warn((current.resource.status_warnings)(new)),
        Some(_) => {}
    }
}

/// A new state, and its `managedFields`.
struct Wanted {
    new: Value,
    entries: Value,
}

/// Computes the state after an update whose new state admission has already changed.
fn after_admission(
    store: &Store,
    current: &Opened,
    served: &Resource,
    Wanted { mut new, entries }: Wanted,
    subresource: Option<Subresource>,
    writer: &Writer,
    gate: &Gate<'_>,
) -> Result<Next, ApiError> {
    let resource = &current.resource;
    let namespace = current.key.namespace().unwrap_or_default();
    let grant = CheckedWrite { resource, namespace, name: current.key.name(), new: &new, old: Some(&current.value) };
    escalation::check(writer.caller.as_ref(), grant)?;
    preconditions::check(current, &new)?;
    resource.default_change(&mut new, &current.value); // first, as upstream sets defaults when it decodes the body
    let entries = ownership::with_old_times(current, &new, entries);
    match subresource {
        Some(Subresource::Approval | Subresource::Status) => {
            (resource.prepare_status_update)(&mut new, &current.value);
        }
        _ => keep_status(current, &mut new),
    }
    keep_system_fields(current, &mut new);
    let is_changed_as_sent = is_changed_as_sent(current, &new);
    (resource.prepare)(
        &mut new,
        &Change {
            old: Some(&current.value),
            subresource,
            has_controllers: store.settings.holds_namespaces(),
            now: &store.clock.now(),
        },
    );
    let Findings { mut causes, warnings } = match subresource {
        Some(Subresource::Status) => served.findings_of_status_update(&new, &current.value),
        Some(subresource @ (Subresource::Approval | Subresource::EphemeralContainers | Subresource::Resize)) => {
            Findings::of(served.causes_of_subresource_update(subresource, &new, &current.value))
        }
        _ => served.findings_of_update(&new, &current.value),
    };
    let update = certificates::Update { resource, subresource, old: &current.value, new: &new };
    let of_claims = resource_claims::causes_of_update(store, writer.caller.as_ref(), current.key.namespace(), update);
    if !of_claims.is_empty() {
        causes = of_claims.into_iter().chain(causes).collect();
    }
    gate.warn(warnings);
    if causes.is_empty() {
        causes.extend(certificates::sign_cause(writer.caller.as_ref(), update));
    }
    if causes.is_empty() && subresource.is_none() {
        let caller = writer.caller.as_ref();
        causes.extend(policy_parameters::cause(store, caller, resource, &new, Some(&current.value)));
    }
    if !causes.is_empty() {
        return Err(ApiError::invalid(resource, current.key.name(), causes));
    }
    certificates::check(writer.caller.as_ref(), update)?;
    resource.drop_empty_lists(&mut new); // before the comparison, because upstream treats them as absent
    if is_changed_as_sent || increases_generation(current, &new, subresource) {
        increment_generation(&mut new);
    }
    resource.normalize_numbers(&mut new);
    ownership::set_entries(&mut new, entries);
    let gone = is_released(current, &new);
    Ok(if gone { Next::Release(new) } else { Next::Put(new) })
}

/// Returns true if the generation counts what the client sends, and one of the counted fields differs.
fn is_changed_as_sent(current: &Opened, new: &Value) -> bool {
    let Generation::CountedAsSent(fields) = current.resource.generation else { return false };
    let mut sent = new.clone();
    current.resource.drop_empty_lists(&mut sent);
    differs_at(fields, current, &sent)
}

fn differs_at(fields: &[&str], current: &Opened, new: &Value) -> bool {
    fields.iter().any(|field| new.pointer(field) != current.value.pointer(field))
}

/// Returns true if an update increases the object's generation.
fn increases_generation(current: &Opened, new: &Value, subresource: Option<Subresource>) -> bool {
    let annotations = |object: &Value| Some(object["metadata"]["annotations"].clone()).filter(|map| *map != json!({}));
    let differs = new["spec"] != current.value["spec"];
    match current.resource.generation {
        Generation::Absent => false,
        Generation::Counted | Generation::CountedFromUpdate => differs,
        Generation::CountedButMetadata => {
            subresource != Some(Subresource::Status) && but_metadata(new) != but_metadata(&current.value)
        }
        Generation::CountedAt(fields) | Generation::CountedAsSent(fields) => differs_at(fields, current, new),
        Generation::CountedWithAnnotations if subresource == Some(Subresource::Status) => false,
        Generation::CountedWithAnnotations => {
            differs || annotations(new).unwrap_or_default() != annotations(&current.value).unwrap_or_default()
        }
    }
}

fn but_metadata(object: &Value) -> BTreeMap<&SmolStr, &Value> {
    object.as_object().into_iter().flatten().filter(|(name, _)| *name != "metadata").collect()
}

/// Restores the status in an update of the object, if the kind has the subresource `status`.
fn keep_status(current: &Opened, new: &mut Value) {
    if current.resource.subresources().contains(&Subresource::Status) {
        keep(&current.value, new, "status");
    }
}

/// Keeps the metadata that clients cannot change. Upstream: `BeforeUpdate`. A new deletionTimestamp stays in place,
/// because validation must refuse it.
fn keep_system_fields(current: &Opened, new: &mut Value) {
    let old = &current.value["metadata"];
    let metadata = &mut new["metadata"];
    for field in ["name", "namespace", "creationTimestamp", "generation"] {
        keep(old, metadata, field);
    }
    if metadata["uid"].as_str().unwrap_or_default().is_empty() {
        keep(old, metadata, "uid");
    }
    if !old["deletionTimestamp"].is_null() {
        keep(old, metadata, "deletionTimestamp");
    }
    let period = &metadata["deletionGracePeriodSeconds"]; // an apply may set a value that is not a number
    if period.is_null() || period.as_i64().is_none() && !old["deletionGracePeriodSeconds"].is_null() {
        keep(old, metadata, "deletionGracePeriodSeconds");
    }
    object(metadata).remove("managedFields"); // the computed ones are set after validation
}

pub(crate) fn increment_generation(value: &mut Value) {
    let generation = value["metadata"]["generation"].as_i64().unwrap_or_default();
    value["metadata"]["generation"] = json!(generation + 1);
}

/// Returns true if a finalizer holds the object.
pub(crate) fn is_held(value: &Value) -> bool {
    value["metadata"]["finalizers"].as_array().is_some_and(|finalizers| !finalizers.is_empty())
        || has_namespace_finalizer(value)
}

/// Returns true if the object is a namespace that must be emptied before it is removed.
pub(crate) fn has_namespace_finalizer(value: &Value) -> bool {
    value["spec"]["finalizers"].as_array().is_some_and(|finalizers| !finalizers.is_empty())
}

/// Returns true if the object is being deleted, its grace period is 0, and no finalizer holds the new state.
fn is_released(current: &Opened, new: &Value) -> bool {
    let metadata = &current.value["metadata"];
    let grace = metadata["deletionGracePeriodSeconds"].as_i64().unwrap_or_default();
    !is_held(new) && grace == 0 && metadata.get("deletionTimestamp").is_some()
}
