//! SharedIndexInformer: one Reflector and one store for many handlers. Upstream: `tools/cache/shared_informer.go`.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::controller::Controller;
use super::delta::{Deletion, Delta, Deltas, InitialList};
use super::done::Done;
use super::error::{BoxError, Error};
use super::handler::{AsyncEventHandler, EventHandler, Notification};
use super::handler_options::HandlerOptions;
use super::index::IndexFn;
use super::indexer::Indexer;
use super::informer::note_sync;
use super::key::{Object, meta_namespace_key};
use super::lister_watcher::ListerWatcher;
use super::lock::{Mutex, lock};
use super::observe::Observer;
use super::process::{ProcessDeltas, process_deltas, process_deltas_in_batch};
use super::processor::{Audience, Registration, SharedProcessor};
use super::queue::Queue;
use super::queue_kind::QueueKind;
use super::reflector::{Reflector, ReflectorOptions};
use super::resync::{MINIMUM, Resync};
use super::store::Transformer;

/// A handler was not added, because the informer has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("handler was not added to shared informer because it has stopped already")]
pub struct InformerStopped;

/// An informer that any number of handlers share. Clones are the same informer.
///
/// Each handler is told of every change, in order, by a task of its own. A handler that joins late is first told of
/// everything in the store.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use kube_informers::cache::{HandlerFuncs, ListWatch, SharedIndexInformer};
/// use kube_testcluster::Cluster;
/// use k8s_openapi::api::core::v1::Pod;
/// use std::sync::Arc;
/// use tokio_util::sync::CancellationToken;
///
/// let cluster = Cluster::builder().start();
/// let informer = SharedIndexInformer::new(ListWatch::<Pod>::namespaced(cluster.client("default"), "default"));
/// let print = HandlerFuncs::new().add_func(|pod: Arc<Pod>, _| println!("{:?}", pod.metadata.name));
/// let handler = informer.add_event_handler(print)?;
///
/// let stop = CancellationToken::new();
/// let running = tokio::spawn(informer.clone().run_owned(stop.clone()));
/// handler.synced().wait().await;
/// stop.cancel();
/// running.await?;
/// # Ok(()) }
/// ```
pub struct SharedIndexInformer<T>(Arc<Shared<T>>);

struct Shared<T> {
    source: Arc<dyn ListerWatcher<T>>,
    indexer: Arc<Indexer<T>>,
    processor: SharedProcessor<T>,
    default_resync: Duration,
    transformer: Option<Transformer<T>>,
    reflector: ReflectorOptions,
    observer: Observer,
    queue: QueueKind,
    life: Mutex<Life>,
    version: Arc<Mutex<String>>,
    /// Held while deltas are stored and distributed, and while a late handler joins: nothing slips between.
    block_deltas: Mutex<()>,
    synced: Done,
}

struct Life {
    phase: Phase,
    /// How often the Reflector asks whether a resync is due; zero is never.
    resync_check: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Fresh,
    Started,
    Stopped,
}

/// Sets up a [`SharedIndexInformer`].
pub struct SharedIndexInformerBuilder<T> {
    shared: Shared<T>,
}

