//! Filtering handler: one that is told only of the objects it wants. Upstream: `FilteringResourceEventHandler` in
//! `tools/cache/controller.go`.

use std::sync::Arc;

use super::delta::{Deletion, InitialList};
use super::handler::EventHandler;

/// Tells `handler` of the objects that `accept` says yes to, as if there were no others: an object that begins to be wanted
/// is added (never as part of the initial list), one that no longer is wanted is deleted with its old state.
///
/// A tombstone is judged by its last known state, and passed on if it has none.
///
/// ```
/// use kube_informers::cache::{EventHandler, FilteringHandler, HandlerFuncs, InitialList};
/// use std::sync::Arc;
///
/// let even = HandlerFuncs::new()
///     .add_func(|number: Arc<i32>, _| assert_eq!(*number, 2))
///     .delete_func(|deletion| assert_eq!(**deletion.object().unwrap(), 2));
/// let mut handler = FilteringHandler::new(|number: &i32| number % 2 == 0, even);
/// handler.on_add(1.into(), InitialList::No);
/// handler.on_update(1.into(), 2.into()); // begins to be wanted: an addition
/// handler.on_update(2.into(), 3.into()); // no longer is wanted: a deletion
/// ```
pub struct FilteringHandler<A, H> {
    accept: A,
    handler: H,
}

impl<A, H> FilteringHandler<A, H> {
    /// `handler`, told only of what `accept` says yes to.
    pub fn new(accept: A, handler: H) -> Self {
        Self { accept, handler }
    }
}

impl<T, A: FnMut(&T) -> bool, H: EventHandler<T>> EventHandler<T> for FilteringHandler<A, H> {
    fn on_add(&mut self, object: Arc<T>, initial: InitialList) {
        if (self.accept)(&object) {
            self.handler.on_add(object, initial);
        }
    }

    fn on_update(&mut self, old: Arc<T>, new: Arc<T>) {
        match ((self.accept)(&old), (self.accept)(&new)) {
            (true, true) => self.handler.on_update(old, new),
            (false, true) => self.handler.on_add(new, InitialList::No),
            (true, false) => self.handler.on_delete(Deletion::Final(old)),
            (false, false) => {}
        }
    }

    fn on_delete(&mut self, deletion: Deletion<T>) {
        if deletion.object().is_none_or(|object| (self.accept)(object)) {
            self.handler.on_delete(deletion);
        }
    }
}
