//! The filter of a list or a watch: a namespace and the two selectors. The store checks it against each object's key
//! and summary, without decoding the object.

use super::object::{Key, Object};
use kube_informers::selector::LabelSelector;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::field_selector::Fields;

/// A namespace (`None` for all namespaces), a label selector and a field selector.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) namespace: Option<String>,
    pub(crate) labels: LabelSelector,
    pub(crate) fields: Fields,
    /// True if a MODIFIED event must also hold the state before the change. The reader then matches the field selector
    /// itself, after it has converted both states to another version.
    pub(crate) needs_previous: bool,
}

impl Filter {
    pub(crate) fn of_object(key: &Key) -> Self {
        let namespace = key.namespace().map(ToOwned::to_owned);
        Self { namespace, fields: Fields::named(key.name()), ..Self::default() }
    }

    pub(crate) fn matches(&self, object: &Object) -> bool {
        self.namespace.as_deref().is_none_or(|namespace| object.key.namespace() == Some(namespace))
            && self.labels.matches_values(|key| object.summary.label(key))
            && self.fields.matches(object)
    }

    /// Returns the least key that can match, and the prefix of all keys that can match.
    pub(crate) fn range(&self) -> (Key, String) {
        let prefix = self.namespace.as_ref().map(|namespace| format!("{namespace}/")).unwrap_or_default();
        (Key::from_start(prefix.clone()), prefix)
    }

    /// Returns the key of the only object that can match, if the filter names one.
    pub(crate) fn only(&self, resource: &Resource) -> Option<Key> {
        let is_unique = self.namespace.is_some() || !resource.is_namespaced();
        self.fields.name().filter(|_| is_unique).map(|name| Key::new(self.namespace.as_deref(), name))
    }

    /// Returns true if a selector may exclude objects.
    pub(crate) fn selects(&self) -> bool {
        !self.labels.is_everything() || !self.fields.is_empty()
    }
}
