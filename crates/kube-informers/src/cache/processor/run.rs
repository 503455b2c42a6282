//! The run of a processor: from the start of its handlers until each has finished.

use std::mem;
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use super::{Life, RunError, SharedProcessor, Work};
use crate::cache::key::Object;
use crate::lock::lock;

/// How long the other handlers may take to finish after one has panicked, if nothing else is said: a handler that never returns
/// must not hide the panic.
const DRAIN_AFTER_PANIC: Duration = Duration::from_secs(10);

impl<T: Object + Send + Sync + 'static> SharedProcessor<T> {
    /// Runs the listeners until `stop`, or until a handler panics; then lets each finish what is in its buffer, and waits for them:
    /// after a panic for ten seconds at most. If the future is dropped, the listeners end at once.
    ///
    /// # Errors
    /// It was run before. A handler panicked, also one that was removed meanwhile; the others have finished what is in their buffers,
    /// or were ended ten seconds later.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), RunError> {
        let stop = stop.child_token();
        let running = self.start(stop.clone())?;
        stop.cancelled().await;
        running.drain(None).await
    }

    /// Starts the listeners. A panic of a handler cancels `stop`.
    ///
    /// # Errors
    /// It was run before.
    pub(in crate::cache) fn start(&self, stop: CancellationToken) -> Result<Running<'_, T>, RunError> {
        let mut listeners = lock(&self.listeners);
        if listeners.life != Life::NotStarted {
            return Err(RunError::AlreadyRan);
        }
        self.panic.cancels(stop);
        listeners.life = Life::Running;
        for member in &mut listeners.members {
            member.work = mem::replace(&mut member.work, Work::Subscribed).start();
        }
        Ok(Running(self))
    }
}

/// Listeners that run. If it is dropped, they end at once.
pub(in crate::cache) struct Running<'a, T>(&'a SharedProcessor<T>);

impl<T> Running<'_, T> {
    /// Lets each handler finish what is in its buffer, and waits for them: for no longer than `limit`.
    ///
    /// # Errors
    /// A handler panicked, also one that was removed meanwhile.
    pub async fn drain(self, limit: Option<Duration>) -> Result<(), RunError> {
        let Self(SharedProcessor { panic, .. }) = &self;
        let too_long = async {
            match limit {
                Some(limit) => sleep(limit).await,
                None => {
                    _ = panic.happened().await; // it never gives up
                    sleep(DRAIN_AFTER_PANIC).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = all(self.0.stop()) => {}
            () = too_long => warn!("handlers took too long to finish and were ended; what they had not been told is lost"),
        }
        panic.take().map_or(Ok(()), |panic| Err(RunError::HandlerPanicked(panic)))
    }
}

impl<T> Drop for Running<'_, T> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

async fn all(tasks: Vec<AbortOnDropHandle<()>>) {
    for task in tasks {
        let _ = task.await; // a panic was caught inside
    }
}
