//! Informer: a store kept like the server, and one handler. Upstream: `NewInformer` in `tools/cache/controller.go`.

use std::fmt::Debug;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::controller::Controller;
use super::delta_fifo::{DeltaFifo, Relisted};
use super::done::Done;
use super::handler::EventHandler;
use super::key::{Object, meta_namespace_key};
use super::list_watch::ListerWatcher;
use super::process::process_deltas;
use super::reflector::Reflector;
use super::store::Store;

/// The simple informer: its one handler is called by the loop that empties the queue, so a slow handler slows everything
/// down. For several handlers, or slow ones, see [`SharedIndexInformer`](super::SharedIndexInformer).
pub struct Informer<T> {
    store: Arc<Store<T>>,
    controller: Controller<T>,
}

impl<T: Object + Debug + Send + Sync + 'static> Informer<T> {
    /// An informer over everything that `source` lists and watches.
    pub fn new(source: impl ListerWatcher<T> + 'static, mut handler: impl EventHandler<T> + Send + 'static) -> Self {
        let store = Arc::new(Store::new(meta_namespace_key));
        let queue = DeltaFifo::new(meta_namespace_key).known_objects(store.clone()).relisted(Relisted::Replaced);
        let known = store.clone();
        let controller = Controller::new(Arc::new(source), Arc::new(queue), move |deltas, initial| {
            Ok(process_deltas(&known, &mut handler, deltas, initial)?)
        });
        Self { store, controller }
    }

    /// Sets the Reflector up: its resync, its error handler and so on.
    #[must_use]
    pub fn with_reflector(mut self, set_up: impl FnOnce(Reflector<T>) -> Reflector<T>) -> Self {
        self.controller = self.controller.with_reflector(set_up);
        self
    }

    /// The objects; for reading.
    pub fn store(&self) -> Arc<Store<T>> {
        self.store.clone()
    }

    /// Fires when the first list has been handed out.
    pub fn synced(&self) -> Done {
        self.controller.synced()
    }

    /// Runs until `stop`; what is queued then is still handled.
    pub async fn run(self, stop: CancellationToken) {
        self.controller.run(stop).await;
    }
}