impl<T: Object + Send + Sync + 'static> SharedIndexInformer<T> {
    /// An informer over everything that `source` lists and watches, without indices and without resync.
    pub fn new(source: impl ListerWatcher<T> + 'static) -> Self {
        Self::builder(source).build()
    }

    /// An informer with options.
    pub fn builder(source: impl ListerWatcher<T> + 'static) -> SharedIndexInformerBuilder<T> {
        SharedIndexInformerBuilder {
            shared: Shared {
                source: Arc::new(source),
                indexer: Arc::new(Indexer::new(meta_namespace_key)),
                processor: SharedProcessor::default(),
                default_resync: Duration::ZERO,
                transformer: None,
                reflector: ReflectorOptions::default(),
                observer: Observer::default(),
                queue: QueueKind::default(),
                life: Mutex::new(Life { phase: Phase::Fresh, resync_check: Duration::ZERO }),
                version: Arc::default(),
                block_deltas: Mutex::new(()),
                synced: Done::default(),
            },
        }
    }

    /// Adds a handler, with the informer's resync period. Before the start, while it runs, as often as wanted.
    ///
    /// # Errors
    /// The informer has stopped.
    ///
    /// # Panics
    /// Outside of a tokio runtime, once the informer runs.
    pub fn add_event_handler(&self, handler: impl AsyncEventHandler<T>) -> Result<Registration<T>, InformerStopped> {
        self.add_event_handler_with(handler, HandlerOptions::default())
    }

    /// Adds a handler with options.
    ///
    /// # Errors
    /// The informer has stopped.
    ///
    /// # Panics
    /// Outside of a tokio runtime, once the informer runs.
    pub fn add_event_handler_with(
        &self,
        handler: impl AsyncEventHandler<T>,
        options: HandlerOptions,
    ) -> Result<Registration<T>, InformerStopped> {
        let mut life = lock(&self.0.life);
        if life.phase == Phase::Stopped {
            return Err(InformerStopped);
        }
        let resync = self.fit_resync(&mut life, options.resync.unwrap_or(self.0.default_resync));
        if life.phase == Phase::Fresh {
            return Ok(self.0.processor.add_listener_with(handler, options.buffer, resync, &[]));
        }
        let _blocked = lock(&self.0.block_deltas);
        let stored = self.0.indexer.list();
        let add = |object: &Arc<T>| Notification::Add { object: object.clone(), initial: InitialList::Yes };
        let replay: Vec<_> = stored.iter().map(add).collect();
        Ok(self.0.processor.add_listener_with(handler, options.buffer, resync, &replay))
    }

    /// Makes the informer check as often as this handler wants, as long as it does not run yet.
    fn fit_resync(&self, life: &mut Life, period: Duration) -> Resync {
        let period = if period.is_zero() { period } else { period.max(MINIMUM) };
        if life.phase == Phase::Fresh && !period.is_zero() && period < life.resync_check {
            life.resync_check = period;
            self.0.processor.resync_check_period_changed(period);
        }
        Resync::every(period, life.resync_check)
    }

    /// Removes a handler. What is queued for it is dropped; a callback under way finishes. One that was removed before is no
    /// error.
    pub fn remove_event_handler(&self, registration: &Registration<T>) {
        let blocked = lock(&self.0.block_deltas);
        let removed = self.0.processor.take_listener(registration);
        drop(blocked);
        drop(removed); // perhaps the handler itself, whose drop may do anything
    }

    /// Removes a handler and waits until it is not called any more; at once if it never ran. To be called from elsewhere than
    /// the handler, which would wait for itself.
    pub async fn shut_down_event_handler(&self, registration: &Registration<T>) {
        self.remove_event_handler(registration);
        registration.listener().ended().wait().await;
    }

    /// Adds indices, before or after the start; what is stored already is in them when this returns.
    ///
    /// # Errors
    /// A name is taken, or a function fails for a stored object.
    pub fn add_indexers(&self, functions: Vec<(String, IndexFn<T>)>) -> Result<(), Error> {
        self.0.indexer.add_indexers(functions)
    }

    /// The objects and their indices; for reading.
    pub fn indexer(&self) -> Arc<Indexer<T>> {
        self.0.indexer.clone()
    }

    /// Has the first list been stored and distributed? It says nothing about handlers; their registrations do.
    pub fn has_synced(&self) -> bool {
        self.0.synced.is_done()
    }

    /// Fires when [`SharedIndexInformer::has_synced`] becomes true; never, if the informer is stopped before.
    pub fn synced(&self) -> Done {
        self.0.synced.clone()
    }

    /// The resourceVersion up to which the informer is like the server; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        lock(&self.0.version).clone()
    }

    /// Has it run and ended?
    pub fn is_stopped(&self) -> bool {
        lock(&self.0.life).phase == Phase::Stopped
    }

    /// Runs until `stop`. Then the source ends, what is queued is stored and distributed, and every handler finishes what is
    /// in its buffer (client-go drops it). If the future is dropped, all of that ends at once.
    ///
    /// An informer runs once; a second run ends at once.
    ///
    /// # Panics
    /// As soon as a handler has panicked and the others have finished what is in their buffers.
    pub async fn run(&self, stop: CancellationToken) {
        let Some((controller, queue)) = self.start() else {
            warn!("the shared informer was started before, run again is not supported");
            return;
        };
        let _stopped = SetStopped(&self.0.life);
        let synced = async {
            note_sync(&*queue, &self.0.synced).await;
            self.0.processor.upstream_synced();
        };
        let processor_stop = CancellationToken::new();
        let work = async {
            tokio::join!(controller.run(stop.clone()), stop.run_until_cancelled(synced));
            lock(&self.0.life).phase = Phase::Stopped;
            processor_stop.cancel();
        };
        tokio::join!(self.0.processor.run(processor_stop.clone()), work);
    }

    /// [`SharedIndexInformer::run`] as a future that can be spawned.
    pub async fn run_owned(self, stop: CancellationToken) {
        self.run(stop).await;
    }

    fn start(&self) -> Option<(Controller<T>, Arc<dyn Queue<T>>)> {
        let mut life = lock(&self.0.life);
        if life.phase != Phase::Fresh {
            return None;
        }
        life.phase = Phase::Started;
        let Shared { indexer, transformer, observer, .. } = &*self.0;
        let queue = self.0.queue.build(indexer.clone(), transformer.clone(), observer.clone());
        let controller = Controller::new(self.0.source.clone(), queue.clone(), HandleDeltas(self.0.clone()))
            .with_reflector(|reflector| self.set_up(reflector, life.resync_check));
        Some((controller, queue))
    }

    fn set_up(&self, reflector: Reflector<T>, resync_check: Duration) -> Reflector<T> {
        let shared = self.0.clone();
        reflector
            .options(self.0.reflector.clone())
            .resync(resync_check)
            .should_resync(move || shared.processor.should_resync())
            .version(self.0.version.clone())
            .observer(self.0.observer.clone())
    }
}

