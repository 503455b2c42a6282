//! Reads the spec of a ReplicaSet in a way that compiles with every version of Kubernetes that k8s-openapi supports:
//! its field `spec` is a `ReplicaSetSpec` since 1.37, and an `Option<ReplicaSetSpec>` before. `Option::from` takes a
//! reference to either.

use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetCondition, ReplicaSetSpec};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use kube_selectors::{BadSelector, LabelSelector};

fn spec(set: &ReplicaSet) -> Option<&ReplicaSetSpec> {
    Option::from(&set.spec)
}

/// Returns the number of pods that the ReplicaSet asks for, 1 by default.
pub(super) fn wanted(set: &ReplicaSet) -> usize {
    let replicas = spec(set).and_then(|spec| spec.replicas);
    usize::try_from(replicas.unwrap_or(1)).unwrap_or_default()
}

/// Returns the selector, which matches nothing if there is no spec.
pub(super) fn selector(set: &ReplicaSet) -> Result<LabelSelector, BadSelector> {
    LabelSelector::try_from(spec(set).map(|spec| &spec.selector))
}

pub(super) fn template(set: &ReplicaSet) -> Option<&PodTemplateSpec> {
    spec(set).and_then(|spec| spec.template.as_ref())
}

/// Returns how long a pod must be ready before it is available, in seconds.
pub(super) fn min_ready_seconds(set: &ReplicaSet) -> u64 {
    let seconds = spec(set).and_then(|spec| spec.min_ready_seconds);
    seconds.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or_default()
}

/// Compares a condition's type, which is an `Option<String>` in Kubernetes 1.37 and a `String` in older versions.
pub(super) fn is_of_type(condition: &ReplicaSetCondition, wanted: &str) -> bool {
    Option::<&String>::from(&condition.type_).is_some_and(|type_| type_ == wanted)
}
