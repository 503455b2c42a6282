//! The labels of the namespaces, by which terms of affinity select namespaces. Upstream: `NamespaceLister`.

use foldhash::HashMap;
use kube_machinery::value::{SmolStr, Value};
use kube_selectors::LabelSelector;

#[derive(Debug, Default)]
pub(super) struct Namespaces(HashMap<SmolStr, Value>);

impl Namespaces {
    /// Sets the labels of a namespace, or removes it. Returns true if that changes anything.
    pub(super) fn set(&mut self, name: &str, labels: Option<Value>) -> bool {
        match labels {
            Some(labels) => self.0.insert(name.into(), labels.clone()) != Some(labels),
            None => self.0.remove(name).is_some(),
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(SmolStr::as_str)
    }

    /// Returns true if the selector matches the labels of the namespace. An unknown namespace counts as one without
    /// labels.
    pub(super) fn selects(&self, selector: &LabelSelector, name: &str) -> bool {
        let labels = self.0.get(name).unwrap_or(&Value::Null);
        selector.matches_values(|key| labels[key].as_str())
    }
}