impl<T> Clone for SharedIndexInformer<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Object + Send + Sync + 'static> SharedIndexInformerBuilder<T> {
    /// How often handlers that say nothing else are told of everything again; zero, the default, is never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.shared.default_resync = period;
        self.shared.life = Mutex::new(Life { phase: Phase::Fresh, resync_check: period });
        self
    }

    /// Which queue it has; today's client-go's by default.
    #[must_use]
    pub fn queue(mut self, queue: QueueKind) -> Self {
        self.shared.queue = queue;
        self
    }

    /// How its Reflector asks, and what it does about failures.
    #[must_use]
    pub fn reflector(mut self, options: ReflectorOptions) -> Self {
        self.shared.reflector = options;
        self
    }

    /// Changes every object once, before anything else sees it. It must give the same for its own result.
    #[must_use]
    pub fn transformer(
        mut self,
        transform: impl Fn(Arc<T>) -> Result<Arc<T>, BoxError> + Send + Sync + 'static,
    ) -> Self {
        self.shared.transformer = Some(Arc::new(transform));
        self
    }

    /// Tells `observer` what every part of the informer does.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.shared.indexer = Arc::new(Indexer::new(meta_namespace_key).observer(observer.clone()));
        self.shared.processor = SharedProcessor::default().observer(observer.clone());
        self.shared.observer = observer;
        self
    }

    /// The informer.
    pub fn build(self) -> SharedIndexInformer<T> {
        SharedIndexInformer(Arc::new(self.shared))
    }
}

/// Whatever ends a run, the informer has stopped then.
struct SetStopped<'a>(&'a Mutex<Life>);

impl Drop for SetStopped<'_> {
    fn drop(&mut self) {
        lock(self.0).phase = Phase::Stopped;
    }
}

/// The consumer of the queue: the store first, then the listeners, and no late handler between.
struct HandleDeltas<T>(Arc<Shared<T>>);

impl<T: Object + Send + Sync + 'static> ProcessDeltas<T> for HandleDeltas<T> {
    fn process(&mut self, deltas: Deltas<T>, initial: InitialList) -> Result<(), BoxError> {
        let _blocked = lock(&self.0.block_deltas);
        Ok(process_deltas(&self.0.indexer, &mut Distributor(&self.0.processor), deltas, initial)?)
    }

    fn process_batch(&mut self, batch: Vec<Delta<T>>, initial: InitialList) -> Result<(), BoxError> {
        let _blocked = lock(&self.0.block_deltas);
        Ok(process_deltas_in_batch(&self.0.indexer, &mut Distributor(&self.0.processor), batch, initial)?)
    }
}

/// The one handler that the process loop calls: it tells all listeners.
struct Distributor<'a, T>(&'a SharedProcessor<T>);

impl<T: Object + Send + Sync + 'static> EventHandler<T> for Distributor<'_, T> {
    fn on_add(&mut self, object: Arc<T>, initial: InitialList) {
        self.0.distribute(&Notification::Add { object, initial }, Audience::All);
    }

    fn on_update(&mut self, old: Arc<T>, new: Arc<T>) {
        let (before, after) = (old.meta().resource_version, new.meta().resource_version);
        let unchanged = before == after && !after.is_empty();
        let audience = if unchanged { Audience::Syncing } else { Audience::All };
        self.0.distribute(&Notification::Update { old, new }, audience);
    }

    fn on_delete(&mut self, deletion: Deletion<T>) {
        self.0.distribute(&Notification::Delete(deletion), Audience::All);
    }
}
