//! Controller: a Reflector that fills a queue and a loop that empties it. Upstream: `tools/cache/controller.go`.

mod incremental_replace;
mod informer;
mod process;

use std::fmt;
use std::sync::Arc;

use tokio::task::yield_now;
use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::cache::causes::with_causes;
use crate::cache::fifo::{ProcessDeltas, Queue};
use crate::cache::key::Object;
use crate::cache::lister_watcher::ListerWatcher;
use crate::cache::reflector::{Reflector, Turns};
use crate::cache::signal::Done;

pub(super) use incremental_replace::IncrementalReplace;
pub use informer::{Informer, InformerHandle};
pub use process::{process_deltas, process_deltas_in_batch};

/// Fills a queue from a source by a [`Reflector`], and passes the popped deltas to a function (client-go's
/// `Controller`).
pub struct Controller<T> {
    reflector: Reflector<T>,
    queue: Arc<dyn Queue<T>>,
    process: Box<dyn ProcessDeltas<T>>,
    on_first_list: OnFirstList,
}

type OnFirstList = Box<dyn FnOnce() + Send>;

impl<T> Controller<T> {
    /// Makes a controller that calls `process` with the popped deltas, one call at a time. Errors of `process` are
    /// logged, and the deltas are not queued again.
    pub fn new(
        source: Arc<dyn ListerWatcher<T>>,
        queue: Arc<dyn Queue<T>>,
        process: impl ProcessDeltas<T> + 'static,
    ) -> Self {
        Self {
            reflector: Reflector::from_parts(source, queue.clone()),
            queue,
            process: Box::new(process),
            on_first_list: Box::new(|| {}),
        }
    }

    /// Configures the Reflector, for example its resync period and its options.
    #[must_use]
    pub fn with_reflector(mut self, set_up: impl FnOnce(Reflector<T>) -> Reflector<T>) -> Self {
        self.reflector = set_up(self.reflector);
        self
    }

    /// Sets a callback for the moment when the first list has been processed. (The queue's own signal may fire
    /// earlier.)
    #[must_use]
    pub fn on_first_list(mut self, callback: impl FnOnce() + Send + 'static) -> Self {
        self.on_first_list = Box::new(callback);
        self
    }

    /// Returns true once the first list has been popped in full (client-go's `HasSynced`).
    pub fn has_synced(&self) -> bool {
        self.queue.has_synced()
    }

    /// Returns a signal that fires when [`Controller::has_synced`] becomes true.
    pub fn synced(&self) -> Done {
        self.queue.synced()
    }

    /// Returns the resourceVersion up to which the queue has received changes; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        self.reflector.last_sync_resource_version()
    }
}

impl<T: Object + Send + Sync> Controller<T> {
    /// Runs until `stop` is cancelled. Then the Reflector stops first, and the queued deltas are still processed
    /// (client-go drops them).
    pub async fn run(self, stop: CancellationToken) {
        let Self { reflector, queue, process, on_first_list } = self;
        let turns = Turns::default(); // with these, the Reflector lets the loop empty the queue after each event
        let reflector = reflector.consumer(turns.clone());
        let fill = async {
            reflector.run(stop).await;
            queue.close();
        };
        turns.alternate(fill, process_loop(&*queue, process, on_first_list)).await;
    }
}

/// Empties the queue until it is closed (client-go's `processLoop`).
async fn process_loop<T>(queue: &dyn Queue<T>, mut process: Box<dyn ProcessDeltas<T>>, on_first_list: OnFirstList) {
    let mut on_first_list = Some(on_first_list);
    let synced = queue.synced();
    loop {
        // The signal is checked between two pops, because then no delta is being processed, so the first list is
        // complete.
        let popped = if on_first_list.is_none() {
            queue.pop_with(&mut *process).await
        } else {
            tokio::select! {
                biased;
                Ok(()) = synced.wait() => {
                    on_first_list.take().into_iter().for_each(|callback| callback());
                    continue;
                }
                popped = queue.pop_with(&mut *process) => popped,
            }
        };
        let Ok(processed) = popped else { return };
        if let Err(error) = processed {
            warn!("deltas were lost: {}", with_causes(&*error));
        }
        // The consumer may process a long list in parts; other tasks run in between.
        loop {
            match process.go_on() {
                Ok(true) => yield_now().await,
                Ok(false) => break,
                Err(error) => warn!("deltas were lost: {}", with_causes(&*error)),
            }
        }
    }
}

impl<T> fmt::Debug for Controller<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Controller").field("synced", &self.has_synced()).finish_non_exhaustive()
    }
}
