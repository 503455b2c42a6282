//! Registration: a handler's place in an informer, as its owner holds it. Upstream: `ResourceEventHandlerRegistration` in
//! `tools/cache/shared_informer.go`.

use std::fmt;
use std::sync::Weak;

use super::Listeners;
use super::listener::ProcessorListener;
use crate::cache::done::Done;
use crate::lock::Mutex;

/// A handler's place in a processor or an informer, as its owner holds it. Dropping it removes nothing.
pub struct Registration<T> {
    pub(super) listener: ProcessorListener<T>,
    /// Whose handler it is.
    pub(super) of: Weak<Mutex<Listeners<T>>>,
}

impl<T> Registration<T> {
    /// Has the handler returned from every add of the initial list?
    pub fn has_synced(&self) -> bool {
        self.listener.synced().is_done()
    }

    /// Fires when [`Registration::has_synced`] becomes true; never, if the handler is removed, panics, or the informer stops,
    /// before.
    pub fn synced(&self) -> Done {
        self.listener.synced()
    }

    /// Fires when nobody will call the handler any more.
    pub fn ended(&self) -> Done {
        self.listener.ended()
    }

    /// How many notifications the handler has not been given yet. A gauge: it may be another number a moment later.
    pub fn pending(&self) -> usize {
        self.listener.pending()
    }

    /// The handler's buffer.
    pub fn listener(&self) -> &ProcessorListener<T> {
        &self.listener
    }
}

impl<T> Clone for Registration<T> {
    fn clone(&self) -> Self {
        Self { listener: self.listener.clone(), of: self.of.clone() }
    }
}

impl<T> fmt::Debug for Registration<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").field("listener", &self.listener).finish_non_exhaustive()
    }
}
