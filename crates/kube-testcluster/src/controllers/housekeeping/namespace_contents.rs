//! The number of objects in each namespace, for namespaces that are being deleted: they wait until they are empty.

use std::collections::BTreeMap;

use crate::store::event::Event;
use kube_machinery::kinds::{Catalog, GroupResource, PODS, Resource};

/// The number of objects of each kind in a namespace. No entry is 0.
#[derive(Debug, Default)]
pub(super) struct NamespaceContents(BTreeMap<String, BTreeMap<GroupResource, usize>>);

impl NamespaceContents {
    /// Counts an object that is new in a namespace, or gone from it.
    pub(super) fn count(&mut self, namespace: &str, event: &Event) {
        let kind = event.object().resource.group_resource();
        match (&event.previous, &event.current) {
            (None, Some(_)) => {
                *self.0.entry(namespace.to_owned()).or_default().entry(kind).or_default() += 1;
            }
            (Some(_), None) => {
                let Some(kinds) = self.0.get_mut(namespace) else { return };
                if let Some(count) = kinds.get_mut(&kind) {
                    *count -= 1;
                }
                kinds.retain(|_, count| *count > 0);
                if kinds.is_empty() {
                    self.0.remove(namespace);
                }
            }
            _ => {}
        }
    }

    /// Returns true if a namespace has no objects of a kind that is currently defined. Objects of an undefined kind do
    /// not keep a namespace, as upstream, which asks discovery for the kinds to look for.
    pub(super) fn is_empty(&self, namespace: &str, catalog: &Catalog) -> bool {
        let is_kept_for =
            |kind: &GroupResource| catalog.defined(kind.group(), kind.plural()).is_some_and(Resource::is_namespaced);
        self.0.get(namespace).is_none_or(|kinds| !kinds.keys().any(is_kept_for))
    }

    pub(super) fn has_pods(&self, namespace: &str) -> bool {
        self.0.get(namespace).is_some_and(|kinds| kinds.contains_key(&PODS.group_resource()))
    }
}
