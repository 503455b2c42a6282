//! Runs a processor: starts its handlers, and at the end waits until each has handled its buffer, so that no
//! notification is lost by a stop.

use std::mem;
use std::time::Duration;

use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use tracing::warn;

use super::{HandlerTask, Lifecycle, RunError, SharedProcessor};
use crate::cache::key::Object;
use crate::lock::lock;

/// The default time for the other handlers to finish after one has panicked. It is limited because a handler that never
/// returns must not hide the panic.
const DRAIN_AFTER_PANIC: Duration = Duration::from_secs(10);

impl<T: Object + Send + Sync + 'static> SharedProcessor<T> {
    /// Runs the listeners until `stop` is cancelled or a handler panics. Then waits until each handler has handled its
    /// buffer, after a panic for at most ten seconds. If the future is dropped, the handlers are aborted.
    ///
    /// # Errors
    /// [`RunError::AlreadyRan`] if the processor was run before. [`RunError::HandlerPanicked`] if a handler panicked,
    /// even if it was removed meanwhile.
    pub async fn run(&self, stop: CancellationToken) -> Result<(), RunError> {
        let stop = stop.child_token();
        let running = self.start(stop.clone())?;
        stop.cancelled().await;
        running.drain(None).await
    }

    /// Starts the handlers. A panic of a handler cancels `stop`. Fails if the processor was run before.
    pub(in crate::cache) fn start(&self, stop: CancellationToken) -> Result<Running<'_, T>, RunError> {
        let mut listeners = lock(&self.listeners);
        if listeners.lifecycle != Lifecycle::NotStarted {
            return Err(RunError::AlreadyRan);
        }
        self.panic.cancels(stop);
        listeners.lifecycle = Lifecycle::Running;
        for member in listeners.members.values_mut() {
            member.task = mem::replace(&mut member.task, HandlerTask::None).start();
        }
        Ok(Running(self))
    }
}

/// A processor whose listeners run. Dropping it aborts the handlers.
pub(in crate::cache) struct Running<'a, T>(&'a SharedProcessor<T>);

impl<T> Running<'_, T> {
    /// Waits until each handler has handled its buffer, for at most `limit`. Without a limit, waits for at most ten
    /// seconds after a panic. Fails if a handler panicked, even if it was removed meanwhile.
    pub async fn drain(self, limit: Option<Duration>) -> Result<(), RunError> {
        let Self(SharedProcessor { panic, .. }) = &self;
        let too_long = async {
            match limit {
                Some(limit) => sleep(limit).await,
                None => {
                    _ = panic.happened().await; // cannot end as `Never`, because `panic` lives as long as `self`
                    sleep(DRAIN_AFTER_PANIC).await;
                }
            }
        };
        tokio::select! {
            biased;
            () = await_all(self.0.stop()) => {}
            () = too_long => warn!("handlers took too long to finish and were aborted; their remaining notifications are lost"),
        }
        panic.take().map_or(Ok(()), |panic| Err(RunError::HandlerPanicked(panic)))
    }
}

impl<T> Drop for Running<'_, T> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

async fn await_all(tasks: Vec<AbortOnDropHandle<()>>) {
    for task in tasks {
        let _ = task.await; // no error to handle: the task itself catches panics
    }
}
