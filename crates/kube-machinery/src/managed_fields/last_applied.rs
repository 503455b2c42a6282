//! The annotation of client-side `kubectl apply`, which holds the configuration that it has applied. Upstream:
//! `lastAppliedManager` and `lastAppliedUpdater`.

use super::FieldManager;
use super::fieldpath::Set;
use super::typed::Duplicates;
use crate::value::{Map, Value, json};

/// The annotation with the configuration that client-side `kubectl apply` has applied. Upstream:
/// `LastAppliedConfigAnnotation`.
pub(super) const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The largest total size of an object's annotations, in bytes.
const LARGEST_ANNOTATIONS: usize = 256 << 10;

impl FieldManager<'_> {
    /// Returns the fields that client-side `kubectl apply` has written and that are unchanged since. Upstream:
    /// `allowedConflictsFromLastApplied`.
    pub(super) fn last_applied(&self, live: &Value) -> Option<Set> {
        let text = live["metadata"]["annotations"][LAST_APPLIED].as_str().filter(|text| !text.is_empty())?;
        let applied: Value = serde_json::from_str(text).ok()?;
        if applied["apiVersion"].as_str() != Some(&*self.api_version) {
            return None;
        }
        let live = self.typed(live, Duplicates::Refused).ok()?;
        let applied = self.typed(&applied, Duplicates::Refused).ok()?;
        let compared = applied.compare(&live).ok()?;
        let owned = applied.to_field_set().ok()?;
        Some(owned.difference(&compared.modified).difference(&compared.added).difference(&compared.removed))
    }
}

/// Updates the annotation of client-side `kubectl apply`, if the object has it. Removes it if it makes the annotations
/// too large. Upstream: `lastAppliedUpdater`.
pub(super) fn keep_last_applied(object: &mut Value, config: &Value) {
    let Some(annotations) = object.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) else { return };
    if annotations.get(LAST_APPLIED).and_then(Value::as_str).is_none_or(str::is_empty) {
        return;
    }
    let mut config = config.clone();
    if let Some(applied) = config.pointer_mut("/metadata/annotations").and_then(Value::as_object_mut) {
        applied.remove(LAST_APPLIED);
    }
    annotations.insert(LAST_APPLIED.into(), json!(format!("{config}\n")));
    if size(annotations) > LARGEST_ANNOTATIONS {
        annotations.remove(LAST_APPLIED);
    }
}

fn size(annotations: &Map) -> usize {
    annotations.iter().map(|(name, value)| name.len() + value.as_str().unwrap_or_default().len()).sum()
}
