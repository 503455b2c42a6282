//! How a run of an informer can fail.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;
use tracing::error;

use crate::cache::done::{Done, Firing};
use crate::lock::{Mutex, lock};

/// Why a run of an informer, or of a processor, ended other than by its `stop`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// It was run before, or its factory was shut down. An informer runs once: make another one.
    #[error("the informer was run before, or its factory was shut down, and an informer runs once")]
    AlreadyRan,
    /// A handler panicked. The other handlers have finished what was in their buffers, or were ended ten seconds later.
    #[error("a handler panicked: {}", .0.message())]
    HandlerPanicked(Panic),
    /// Something else that the informer was given panicked: a transformer, an index function, an observer. Only a factory says so; the
    /// run of a single informer panics with it.
    #[error("the informer panicked: {}", .0.message())]
    Panicked(Panic),
}

/// A panic that was caught.
pub struct Panic {
    message: String,
    /// Under a lock only because errors are shared between threads and a panic's payload cannot be.
    payload: Mutex<Box<dyn Any + Send>>,
}

impl Panic {
    pub(crate) fn new(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self { message: message.unwrap_or_else(|| "(no text)".to_owned()), payload: Mutex::new(payload) }
    }

    /// What the panic said, if that was a text.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What was panicked with, for [`std::panic::resume_unwind`].
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        self.payload.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Panic").field("message", &self.message).finish_non_exhaustive()
    }
}

/// The first panic among the handlers of one processor.
#[derive(Debug, Default)]
pub(crate) struct FirstPanic {
    panic: Mutex<Option<Panic>>,
    happened: Firing,
    /// What it ends: the run of the processor, or of its informer.
    run: OnceLock<CancellationToken>,
}

impl FirstPanic {
    /// Tells it at once: those who wait for the run learn it only when the other handlers have ended.
    pub fn note(&self, payload: Box<dyn Any + Send>) {
        let panic = Panic::new(payload);
        error!("a handler panicked, which ends the run: {}", panic.message());
        lock(&self.panic).get_or_insert(panic);
        self.happened.fire();
        self.run.get().inspect(|run| run.cancel());
    }

    /// From now on, a panic cancels this. Said once, before a handler runs.
    pub fn cancels(&self, run: CancellationToken) {
        self.run.get_or_init(|| run);
    }

    pub fn happened(&self) -> Done {
        self.happened.done()
    }

    pub fn take(&self) -> Option<Panic> {
        lock(&self.panic).take()
    }
}
