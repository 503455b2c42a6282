//! What a list or a watch is to see.

use super::field_selector::FieldSelector;
use super::label_selector::LabelSelector;
use super::object::Object;

/// A namespace (or all) and the two selectors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) namespace: Option<String>,
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
}

impl Filter {
    pub(crate) fn matches(&self, object: &Object) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| object.key.namespace() == Some(namespace))
            && (self.labels.is_empty() || self.labels.matches(object.value["metadata"]["labels"].as_object()))
            && self.fields.matches(object)
    }

    /// Whether a selector may leave objects out.
    pub(crate) fn selects(&self) -> bool {
        !self.labels.is_empty() || !self.fields.is_empty()
    }
}
