//! Validation of the annotations that Kubernetes itself reads from pods: the mark of mirror pods, tolerations of old
//! clients, the deletion cost, and AppArmor profiles. Upstream: `ValidatePodSpecificAnnotations` and
//! `ValidatePodSpecificAnnotationUpdates` in `pkg/apis/core/validation/validation.go`.

use super::profiles::{self, APP_ARMOR_OF_CONTAINER};
use super::tolerations::tolerations;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, pairs, text};
use crate::kinds::{embedded, names};
use crate::value::{Array, Value};

/// The annotation of a mirror pod, which shows a static pod: a pod that the kubelet runs without the API server.
pub(super) const MIRROR: &str = "kubernetes.io/config.mirror";
/// The alpha annotation that held tolerations as JSON before there was a field.
const TOLERATIONS: &str = "scheduler.alpha.kubernetes.io/tolerations";
/// The annotation by which a ReplicaSet chooses the pods to delete first: those with the lowest cost.
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// Validates the keys of all annotations. The rules are those of label keys, but the domain prefix may have upper case
/// too. Upstream: `ValidateAnnotations`.
pub(super) fn keys(metadata: &Value, at: At<'_>) -> Causes {
    let keys = pairs(metadata, "annotations").map(|(key, _)| key);
    keys.flat_map(|key| invalid(at, key, names::label_key(&key.to_lowercase()))).collect()
}

/// `at` is the path of the annotations.
pub(super) fn validate(metadata: &Value, spec: &Value, at: At<'_>) -> Causes {
    let annotation = |key: &str| metadata["annotations"][key].as_str();
    let mut causes = Causes::new();
    if let Some(mirror) = annotation(MIRROR).filter(|_| text(spec, "nodeName").is_empty()) {
        let why = "must set spec.nodeName if mirror pod annotation is set";
        causes.push(Cause::invalid(format_args!("{at}[{MIRROR}]"), mirror, why));
    }
    if let Some(list) = annotation(TOLERATIONS).filter(|list| !list.is_empty()) {
        match embedded::read(list, "[]core.Toleration", Value::is_array) {
            Ok(list) => {
                let list = list.as_array().map_or(&[][..], Array::as_slice);
                causes.extend(tolerations(list, &format_args!("{at}.{TOLERATIONS}")));
            }
            Err(why) => causes.push(Cause::invalid(at, TOLERATIONS, &why)),
        }
    }
    if let Some(cost) = annotation(DELETION_COST).filter(|cost| !is_cost(cost)) {
        causes.push(Cause::invalid(format_args!("{at}[{DELETION_COST}]"), cost, "must be a 32bit integer"));
    }
    causes.extend(profiles::annotations(metadata, spec, at));
    causes
}

/// Returns true if the deletion cost is a 32-bit integer; a positive one has no leading `+` or zero. Upstream:
/// `GetDeletionCostFromPodAnnotations`.
fn is_cost(cost: &str) -> bool {
    let begins = cost == "0" || cost.starts_with('-') || cost.starts_with(|c: char| ('1'..='9').contains(&c));
    begins && cost.parse::<i32>().is_ok()
}

/// Validates an update of annotations: those of mirror pods and of AppArmor are immutable. All annotations are
/// validated once more, as upstream does.
pub(super) fn validate_update(new: &Value, old: &Value, spec: &Value) -> Causes {
    const AT: &str = "metadata.annotations";
    let mut causes = Causes::new();
    let mut refuse = |key: &str, verb: &str| {
        let what = match key {
            MIRROR => "mirror pod annotation",
            key if key.starts_with(APP_ARMOR_OF_CONTAINER) => "AppArmor annotations",
            _ => return,
        };
        causes.push(Cause::forbidden(format_args!("{AT}[{key}]"), &format!("may not {verb} {what}")));
    };
    for (key, value) in pairs(old, "annotations") {
        if new["annotations"][key].as_str() != Some(value) {
            refuse(key, "remove or update");
        }
    }
    for (key, _) in pairs(new, "annotations").filter(|(key, _)| old["annotations"].get(key).is_none()) {
        refuse(key, "add");
    }
    causes.extend(validate(new, spec, &AT));
    causes
}
