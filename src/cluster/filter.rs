//! What a list or a watch is to see.

use super::field_selector::Fields;
use super::object::Object;
use crate::selector::LabelSelector;

/// A namespace (or all) and the two selectors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) namespace: Option<String>,
    pub(crate) labels: LabelSelector,
    pub(crate) fields: Fields,
}

impl Filter {
    pub(crate) fn matches(&self, object: &Object) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| object.key.namespace() == Some(namespace))
            && self.labels.matches_values(|key| object.value["metadata"]["labels"].get(key)?.as_str())
            && self.fields.matches(object)
    }

    /// Whether a selector may leave objects out.
    pub(crate) fn selects(&self) -> bool {
        !self.labels.is_everything() || !self.fields.is_empty()
    }
}
