//! Applies a CustomResourceDefinition to the store, after it was created, changed or removed: the kinds that are served
//! (the catalog), and the form of their stored objects (version, defaults, pruned fields).

use std::sync::{Arc, PoisonError};

use super::object::Key;
use super::watch_cache::WatchCache;
use super::{Store, StoreState};
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::custom_resource::Definition;

impl Store {
    /// Serves the kinds of the definition with this name as it is stored now. Does nothing if there is no such
    /// definition.
    pub(crate) fn redefine(&self, name: &str) {
        let mut state = self.lock();
        let crd = state.storage.get(Definition::row(), &Key::new(None, name));
        let catalog = self.catalog();
        if catalog.revision(name) == crd.as_ref().map(|crd| crd.revision) {
            return; // already applied, or there is no definition
        }
        let definition = crd.as_ref().and_then(|crd| crd.open().ok()).and_then(|crd| Definition::of(&crd.value));
        let before = catalog.definition(name);
        match (before, definition) {
            (None, None) => {}
            (Some(before), Some(definition)) if before.has_form_of(definition) => {}
            (_, Some(definition)) | (Some(definition), None) => self.reform(&mut state, definition),
        }
        let next = match &crd {
            Some(crd) => catalog.with(name, crd.revision, definition),
            None => catalog.without(name),
        };
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        if let (Some(hook), (Some(row), None) | (None, Some(row))) = (&state.hook, (before, definition)) {
            hook.after_definition(row.stored, &state.storage);
        }
    }

    /// Converts the stored objects of a kind to the form that its definition asks for, and ends their watches.
    fn reform(&self, state: &mut StoreState, definition: &Definition) {
        let row = definition.stored;
        state.storage.rewrite(row, |object| object.in_form_of(definition).ok());
        let revision = state.storage.revision();
        let objects = state.storage.of_kind(row).map(|object| (object.key.clone(), object.clone())).collect();
        self.cache_or_new(state, row).refill(row, objects, revision);
        self.moved.send_replace(());
    }

    /// Returns the watch cache of a kind. Creates the cache if it is missing, as for a kind whose definition is gone.
    pub(super) fn cache_or_new<'s>(&self, state: &'s mut StoreState, row: &'static Resource) -> &'s mut WatchCache {
        let revision = state.storage.revision();
        let cache = state.caches.entry(row.group_resource());
        cache.or_insert_with(|| WatchCache::new(row, &self.settings, revision))
    }
}
