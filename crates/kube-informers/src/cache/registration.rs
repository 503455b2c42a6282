//! Registration: a handler's place in an informer, as its owner holds it. Upstream: `ResourceEventHandlerRegistration` in
//! `tools/cache/shared_informer.go`.

use std::fmt;

use super::done::Done;
use super::listener::ProcessorListener;

/// A handler's place in a processor or an informer, as its owner holds it. Dropping it removes nothing.
pub struct Registration<T>(pub(super) ProcessorListener<T>);

impl<T> Registration<T> {
    /// Has the handler returned from every add of the initial list?
    pub fn has_synced(&self) -> bool {
        self.0.synced().is_done()
    }

    /// Fires when [`Registration::has_synced`] becomes true; never, if the handler is removed, panics, or the informer stops,
    /// before.
    pub fn synced(&self) -> Done {
        self.0.synced()
    }

    /// Fires when nobody will call the handler any more.
    pub fn ended(&self) -> Done {
        self.0.ended()
    }

    /// How many notifications the handler has not been given yet. A gauge: it may be another number a moment later.
    pub fn pending(&self) -> usize {
        self.0.pending()
    }

    /// The handler's buffer.
    pub fn listener(&self) -> &ProcessorListener<T> {
        &self.0
    }
}

impl<T> Clone for Registration<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Registration<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registration").field(&self.0).finish()
    }
}
