//! Reads the ReplicaSets of a Deployment: their sizes, the annotations that the controller writes into them, and their
//! templates, which tell the new ReplicaSet from the old ones. Upstream: `pkg/controller/deployment/util`.

use kube_client::api::DynamicObject;
use serde_json::Value;

use crate::shared::object::{annotation, number};

/// The label with the hash of the template, which keeps the pods of different ReplicaSets apart.
pub(super) const HASH: &str = "pod-template-hash";
/// The annotation with the revision: templates are numbered in the order in which the Deployment used them.
pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";
/// The annotation with the earlier revisions of a template that was used several times.
pub(super) const HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// The annotation with the Deployment's `replicas` when the ReplicaSet was last resized.
pub(super) const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
/// The annotation with the Deployment's `replicas + maxSurge` when the ReplicaSet was last resized.
pub(super) const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";

pub(super) fn wanted(set: &DynamicObject) -> i64 {
    set.data.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(1)
}

pub(super) fn existing(set: &DynamicObject) -> i64 {
    number(set, "/status/replicas")
}

pub(super) fn available(set: &DynamicObject) -> i64 {
    number(set, "/status/availableReplicas")
}

/// Returns the revision of a ReplicaSet, or 0 if it has no readable one.
pub(super) fn revision(set: &DynamicObject) -> i64 {
    annotation(set, REVISION).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// Returns the number in an annotation, if it is not negative. Upstream: `getNonNegativeInt32FromAnnotation`.
pub(super) fn count_annotation(set: &DynamicObject, key: &str) -> Option<i64> {
    let count: i64 = annotation(set, key)?.parse().ok()?;
    (0..=i64::from(i32::MAX)).contains(&count).then_some(count)
}

pub(super) fn sum<'a>(sets: impl IntoIterator<Item = &'a DynamicObject>, of: fn(&DynamicObject) -> i64) -> i64 {
    sets.into_iter().map(of).sum()
}

/// Returns true if two templates make the same pods. Ignores the hash label, and the difference between empty and
/// absent metadata. Upstream: `EqualIgnoreHash`.
pub(super) fn same_template(one: &Value, other: &Value) -> bool {
    let plain = |template: &Value| {
        let mut template = template.clone();
        if let Some(labels) = template.pointer_mut("/metadata/labels").and_then(Value::as_object_mut) {
            labels.remove(HASH);
        }
        drop_empty(&mut template);
        template
    };
    plain(one) == plain(other)
}

/// Removes nulls, empty lists and empty maps from the metadata of a template.
fn drop_empty(template: &mut Value) {
    let Some(metadata) = template.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    metadata.retain(|_, value| match value {
        Value::Null => false,
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => true,
    });
}
