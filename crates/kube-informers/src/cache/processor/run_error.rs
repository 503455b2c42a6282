//! RunError: the error of a run. A handler's panic becomes such an error, because a panic in the handler's own task
//! would go unnoticed.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

use tokio_util::sync::CancellationToken;
use tracing::error;

use crate::cache::signal::{Done, DoneSender};
use crate::lock::{Mutex, lock};

/// The reason why a run of an informer or a processor failed or ended before its `stop`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The informer was run before, or its factory was shut down. An informer runs only once; make a new one.
    #[error("the informer was run before, or its factory was shut down, and an informer runs once")]
    AlreadyRan,
    /// A handler panicked. The other handlers have handled their buffers, or were aborted at the limit of their time.
    #[error("a handler panicked: {}", .0.message())]
    HandlerPanicked(Panic),
    /// Other user code panicked: a transformer, an index function or an observer. Only a factory returns this error;
    /// the run of a single informer propagates the panic.
    #[error("the informer panicked: {}", .0.message())]
    Panicked(Panic),
}

/// A caught panic.
pub struct Panic {
    message: String,
    /// In a mutex only because errors must be `Sync` and a panic's payload is not.
    payload: Mutex<Box<dyn Any + Send>>,
}

impl Panic {
    /// Makes a panic from the payload that `catch_unwind` returned.
    pub(crate) fn new(payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self { message: message.unwrap_or_else(|| "(no text)".to_owned()), payload: Mutex::new(payload) }
    }

    /// Returns the panic's message, or `(no text)` if it was not a string.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the panic's payload, for [`std::panic::resume_unwind`].
    pub fn into_payload(self) -> Box<dyn Any + Send> {
        self.payload.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl fmt::Debug for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Panic").field("message", &self.message).finish_non_exhaustive()
    }
}

/// The first panic of a processor's handlers. It ends the run.
#[derive(Debug, Default)]
pub(crate) struct FirstPanic {
    panic: Mutex<Option<Panic>>,
    happened: DoneSender,
    /// The token that the panic cancels, which ends the run of the processor or its informer.
    run: OnceLock<CancellationToken>,
}

impl FirstPanic {
    /// Logs and keeps the panic, and ends the run. The log comes first, because the run returns the panic only when the
    /// other handlers have ended.
    pub fn record(&self, payload: Box<dyn Any + Send>) {
        let panic = Panic::new(payload);
        error!("a handler panicked, which ends the run: {}", panic.message());
        lock(&self.panic).get_or_insert(panic);
        self.happened.fire();
        self.run.get().inspect(|run| run.cancel());
    }

    /// Sets the token that a panic cancels. Called once, before a handler runs.
    pub fn cancels(&self, run: CancellationToken) {
        self.run.get_or_init(|| run);
    }

    /// Returns a signal that fires at the first panic.
    pub fn happened(&self) -> Done {
        self.happened.done()
    }

    pub fn take(&self) -> Option<Panic> {
        lock(&self.panic).take()
    }
}
