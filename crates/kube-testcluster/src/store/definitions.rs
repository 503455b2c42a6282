//! Applies a CustomResourceDefinition to the store, after it was created, changed or removed: the kinds that are served
//! (the catalog), and the form of their stored objects (version, defaults, pruned fields).

use std::sync::{Arc, PoisonError};

use futures::future::BoxFuture;

use super::object::Key;
use super::watch_cache::WatchCache;
use super::{Store, StoreState};
use kube_machinery::kinds::custom_resource::Definition;

/// A function that applies the definition with this name, or, for `None`, all definitions that have changed. The
/// builder sets it in the store, so that the request handlers need not know the controllers.
pub(crate) type RefreshDefinitions = for<'s> fn(&'s Store, Option<&'s str>) -> BoxFuture<'s, ()>;

impl Store {
    /// Brings the served kinds to the state that a write to definitions asks for. A request waits for this before it is
    /// answered, so its client can use the new kind at once.
    pub(crate) async fn refresh_definitions(&self, name: Option<&str>) {
        if let Some(refresh) = self.definition_controller.get() {
            refresh(self, name).await;
        }
    }

    /// Updates the catalog to the definition with this name as it is stored now: its kind is served in another form,
    /// for the first time, or no longer.
    pub(crate) fn redefine(&self, name: &str) {
        let mut state = self.lock();
        let crd = state.storage.get(Definition::row(), &Key::new(None, name));
        let catalog = self.catalog();
        if catalog.revision(name) == crd.as_ref().map(|crd| crd.revision) {
            return; // already applied, or there is no definition
        }
        let before = catalog.definition(name);
        let definition =
            crd.as_ref().and_then(|crd| crd.open().ok()).and_then(|crd| Definition::of(&crd.value, before));
        match (before, &definition) {
            (None, None) => {}
            (Some(before), Some(definition)) if before.has_form_of(definition) => {}
            (_, Some(definition)) => self.convert_stored(&mut state, definition),
            (Some(before), None) => state.drop_cache(&before.stored),
        }
        let next = match &crd {
            Some(crd) => catalog.with(name, crd.revision, definition.clone()),
            None => catalog.without(name),
        };
        *self.catalog.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        if let Some((_, group)) = name.split_once('.') {
            self.documents.forget(group);
        }
        self.moved.send_replace(());
        if let (Some(hook), (Some(row), None) | (None, Some(row))) = (&state.hook, (before, &definition)) {
            hook.after_definition(&row.stored, &state.storage);
        }
    }

    /// Converts the stored objects of a kind to the form that its definition asks for, and ends their watches.
    fn convert_stored(&self, state: &mut StoreState, definition: &Definition) {
        let resource = &definition.stored;
        state.storage.rewrite(resource, |object| object.in_form_of(definition).ok());
        let (revision, first_watcher) = (state.storage.revision(), state.first_watcher);
        let objects = state.storage.of_kind(resource).map(|object| (object.key.clone(), object.clone())).collect();
        let cache = state.caches.entry(resource.group_resource());
        let cache = cache.or_insert_with(|| WatchCache::new(resource, &self.settings, revision, first_watcher));
        cache.refill(resource, objects, revision);
    }
}
