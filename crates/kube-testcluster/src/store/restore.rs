//! Starts a cluster with a data folder: takes over the objects that an earlier server has left in it, and then keeps
//! every further write there. `wal/` reads and writes the files; this file connects them with the store.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Store;
use super::object::{Key, Object};
use super::wal::{DataError, Folder, Restored, RestoredObject, Wal};
use super::watch_cache::Audience;
use kube_machinery::kinds::Dispatcher;
use kube_machinery::kinds::custom_resource::Definition;
use kube_machinery::kinds::{Catalog, Resource, Scope};
use kube_machinery::value::Value;

impl Store {
    /// Takes over the objects of an earlier server. The store must begin at that server's last revision
    /// (`Settings::first_revision`), because new writes continue its numbers.
    ///
    /// The history is lost, as after a compaction: a watch or a list at an earlier revision gets 410 Gone.
    /// Fails with `Foreign` if an object cannot be decoded, or if it has an unknown kind in a built-in group.
    pub(crate) fn restore(&self, restored: Restored) -> Result<(), DataError> {
        let (definitions, others): (Vec<_>, Vec<_>) = restored.objects.into_iter().partition(is_definition);
        let names: Vec<String> = definitions.iter().map(|definition| definition.key.clone()).collect();
        self.take_over(definitions)?;
        names.iter().for_each(|name| self.redefine(name)); // custom resources are read with their definitions
        self.take_over(others)
    }

    /// Stores restored objects at their old revisions. The controllers' hook gets each as a write.
    fn take_over(&self, objects: Vec<RestoredObject>) -> Result<(), DataError> {
        let catalog = self.catalog();
        let mut state = self.lock();
        let (mut writes, mut undefined) = (Vec::with_capacity(objects.len()), Undefined::new());
        for restored in objects {
            let (resource, value) = opened(&restored, &catalog, &mut undefined).ok_or_else(|| foreign(&restored))?;
            let key = Key::from_start(restored.key);
            self.allocators.record(&resource, &key, Some(&value));
            writes.push(Arc::new(state.storage.restore(Object::new(&resource, key, restored.revision, value))));
        }
        let revision = state.storage.revision();
        self.reparse_admission(&state.storage);
        self.renew_random(revision);
        let hook = state.hook.clone();
        for write in writes {
            state.expiry.note(&write);
            if let Some(hook) = &hook {
                hook.after_write(&write, &state.storage, &catalog);
            }
            if let Ok(cache) = state.cache(&write.object().resource) {
                cache.take(write.clone(), Audience::Everyone);
            }
        }
        for cache in state.caches.values_mut() {
            cache.reset(revision);
        }
        Ok(())
    }

    /// Keeps every write from now on in a folder. Called after the first objects are written, so that the first
    /// snapshot has them.
    pub(crate) fn keep_in(&self, folder: Folder) -> Result<(), DataError> {
        let state = self.lock();
        let wal = Wal::begin(folder, &state.storage)?;
        self.wal.get_or_init(|| wal);
        Ok(())
    }

    /// Waits while the log refuses writes. Returns at once if the cluster has no folder.
    pub(super) async fn until_writable(&self) {
        if let Some(wal) = self.wal.get() {
            wal.until_writable().await;
        }
    }

    #[cfg(test)]
    pub(super) async fn log_has_ended(&self) {
        if let Some(wal) = self.wal.get() {
            wal.ended().await;
        }
    }

    /// Waits until every write so far is on the disk. Returns at once if the cluster has no folder. The error is the
    /// reason why the folder cannot be written to now.
    pub(crate) async fn flushed(&self) -> Result<(), Arc<str>> {
        match self.wal.get() {
            None => Ok(()),
            Some(wal) => wal.flushed().await,
        }
    }
}

fn is_definition(restored: &RestoredObject) -> bool {
    (restored.group.as_str(), restored.plural.as_str()) == (Definition::row().group(), Definition::row().plural())
}

/// The makeshift kinds of the custom resources whose definition is gone, by group, plural and version.
type Undefined = BTreeMap<(String, String, String), Option<Resource>>;

/// Decodes a restored object and finds its kind. A custom resource whose definition is gone gets a makeshift kind, so
/// that it is kept. Returns `None` for an object that cannot be decoded, or of an unknown kind in a built-in group.
fn opened(restored: &RestoredObject, catalog: &Catalog, undefined: &mut Undefined) -> Option<(Resource, Value)> {
    let RestoredObject { group, plural, .. } = restored;
    let mut value: Value = serde_json::from_slice(&restored.json).ok()?;
    let fields = value.as_object_mut()?;
    let kind = fields.remove("kind").unwrap_or_default();
    let api_version = fields.remove("apiVersion").unwrap_or_default();
    let version = api_version.as_str().and_then(|text| text.rsplit('/').next()).unwrap_or_default();
    if let Some(resource) = catalog.row_of(group, plural, version) {
        // The schema of the definition may have changed since the object was written.
        return Some((resource.clone(), resource.coerce_and_default(value)));
    }
    if catalog.dispatcher_of(group) == Dispatcher::GoRestful {
        return None;
    }
    let scope = if restored.key.contains('/') { Scope::Namespaced } else { Scope::Cluster };
    let names = (group.clone(), plural.clone(), version.to_owned());
    let resource =
        undefined.entry(names).or_insert_with(|| Definition::undefined(group, plural, version, kind.as_str()?, scope));
    Some((resource.clone()?, value))
}

fn foreign(restored: &RestoredObject) -> DataError {
    DataError::Foreign { kind: format!("{}.{}", restored.plural, restored.group), key: restored.key.clone() }
}
