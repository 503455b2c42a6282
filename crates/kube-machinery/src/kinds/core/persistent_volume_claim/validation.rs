//! Validates PersistentVolumeClaims and their status. The rules for the spec of a new claim are in
//! `core::pod::claim_template`, since pods and StatefulSets have claims in templates too. Upstream:
//! `ValidatePersistentVolumeClaim`, `ValidatePersistentVolumeClaimUpdate` and
//! `ValidatePersistentVolumeClaimStatusUpdate` in `pkg/apis/core/validation/validation.go`.

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::quantity::Quantity;
use crate::kinds::core::pod::claim_template::{Groups, claim};
use crate::kinds::core::pod::resource_validation::{amount, parsed};
use crate::kinds::fields::{invalid, one_of, pairs, text};
use crate::kinds::names;
use crate::kinds::resource_list::{is_native, not_below_zero};
use crate::value::Value;

/// The annotation that held the storage class before there was a field.
const CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// The values of `status.allocatedResourceStatuses`.
const STATUSES: [&str; 5] = [
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
];
const STORAGE: &str = "storage";

pub(super) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let Some(old) = old else { return claim(spec, Groups::Checked, &"spec") };
    let had_group = ["dataSource", "dataSourceRef"].iter().any(|field| old["spec"][*field]["apiGroup"].is_string());
    // The API group is not checked if the old claim has one, because older servers accepted any.
    let mut causes = claim(spec, if had_group { Groups::Any } else { Groups::Checked }, &"spec");
    causes.extend(validate_update(new, old));
    causes.extend(refuse_shrinking(new, old));
    if spec["volumeMode"] != old["spec"]["volumeMode"] {
        causes.push(Cause::invalid_json("volumeMode", &spec["volumeMode"], "field is immutable"));
    }
    causes.extend(attributes(new, old));
    causes
}

/// Checks that only these fields change: the requested size and the attributes class of a bound claim, an unset volume
/// name, and an unset storage class that matches the annotation.
fn validate_update(new: &Value, old: &Value) -> Causes {
    let (spec, before) = (&new["spec"], &old["spec"]);
    // `kept` is the new spec with the old values of the fields that may change.
    let (mut kept, mut causes) = (spec.clone(), Causes::new());
    let mut keep = |field: &str| kept[field] = before[field].clone();
    if text(before, "volumeName").is_empty() {
        keep("volumeName");
    }
    let (class, annotation) = (&spec["storageClassName"], class_of(old));
    let is_given = class.is_string() && before["storageClassName"].is_null();
    if is_given && class == annotation && (class_of(new).is_null() || class_of(new) == annotation) {
        keep("storageClassName");
    } else {
        if text(&new["metadata"]["annotations"], CLASS) != text(&old["metadata"]["annotations"], CLASS) {
            let (at, shown) =
                (format_args!("metadata.annotations.{CLASS}"), text(&new["metadata"]["annotations"], CLASS));
            causes.push(Cause::invalid(at, shown, "field is immutable"));
        }
        if is_given && (annotation.is_null() || class == annotation) {
            keep("storageClassName");
        }
    }
    if new["status"]["phase"] == "Bound" {
        keep("volumeAttributesClassName");
        if spec["resources"]["requests"].is_object() {
            kept["resources"]["requests"][STORAGE] = before["resources"]["requests"][STORAGE].clone();
        }
    }
    if !is_same(&kept, before) {
        let why =
            "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
        causes.push(Cause::forbidden("spec", why));
    }
    causes
}

/// Returns the storage class in the beta annotation.
fn class_of(claim: &Value) -> &Value {
    &claim["metadata"]["annotations"][CLASS]
}

/// Returns true if two specs are equal. Sizes are compared as quantities, so `1Gi` equals `1024Mi`.
fn is_same(spec: &Value, before: &Value) -> bool {
    let fields = |spec: &Value| -> Vec<String> {
        let fields = spec.as_object().into_iter().flatten();
        fields.filter(|(_, value)| !value.is_null()).map(|(field, _)| field.to_string()).collect()
    };
    fields(spec).iter().chain(&fields(before)).all(|field| match &**field {
        "resources" => ["limits", "requests"].iter().all(|list| {
            let (sizes, before) = (&spec["resources"][*list], &before["resources"][*list]);
            fields(sizes).iter().chain(&fields(before)).all(|name| has_same_size(&sizes[name], &before[name]))
        }),
        field => spec[field] == before[field],
    })
}

fn has_same_size(size: &Value, before: &Value) -> bool {
    match (parsed(size), parsed(before)) {
        (Some(size), Some(before)) => size.compare(&before).is_eq(),
        (size, before) => size.is_none() && before.is_none(),
    }
}

/// Checks that a claim does not request less than before, unless it still requests more than its current capacity: this
/// lets users take back an expansion that failed.
fn refuse_shrinking(new: &Value, old: &Value) -> Option<Cause> {
    let requested = |claim: &Value| parsed(&claim["spec"]["resources"]["requests"][STORAGE]);
    let is_less = |size: &Option<Quantity>, than: &Option<Quantity>| match (size, than) {
        (Some(size), Some(than)) => size.compare(than).is_lt(),
        (None, Some(than)) => !than.is_negative() && !than.is_zero(),
        (Some(size), None) => size.is_negative(),
        (None, None) => false,
    };
    let (size, capacity) = (requested(new), parsed(&old["status"]["capacity"][STORAGE]));
    let is_wrong = is_less(&size, &requested(old)) && !is_less(&capacity, &size);
    let why = "field can not be less than status.capacity";
    is_wrong.then(|| Cause::forbidden("spec.resources.requests.storage", why))
}

/// Checks that the attributes class is not removed once the volume has one.
fn attributes(new: &Value, old: &Value) -> Option<Cause> {
    let class = &new["spec"]["volumeAttributesClassName"];
    let has_class = !old["status"]["currentVolumeAttributesClassName"].is_null();
    let what = match class.as_str() {
        _ if !has_class || *class == old["spec"]["volumeAttributesClassName"] => return None,
        None => "nil",
        Some("") => "empty string",
        Some(_) => return None,
    };
    let why = format!("update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil");
    Some(Cause::forbidden("spec.volumeAttributesClassName", &why))
}

pub(super) fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    let status = &new["status"];
    let mut causes = Causes::new();
    for (name, size) in status["capacity"].as_object().into_iter().flatten() {
        causes.extend(not_below_zero(size, &format_args!("status.capacity[{name}]")));
    }
    let at = "status.allocatedResourceStatuses";
    for (name, word) in pairs(status, "allocatedResourceStatuses") {
        causes.extend(resource(name, &at));
        if !STATUSES.contains(&word) {
            causes.extend(one_of(name, &STATUSES, &at)); // upstream shows the resource's name, not its status
        }
    }
    let at = "status.allocatedResources";
    for (name, size) in status["allocatedResources"].as_object().into_iter().flatten() {
        let path = format_args!("{at}[{name}]");
        let wrong = resource(name, &at);
        match not_below_zero(size, &path) {
            _ if !wrong.is_empty() => causes.extend(wrong),
            Some(cause) => causes.push(cause),
            None => causes.extend(amount(STORAGE, size, &path)),
        }
    }
    causes
}

/// Upstream: `validatePersistentVolumeClaimResourceKey`.
fn resource(name: &str, at: At<'_>) -> Causes {
    let mut causes = invalid(at, name, names::label_key(name));
    if causes.is_empty() && is_native(name) {
        causes.extend(one_of(name, &[STORAGE], at));
    }
    causes
}
