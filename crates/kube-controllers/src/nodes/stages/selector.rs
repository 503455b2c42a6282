//! Selects the pods that a lifecycle (a list of stages for some pods) applies to: by labels, annotations, fields or
//! image.

use kube_machinery::kinds::PODS;
use kube_machinery::kinds::field_selector::{Fields, ObjectContent};
use kube_machinery::value::{Array, Value};
use kube_selectors::LabelSelector;

/// The conditions on a pod. A pod must match all that are given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PodSelector {
    pub(super) labels: LabelSelector,
    /// In the syntax of label selectors, because Kubernetes has no annotation selectors.
    pub(super) annotations: LabelSelector,
    pub(super) fields: Fields,
    /// The image of one of the containers. Without a tag, any tag matches.
    pub(super) image: Option<String>,
}

impl PodSelector {
    /// Returns true if this selector selects pods by a label with this value. The other labels are those of a pod.
    pub(super) fn selects_by_label(&self, label: &str, value: &str, pod: &Value) -> bool {
        let others = |key: &str| pod["metadata"]["labels"].get(key)?.as_str();
        let with = |key: &str| if key == label { Some(value) } else { others(key) };
        let without = |key: &str| others(key).filter(|_| key != label);
        self.labels.matches_values(with) && !self.labels.matches_values(without)
    }

    pub(crate) fn matches(&self, pod: &Value) -> bool {
        let values = |field: &'static str| move |key: &str| pod["metadata"][field].get(key)?.as_str();
        self.labels.matches_values(values("labels"))
            && self.annotations.matches_values(values("annotations"))
            && (self.fields.is_empty() || self.fields.matches(&ObjectContent { resource: PODS, value: pod }))
            && self.image.as_deref().is_none_or(|image| has_image(pod, image))
    }
}

fn has_image(pod: &Value, wanted: &str) -> bool {
    let containers = pod["spec"]["containers"].as_array().map_or(&[][..], Array::as_slice);
    containers.iter().filter_map(|container| container["image"].as_str()).any(|image| {
        let rest = image.strip_prefix(wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '@']))
    })
}
