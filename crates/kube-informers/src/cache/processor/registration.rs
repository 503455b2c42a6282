//! Registration: the handle that an informer returns for an added handler. Upstream: `ResourceEventHandlerRegistration`
//! in `tools/cache/shared_informer.go`.

use std::fmt;
use std::sync::Weak;

use super::Listeners;
use super::listener::ProcessorListener;
use crate::cache::signal::Done;
use crate::lock::Mutex;

/// A handle to a handler of a processor or an informer (client-go's `ResourceEventHandlerRegistration`). It tells
/// whether the handler has synced, and identifies the handler for `remove_event_handler`. Dropping it does not remove
/// the handler.
pub struct Registration<T> {
    pub(super) listener: ProcessorListener<T>,
    /// The listeners of the processor that has the handler.
    pub(super) listeners: Weak<Mutex<Listeners<T>>>,
}

impl<T> Registration<T> {
    /// Returns true once the handler has returned from every add of the initial list (client-go's `HasSynced`).
    pub fn has_synced(&self) -> bool {
        self.listener.synced().is_done()
    }

    /// Returns a signal that fires when [`Registration::has_synced`] becomes true. It ends as
    /// [`Never`](crate::cache::Never) if the handler is removed or panics, or the informer stops, before that.
    pub fn synced(&self) -> Done {
        self.listener.synced()
    }

    /// Returns a signal that fires when the handler will not be called any more.
    pub fn ended(&self) -> Done {
        self.listener.ended()
    }

    /// Returns the number of buffered notifications, which may change at any moment.
    pub fn pending(&self) -> usize {
        self.listener.pending()
    }

    /// Returns the handler's listener.
    pub fn listener(&self) -> &ProcessorListener<T> {
        &self.listener
    }
}

impl<T> Clone for Registration<T> {
    fn clone(&self) -> Self {
        Self { listener: self.listener.clone(), listeners: self.listeners.clone() }
    }
}

impl<T> fmt::Debug for Registration<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").field("listener", &self.listener).finish_non_exhaustive()
    }
}
