//! Reserves unique values for objects before they are written, such as the cluster IPs and node ports of Services, so
//! that two requests at the same time cannot get the same value. If the write fails, the values are given back.
//! Upstream: the transactions of `pkg/registry/core/service/storage/transaction.go`, begun by `BeginCreate` and
//! `BeginUpdate`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::StoreError;
use super::object::Key;
use kube_machinery::kinds::{Allocator, GroupResource, RESOURCES, Resource};
use kube_machinery::value::Value;

type Shared = Arc<Mutex<Box<dyn Allocator>>>;

/// The allocators, for the kinds that have one. Each has its own lock, held only briefly: objects are encoded without
/// it, and without the store's lock.
#[derive(Clone, Debug)]
pub(super) struct Allocators(BTreeMap<GroupResource, Shared>);

impl Allocators {
    pub(super) fn new() -> Self {
        let allocator = |resource: &'static Resource| {
            Some((resource.group_resource(), Arc::new(Mutex::new(resource.allocator?()))))
        };
        Self(RESOURCES.iter().filter_map(allocator).collect())
    }

    /// Reserves the unique values of an object, and fills in those that it leaves open. Fails with `NotAllocated` if a
    /// value that the object asks for is not available.
    pub(super) fn reserve(
        &self,
        resource: &Resource,
        key: &Key,
        new: &mut Value,
        old: Option<&Value>,
    ) -> Result<ReservedValues, StoreError> {
        let Some(allocator) = self.0.get(&resource.group_resource()) else { return Ok(ReservedValues(None)) };
        let number = lock(allocator).reserve(key.as_str(), new, old);
        let refused =
            |causes| StoreError::NotAllocated { resource: resource.clone(), name: key.name().to_owned(), causes };
        Ok(ReservedValues(Some((allocator.clone(), number.map_err(refused)?))))
    }

    /// Records in the kind's allocator which values an object has after a write; `None` after a removal.
    pub(super) fn record(&self, resource: &Resource, key: &Key, state: Option<&Value>) {
        if let Some(allocator) = self.0.get(&resource.group_resource()) {
            lock(allocator).record(key.as_str(), state);
        }
    }
}

fn lock(allocator: &Mutex<Box<dyn Allocator>>) -> MutexGuard<'_, Box<dyn Allocator>> {
    allocator.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The values reserved for an object that is not written yet. Dropping this gives them back. Holds the allocator, and
/// the number that it gave to the reservation; `None` if the kind has no allocator, or after [`keep`](Self::keep).
#[derive(Debug)]
#[must_use = "dropping reserved values gives them back at once"]
pub(super) struct ReservedValues(Option<(Shared, u64)>);

impl ReservedValues {
    /// Gives the values to the object for good, because the object is written.
    pub(super) fn keep(mut self) {
        if let Some((allocator, number)) = self.0.take() {
            lock(&allocator).commit(number);
        }
    }
}

impl Drop for ReservedValues {
    fn drop(&mut self) {
        if let Some((allocator, number)) = self.0.take() {
            lock(&allocator).roll_back(number);
        }
    }
}
