//! FilteringHandler: passes only the changes of accepted objects to another handler, for a handler that cares about a
//! part of an informer's objects. Upstream: `FilteringResourceEventHandler` in `tools/cache/controller.go`.

use std::fmt;
use std::sync::Arc;

use super::handler::{AsyncEventHandler, EventHandler};
use super::notification::Notification;
use crate::cache::delta::{Deletion, InitialList};

/// A handler that passes on changes of the objects that `accept` accepts, as if no other objects existed (client-go's
/// `FilteringResourceEventHandler`).
///
/// If an update makes an object accepted, the handler gets an add, which never counts as a part of the initial list. If
/// an update makes it no longer accepted, the handler gets a deletion with the old state. A tombstone is filtered by
/// its last known state, and passed on if it has none.
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
/// handler.on_update(1.into(), 2.into()); // 2 is accepted: an add
/// handler.on_update(2.into(), 3.into()); // 3 is not: a deletion
/// ```
pub struct FilteringHandler<A, H> {
    accept: A,
    handler: H,
}

impl<A, H> FilteringHandler<A, H> {
    /// Makes a handler that passes the changes of accepted objects to `handler`.
    pub fn new(accept: A, handler: H) -> Self {
        Self { accept, handler }
    }
}

impl<T, A: FnMut(&T) -> bool, H: EventHandler<T>> EventHandler<T> for FilteringHandler<A, H> {
    fn on_add(&mut self, object: Arc<T>, initial: InitialList) {
        self.deliver_accepted(Notification::Add { object, initial });
    }

    fn on_update(&mut self, old: Arc<T>, new: Arc<T>) {
        self.deliver_accepted(Notification::Update { old, new });
    }

    fn on_delete(&mut self, deletion: Deletion<T>) {
        self.deliver_accepted(Notification::Delete(deletion));
    }
}

impl<A, H> FilteringHandler<A, H> {
    fn deliver_accepted<T>(&mut self, notification: Notification<T>)
    where
        A: FnMut(&T) -> bool,
        H: EventHandler<T>,
    {
        if let Some(notification) = notification.only(&mut self.accept) {
            notification.deliver(&mut self.handler);
        }
    }
}

impl<T, A, H> AsyncEventHandler<T> for FilteringHandler<A, H>
where
    T: Send + Sync,
    A: FnMut(&T) -> bool + Send + 'static,
    H: AsyncEventHandler<T>,
{
    async fn handle(&mut self, notification: Notification<T>) {
        if let Some(notification) = notification.only(&mut self.accept) {
            self.handler.handle(notification).await;
        }
    }
}

impl<A, H: fmt::Debug> fmt::Debug for FilteringHandler<A, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilteringHandler").field("handler", &self.handler).finish_non_exhaustive()
    }
}
