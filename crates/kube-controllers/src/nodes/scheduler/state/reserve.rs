//! Reserves the volumes of pods that have a node and are not bound to it yet, and follows the objects of storage.
//! Upstream: `Reserve` and `Unreserve`.

use std::sync::Arc;

use kube_client::api::DynamicObject;

use super::State;
use crate::nodes::scheduler::queue::Pending;
use crate::nodes::scheduler::storage::{Hints, StorageKind};
use crate::nodes::scheduler::volume_binding::PodVolumes;

impl State {
    pub(super) fn reserve(&mut self, pending: &Pending, volumes: &Arc<PodVolumes>, node: &str) {
        let storage = &mut self.cache.storage;
        if let Some(before) = self.reserved.insert(pending.info.uid.clone(), volumes.clone()) {
            storage.revert(&before);
        }
        storage.assume(volumes, node);
    }

    /// Gives the volumes back that were reserved for a pod, and tries the waiting pods that may get them.
    pub(super) fn unreserve(&mut self, uid: &str) {
        if let Some(volumes) = self.reserved.remove(uid) {
            self.cache.storage.revert(&volumes);
            let placed = self.retry(|_, pending| !pending.info.volumes.is_empty());
            self.retry_dependents(placed);
        }
    }

    /// Adds, changes or removes an object of storage, and notes which waiting pods that concerns.
    pub(in crate::nodes::scheduler) fn set_storage<T: StorageKind>(
        &mut self,
        key: &str,
        object: Option<&DynamicObject>,
        hints: &mut Hints,
    ) {
        let cache = T::cache(&mut self.cache.storage);
        let is_changed = match object {
            Some(object) => {
                let version = object.metadata.resource_version.as_deref().unwrap_or_default();
                cache.set(key, version.into(), T::of(object))
            }
            None => cache.remove(key),
        };
        if is_changed {
            T::hint(key, cache.get(key).map(|object| &**object), hints);
        }
    }

    /// Tries the waiting pods again that changes of storage concern.
    pub(in crate::nodes::scheduler) fn retry_concerned(&mut self, hints: &Hints) {
        if !hints.is_empty() {
            let placed = self.retry(|state, pending| hints.concern(&pending.info, &state.cache.storage));
            self.retry_dependents(placed);
        }
    }
}
