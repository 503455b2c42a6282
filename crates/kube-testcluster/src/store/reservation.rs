//! What objects take from the allocator of their kind before they are written. Upstream: the transactions of
//! `pkg/registry/core/service/storage/transaction.go`, begun by `BeginCreate` and `BeginUpdate`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::StoreError;
use super::object::Key;
use kube_machinery::kinds::{Allocator, GroupResource, RESOURCES, Resource};
use kube_machinery::value::Value;

/// An allocator with its lock.
type Shared = Arc<Mutex<Box<dyn Allocator>>>;

/// The allocators of the kinds that have one, by kind. They have locks of their own, which nobody holds for long: what is
/// taken is encoded without them and without the store's.
#[derive(Clone, Debug)]
pub(super) struct Allocators(BTreeMap<GroupResource, Shared>);

impl Allocators {
    pub(super) fn new() -> Self {
        let allocator = |resource: &'static Resource| {
            Some((resource.group_resource(), Arc::new(Mutex::new(resource.allocator?()))))
        };
        Self(RESOURCES.iter().filter_map(allocator).collect())
    }

    /// Fills in what no two objects of the kind may have, and takes it.
    ///
    /// # Errors
    /// `NotAllocated` for what the object asks for and cannot have.
    pub(super) fn reserve(
        &self,
        resource: &'static Resource,
        key: &Key,
        new: &mut Value,
        old: Option<&Value>,
    ) -> Result<Reservation, StoreError> {
        let Some(allocator) = self.0.get(&resource.group_resource()) else { return Ok(Reservation(None)) };
        let taken = lock(allocator).reserve(key.as_str(), new, old);
        let refused = |causes| StoreError::NotAllocated { resource, name: key.name().to_owned(), causes };
        Ok(Reservation(Some((allocator.clone(), taken.map_err(refused)?))))
    }

    /// Tells the allocator of the kind what an object has now.
    pub(super) fn record(&self, resource: &Resource, key: &Key, state: Option<&Value>) {
        if let Some(allocator) = self.0.get(&resource.group_resource()) {
            lock(allocator).record(key.as_str(), state);
        }
    }
}

fn lock(allocator: &Mutex<Box<dyn Allocator>>) -> MutexGuard<'_, Box<dyn Allocator>> {
    allocator.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What an object that is not written yet has taken. It is given back, unless the object is written.
#[derive(Debug)]
#[must_use = "what was taken is given back at once"]
pub(super) struct Reservation(Option<(Shared, u64)>);

impl Reservation {
    /// The object is written: what it has taken is its own.
    pub(super) fn keep(mut self) {
        if let Some((allocator, taken)) = self.0.take() {
            lock(&allocator).keep(taken);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some((allocator, taken)) = self.0.take() {
            lock(&allocator).give_back(taken);
        }
    }
}
