//! Counts the objects that keep a namespace from being deleted, and makes the namespace's conditions from the counts,
//! so users can see why a namespace stays in `Terminating`. Upstream: `status_condition_utils.go` of
//! `pkg/controller/namespace/deletion`.

use std::collections::BTreeMap;

use crate::http::status::ApiError;
use crate::store::object::Object;
use kube_machinery::value::{Value, json};

/// The objects that remain after their deletion was requested.
#[derive(Debug, Default)]
pub(super) struct Remaining {
    /// The number of objects of each kind, by plural and group.
    kinds: BTreeMap<String, usize>,
    /// The number of objects that each finalizer holds.
    finalizers: BTreeMap<String, usize>,
    /// The messages of failed deletions.
    failures: Vec<String>,
}

impl Remaining {
    pub(super) fn add(&mut self, object: &Object) {
        let kind = format!("{}.{}", object.resource.plural(), object.resource.group());
        *self.kinds.entry(kind).or_default() += 1;
        for finalizer in object.summary.finalizers() {
            *self.finalizers.entry(finalizer.to_owned()).or_default() += 1;
        }
    }

    /// Returns true if no object remains. Objects that could not be deleted are not counted.
    pub(super) fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    pub(super) fn add_failure(&mut self, error: &ApiError) {
        self.failures.push(error.message().to_owned());
    }

    /// Returns the conditions of the namespace. The first two never report a problem, because the server knows its own
    /// kinds.
    pub(super) fn conditions(&self) -> [Value; 5] {
        let counted = |counts: &BTreeMap<String, usize>, of: &str| -> Vec<String> {
            counts.iter().map(|(name, count)| format!("{name} {of} {count} resource instances")).collect()
        };
        let mut failures = self.failures.clone();
        failures.sort_unstable();
        let failed = format!("Failed to delete all resource types, {} remaining: ", failures.len());
        [
            condition(
                "NamespaceDeletionDiscoveryFailure",
                ("ResourcesDiscovered", "All resources successfully discovered"),
                None,
            ),
            condition(
                "NamespaceDeletionGroupVersionParsingFailure",
                ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
                None,
            ),
            condition(
                "NamespaceDeletionContentFailure",
                ("ContentDeleted", "All content successfully deleted, may be waiting on finalization"),
                reason_and_message("ContentDeletionFailed", &failed, &failures),
            ),
            condition(
                "NamespaceContentRemaining",
                ("ContentRemoved", "All content successfully removed"),
                reason_and_message(
                    "SomeResourcesRemain",
                    "Some resources are remaining: ",
                    &counted(&self.kinds, "has"),
                ),
            ),
            condition(
                "NamespaceFinalizersRemaining",
                ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
                reason_and_message(
                    "SomeFinalizersRemain",
                    "Some content in the namespace has finalizers remaining: ",
                    &counted(&self.finalizers, "in"),
                ),
            ),
        ]
    }
}

/// Returns the reason and the message of a condition that lists `parts`, or `None` if there is nothing to list.
fn reason_and_message(reason: &'static str, begin: &str, parts: &[String]) -> Option<(&'static str, String)> {
    (!parts.is_empty()).then(|| (reason, format!("{begin}{}", parts.join(", "))))
}

/// Returns a condition of the type `of`. If `wrong` has a reason and a message, the condition is true with these.
/// Otherwise it is false with `reason` and `message`.
fn condition(of: &str, (reason, message): (&str, &str), wrong: Option<(&str, String)>) -> Value {
    match wrong {
        Some((reason, message)) => json!({"type": of, "status": "True", "reason": reason, "message": message}),
        None => json!({"type": of, "status": "False", "reason": reason, "message": message}),
    }
}
