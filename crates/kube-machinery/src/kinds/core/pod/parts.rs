//! The parts of a pod's spec that have a path of their own: `ephemeralcontainers` and `resize`. Upstream:
//! `podEphemeralContainersStrategy` and `podResizeStrategy` in `pkg/registry/core/pod/strategy.go`.

use super::{debugging, resize};
use crate::conventions::cause::Cause;
use crate::conventions::fill::{list, object};
use crate::kinds::fields::items;
use crate::kinds::resource::{Change, Subresource};
use crate::value::Value;

/// Keeps all but the part that is changed.
pub(super) fn prepare(new: &mut Value, change: &Change<'_>) {
    let Some(old) = change.old else { return };
    match change.part {
        Some(Subresource::EphemeralContainers) => {
            let containers = new["spec"]["ephemeralContainers"].take();
            keep(new, old);
            let spec = object(&mut new["spec"]);
            spec.remove("ephemeralContainers");
            if !containers.is_null() {
                spec.insert("ephemeralContainers".into(), containers);
            }
        }
        Some(Subresource::Resize) => keep_all_but_resources(new, old),
        _ => {}
    }
}

/// Gives a pod its old spec, and its old metadata but for what names its state. Upstream: `ResetObjectMetaForStatus`.
fn keep(new: &mut Value, old: &Value) {
    new["spec"] = old["spec"].clone();
    for field in ["labels", "annotations", "finalizers", "ownerReferences"] {
        let metadata = object(&mut new["metadata"]);
        match old["metadata"].get(field) {
            Some(value) => metadata.insert(field.into(), value.clone()),
            None => metadata.remove(field),
        };
    }
}

/// Upstream: `dropNonResizeUpdates`. What cannot be compared container by container is left to the validation.
fn keep_all_but_resources(new: &mut Value, old: &Value) {
    const LISTS: [&str; 2] = ["containers", "initContainers"];
    let spec = &new["spec"];
    if LISTS.iter().any(|field| items(spec, field).len() != items(&old["spec"], field).len()) {
        return;
    }
    let names =
        |pod: &Value, field: &str| items(&pod["spec"], field).iter().map(|c| c["name"].clone()).collect::<Vec<_>>();
    let wanted = spec.clone();
    let renamed = LISTS.map(|field| names(new, field) != names(old, field));
    keep(new, old);
    for (field, renamed) in LISTS.into_iter().zip(renamed) {
        if renamed {
            new["spec"][field] = wanted[field].clone();
            continue;
        }
        for (container, wanted) in list(&mut new["spec"], field).zip(items(&wanted, field)) {
            take(container, wanted, "resources");
            take(container, wanted, "resizePolicy");
        }
    }
    if !wanted["resources"].is_null() {
        take(&mut new["spec"], &wanted, "resources");
    }
}

fn take(to: &mut Value, from: &Value, field: &str) {
    match from.get(field) {
        Some(value) => object(to).insert(field.into(), value.clone()),
        None => object(to).remove(field),
    };
}

/// The errors in a changed part.
pub(super) fn validate(part: Subresource, new: &Value, old: &Value) -> Vec<Cause> {
    match part {
        Subresource::EphemeralContainers => debugging::changes(new, old),
        Subresource::Resize => resize::changes(new, old),
        _ => Vec::new(),
    }
}
