//! Controller: a Reflector that fills a queue and a loop that empties it. Upstream: `tools/cache/controller.go`.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::done::Done;
use super::key::Object;
use super::lister_watcher::ListerWatcher;
use super::process::ProcessDeltas;
use super::queue::Queue;
use super::reflector::Reflector;
use super::turns::Turns;

/// Runs a source into a queue and the queue into a function.
pub struct Controller<T> {
    reflector: Reflector<T>,
    queue: Arc<dyn Queue<T>>,
    process: Box<dyn ProcessDeltas<T>>,
}

impl<T> Controller<T> {
    /// Calls `process` with what is popped, one at a time. An error of it is logged; the deltas are not queued again.
    pub fn new(
        source: Arc<dyn ListerWatcher<T>>,
        queue: Arc<dyn Queue<T>>,
        process: impl ProcessDeltas<T> + 'static,
    ) -> Self {
        Self { reflector: Reflector::from_parts(source, queue.clone()), queue, process: Box::new(process) }
    }

    /// Sets the Reflector up: its resync, its error handler and so on.
    #[must_use]
    pub fn with_reflector(mut self, set_up: impl FnOnce(Reflector<T>) -> Reflector<T>) -> Self {
        self.reflector = set_up(self.reflector);
        self
    }

    /// Has the first list been handed out in full?
    pub fn has_synced(&self) -> bool {
        self.queue.has_synced()
    }

    /// Fires when [`Controller::has_synced`] becomes true.
    pub fn synced(&self) -> Done {
        self.queue.synced()
    }

    /// The resourceVersion up to which the queue is like the server; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        self.reflector.last_sync_resource_version()
    }
}

impl<T: Object + Send + Sync> Controller<T> {
    /// Runs until `stop`: then the source ends first, and what is queued is still processed (client-go drops it).
    pub async fn run(self, stop: CancellationToken) {
        let Self { reflector, queue, mut process } = self;
        let turns = Turns::default();
        let reflector = reflector.consumer(turns.clone());
        let fill = async {
            reflector.run(stop).await;
            queue.close();
        };
        let empty = async {
            while let Ok(processed) = queue.pop_with(&mut *process).await {
                if let Err(error) = processed {
                    warn!("deltas were lost: {error}");
                }
            }
        };
        turns.alternate(fill, empty).await;
    }
}
