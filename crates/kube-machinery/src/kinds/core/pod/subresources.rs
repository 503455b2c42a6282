//! The subresources that change one part of a pod's spec: `ephemeralcontainers` and `resize`. [`prepare`] undoes all
//! other changes before [`validate`] checks the rest. Upstream: `podEphemeralContainersStrategy` and
//! `podResizeStrategy` in `pkg/registry/core/pod/strategy.go`.

use super::disabled_fields::{drop_disabled_fields, drop_from_status};
use super::profiles::fields_from_annotations;
use super::{ephemeral_containers_update, label_keys, resize, status_update};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, keep, list, object, set_default};
use crate::kinds::fields::items;
use crate::kinds::resource::{Change, Subresource};
use crate::value::{Value, json};

/// Gives a new pod with scheduling gates the condition that says so. Upstream: `applySchedulingGatedCondition`.
fn note_gates(pod: &mut Value, now: &str) {
    if items(&pod["spec"], "schedulingGates").is_empty() {
        return;
    }
    let gated = json!({
        "type": "PodScheduled", "status": "False", "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
        "lastProbeTime": null, "lastTransitionTime": now,
    });
    pod["status"]["conditions"] = json!([gated]);
}

/// Sets the phase of a new pod, its AppArmor profiles from its annotations, and its selectors from label keys. In an
/// update through `ephemeralcontainers` or `resize`, restores what the subresource does not change in the spec and in the metadata; in
/// one through `status`, only the deletion time and the owner references. Upstream: `podStrategy.PrepareForCreate` and
/// the `PrepareForUpdate` of the subresources.
pub(super) fn prepare(new: &mut Value, change: &Change<'_>) {
    if change.subresource.is_none() {
        drop_disabled_fields(new);
    }
    let Some(old) = change.old else {
        set_default(new, "status", empty());
        set_default(&mut new["status"], "phase", json!("Pending"));
        fields_from_annotations(new);
        label_keys::merge(new);
        note_gates(new, change.now);
        return;
    };
    match change.subresource {
        Some(Subresource::EphemeralContainers) => {
            let containers = new["spec"]["ephemeralContainers"].take();
            restore(new, old);
            let spec = object(&mut new["spec"]);
            spec.remove("ephemeralContainers");
            if !containers.is_null() {
                spec.insert("ephemeralContainers".into(), containers);
            }
        }
        Some(Subresource::Resize) => restore_all_but_resources(new, old),
        // Upstream: `podStatusStrategy`.
        Some(Subresource::Status) => {
            drop_from_status(new);
            for field in ["deletionTimestamp", "ownerReferences"] {
                keep(&old["metadata"], &mut new["metadata"], field);
            }
            status_update::preserve(new, old);
        }
        _ => {}
    }
}

/// Restores the old spec, labels, annotations, finalizers and owner references. Upstream: `ResetObjectMetaForStatus`.
fn restore(new: &mut Value, old: &Value) {
    new["spec"] = old["spec"].clone();
    for field in ["labels", "annotations", "finalizers", "ownerReferences"] {
        let metadata = object(&mut new["metadata"]);
        match old["metadata"].get(field) {
            Some(value) => metadata.insert(field.into(), value.clone()),
            None => metadata.remove(field),
        };
    }
}

/// Keeps only the new resources and resize policies. If containers were added or removed, the whole pod stays as sent;
/// if some were renamed, their list does. The validation refuses both. Upstream: `dropNonResizeUpdates`.
fn restore_all_but_resources(new: &mut Value, old: &Value) {
    const LISTS: [&str; 2] = ["containers", "initContainers"];
    let spec = &new["spec"];
    if LISTS.iter().any(|field| items(spec, field).len() != items(&old["spec"], field).len()) {
        return;
    }
    let names =
        |pod: &Value, field: &str| items(&pod["spec"], field).iter().map(|c| c["name"].clone()).collect::<Vec<_>>();
    let wanted = spec.clone();
    let renamed = LISTS.map(|field| names(new, field) != names(old, field));
    restore(new, old);
    for (field, renamed) in LISTS.into_iter().zip(renamed) {
        if renamed {
            new["spec"][field] = wanted[field].clone();
            continue;
        }
        for (container, wanted) in list(&mut new["spec"], field).zip(items(&wanted, field)) {
            copy_field(container, wanted, "resources");
            copy_field(container, wanted, "resizePolicy");
        }
    }
    if !wanted["resources"].is_null() {
        copy_field(&mut new["spec"], &wanted, "resources");
    }
}

/// Copies a field, or removes it if `from` has none.
fn copy_field(to: &mut Value, from: &Value, field: &str) {
    match from.get(field) {
        Some(value) => object(to).insert(field.into(), value.clone()),
        None => object(to).remove(field),
    };
}

pub(super) fn validate(subresource: Subresource, new: &Value, old: &Value) -> Causes {
    match subresource {
        Subresource::EphemeralContainers => ephemeral_containers_update::validate(new, old),
        Subresource::Resize => resize::validate(new, old),
        _ => Causes::new(),
    }
}
