//! Informer: a store that mirrors the server's objects, with a single handler. Upstream: `NewInformerWithOptions` in
//! `tools/cache/controller.go`.

use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::Controller;
use super::process::{process_deltas, process_deltas_in_batch};
use crate::cache::delta::{Delta, Deltas, InitialList};
use crate::cache::error::{BoxError, Error};
use crate::cache::fifo::{ProcessDeltas, QueueKind};
use crate::cache::key::{Object, meta_namespace_key};
use crate::cache::lister_watcher::ListerWatcher;
use crate::cache::observe::Observer;
use crate::cache::processor::EventHandler;
use crate::cache::reflector::Reflector;
use crate::cache::signal::{Done, DoneSender};
use crate::cache::store::{Index, IndexValues, Indexer, Reader, Transformer};
use crate::lock::{Mutex, lock};

/// The simple informer with a single handler (client-go's `NewInformerWithOptions`).
///
/// The loop that empties the queue calls the handler, so a slow handler delays everything, including the store. For
/// several or slow handlers, use [`SharedIndexInformer`](crate::cache::SharedIndexInformer).
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use kube_informers::cache::{HandlerFuncs, Informer, ListWatch};
/// use kube_testcluster::Cluster;
/// use k8s_openapi::api::core::v1::Namespace;
/// use tokio_util::sync::CancellationToken;
///
/// let cluster = Cluster::builder().start();
/// let informer = Informer::new(ListWatch::<Namespace>::all(cluster.client("default")), HandlerFuncs::new());
/// let handle = informer.handle();
///
/// let stop = CancellationToken::new();
/// let synced = async { let synced = handle.synced().await; stop.cancel(); synced };
/// let ((), synced) = tokio::join!(informer.run(stop.clone()), synced);
/// assert_eq!(synced, Ok(()));
/// assert!(handle.reader().get("default").is_some());
/// # }
/// ```
pub struct Informer<T, H> {
    source: Arc<dyn ListerWatcher<T>>,
    store: Arc<Indexer<T>>,
    handler: H,
    queue: QueueKind,
    transformer: Transformer<T>,
    set_up: SetUp<T>,
    version: Arc<Mutex<String>>,
    synced: DoneSender,
}

/// A function that configures the Reflector.
type SetUp<T> = Box<dyn FnOnce(Reflector<T>) -> Reflector<T> + Send>;

/// A handle to a running [`Informer`]: its objects, whether it has synced, and its resourceVersion.
pub struct InformerHandle<T> {
    reader: Reader<T>,
    version: Arc<Mutex<String>>,
    synced: Done,
}

impl<T: Object + Send + Sync + 'static, H: EventHandler<T> + Send + 'static> Informer<T, H> {
    /// Makes an informer for the objects of `source`, without indices.
    pub fn new(source: impl ListerWatcher<T> + 'static, handler: H) -> Self {
        Self {
            source: Arc::new(source),
            store: Arc::new(Indexer::new(meta_namespace_key)),
            handler,
            queue: QueueKind::default(),
            transformer: Transformer::default(),
            set_up: Box::new(|reflector| reflector),
            version: Arc::default(),
            synced: DoneSender::new(),
        }
    }

    /// Sets the kind of delta queue. The default is that of current client-go.
    #[must_use]
    pub fn queue(mut self, queue: QueueKind) -> Self {
        self.queue = queue;
        self
    }

    /// Sets a function that changes every object before it is queued (client-go's `TransformFunc`).
    #[must_use]
    pub fn transformer(
        mut self,
        transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.transformer = Transformer::new(transform);
        self
    }

    /// Configures the Reflector, for example its resync period and its options.
    #[must_use]
    pub fn with_reflector(mut self, set_up: impl FnOnce(Reflector<T>) -> Reflector<T> + Send + 'static) -> Self {
        self.set_up = Box::new(set_up);
        self
    }

    /// Adds an index (client-go's `AddIndexers`).
    ///
    /// # Errors
    /// An index with that name exists already.
    #[doc(alias = "AddIndexers")]
    pub fn index(
        &self,
        name: &str,
        function: impl Fn(&T) -> IndexValues<'_> + Send + Sync + 'static,
    ) -> Result<Index<T>, Error> {
        self.store.index(name, function)
    }

    /// Returns a handle for use while the informer runs.
    pub fn handle(&self) -> InformerHandle<T> {
        InformerHandle { reader: self.store.reader(), version: self.version.clone(), synced: self.synced.done() }
    }

    /// Runs until `stop` is cancelled. Deltas that are queued at that time are still processed.
    pub async fn run(self, stop: CancellationToken) {
        let Self { source, store, handler, queue, transformer, set_up, version, synced } = self;
        let queue = queue.build(store.clone(), transformer, Observer::default());
        let controller = Controller::new(source, queue, ApplyDeltas { store, handler })
            .with_reflector(|reflector| set_up(reflector).version(version))
            .on_first_list(move || synced.fire());
        controller.run(stop).await;
    }
}

impl<T> Clone for InformerHandle<T> {
    fn clone(&self) -> Self {
        Self { reader: self.reader.clone(), version: self.version.clone(), synced: self.synced.clone() }
    }
}

impl<T> fmt::Debug for InformerHandle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerHandle").field("synced", &self.synced.is_done()).finish_non_exhaustive()
    }
}

impl<T, H> fmt::Debug for Informer<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Informer").field("queue", &self.queue).finish_non_exhaustive()
    }
}

impl<T: Object> InformerHandle<T> {
    /// Returns a read-only view of the informer's objects.
    pub fn reader(&self) -> Reader<T> {
        self.reader.clone()
    }

    /// Returns a signal that fires when the handler has processed the first list. It ends as
    /// [`Never`](crate::cache::Never) if the informer stops before that.
    pub fn synced(&self) -> Done {
        self.synced.clone()
    }

    /// Returns the resourceVersion up to which the informer has received changes; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        lock(&self.version).clone()
    }
}

/// The consumer of the queue. It stores each delta and then calls the handler.
struct ApplyDeltas<T, H> {
    store: Arc<Indexer<T>>,
    handler: H,
}

/// Closes the store when the consumer ends, because nothing writes to the store any more.
impl<T, H> Drop for ApplyDeltas<T, H> {
    fn drop(&mut self) {
        self.store.close();
    }
}

impl<T: Object + Send + Sync, H: EventHandler<T> + Send> ProcessDeltas<T> for ApplyDeltas<T, H> {
    fn process(&mut self, deltas: Deltas<T>, initial: InitialList) -> Result<(), BoxError> {
        Ok(process_deltas(&self.store, deltas, initial, &mut |change| change.deliver(&mut self.handler))?)
    }

    fn process_batch(&mut self, batch: Vec<Delta<T>>, initial: InitialList) -> Result<(), BoxError> {
        Ok(process_deltas_in_batch(&self.store, batch, initial, &mut |change| change.deliver(&mut self.handler))?)
    }
}
