//! SharedIndexInformer: one Reflector and one store for many handlers. Upstream: `tools/cache/shared_informer.go`.

mod builder;
mod handle_deltas;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::cache::controller::Controller;
use crate::cache::done::{Done, Firing};
use crate::cache::error::Error;
use crate::cache::fifo::QueueKind;
use crate::cache::key::{Object, meta_namespace_key};
use crate::cache::lister_watcher::ListerWatcher;
use crate::cache::observe::Observer;
use crate::cache::processor::{
    HandlerOptions, IntoEventHandler, Life, MINIMUM, Registration, Resync, RunError, SharedProcessor, Subscription,
    Unused,
};
use crate::cache::reflector::{Reflector, ReflectorOptions};
use crate::cache::store::{Index, IndexValues, Indexer, Reader, Snapshot, Transformer};
use crate::lock::{Mutex, lock};

use handle_deltas::HandleDeltas;

pub use builder::SharedIndexInformerBuilder;

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
/// let running = tokio::spawn(informer.clone().run(stop.clone()));
/// handler.synced().await?;
/// stop.cancel();
/// running.await??;
/// # Ok(()) }
/// ```
pub struct SharedIndexInformer<T>(Arc<Shared<T>>);

struct Shared<T> {
    source: Arc<dyn ListerWatcher<T>>,
    indexer: Arc<Indexer<T>>,
    processor: SharedProcessor<T>,
    default_resync: Duration,
    /// How long the handlers may take to finish when the informer stops; nothing is as long as they want.
    drain_limit: Option<Duration>,
    transformer: Transformer<T>,
    reflector: ReflectorOptions,
    observer: Observer,
    queue: QueueKind,
    course: Mutex<Course>,
    version: Arc<Mutex<String>>,
    /// Held while deltas are stored and distributed, and while a late handler joins: nothing slips between.
    block_deltas: Mutex<()>,
    synced: Firing,
}

struct Course {
    life: Life,
    /// How often the Reflector asks whether a resync is due; zero is never.
    resync_check: Duration,
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
                drain_limit: None,
                transformer: Transformer::default(),
                reflector: ReflectorOptions::default(),
                observer: Observer::default(),
                queue: QueueKind::default(),
                course: Mutex::new(Course { life: Life::NotStarted, resync_check: Duration::ZERO }),
                version: Arc::default(),
                block_deltas: Mutex::new(()),
                synced: Firing::new(),
            },
        }
    }

    /// Adds a handler, with the informer's resync period. Before the start, while it runs, as often as wanted.
    ///
    /// While the informer runs, this call puts an addition of every stored object into the handler's buffer before it returns: some
    /// hundred nanoseconds each.
    ///
    /// # Errors
    /// The informer has stopped.
    ///
    /// # Panics
    /// Outside of a tokio runtime, once the informer runs.
    pub fn add_event_handler<Form>(
        &self,
        handler: impl IntoEventHandler<T, Form>,
    ) -> Result<Registration<T>, InformerStopped> {
        self.add_event_handler_with(handler, HandlerOptions::default())
    }

    /// Adds a handler with options.
    ///
    /// # Errors
    /// The informer has stopped.
    ///
    /// # Panics
    /// Outside of a tokio runtime, once the informer runs.
    pub fn add_event_handler_with<Form>(
        &self,
        handler: impl IntoEventHandler<T, Form>,
        options: HandlerOptions,
    ) -> Result<Registration<T>, InformerStopped> {
        let handler = handler.into_event_handler();
        self.join(options, |resync, first| self.0.processor.register(handler, options, resync, first))
    }

    /// The changes as a stream, from everything that is in the store on. Before the start, while it runs, as often as wanted.
    ///
    /// # Errors
    /// The informer has stopped.
    pub fn subscribe(&self, options: HandlerOptions) -> Result<Subscription<T>, InformerStopped> {
        self.join(options, |resync, first| self.0.processor.add_subscription(options, resync, first))
    }

    /// Has `join` add a listener which is told first what is in the store.
    fn join<R>(
        &self,
        options: HandlerOptions,
        join: impl FnOnce(Resync, Option<&Snapshot<T>>) -> Result<R, Unused>,
    ) -> Result<R, InformerStopped> {
        let joined = {
            let mut course = lock(&self.0.course);
            if course.life == Life::Stopped {
                return Err(InformerStopped); // the processor ends a moment later
            }
            let resync = self.fit_resync(&mut course, options.resync.unwrap_or(self.0.default_resync));
            let _blocked = lock(&self.0.block_deltas);
            let stored = (course.life == Life::Running).then(|| self.0.indexer.list());
            join(resync, stored.as_ref())
        };
        joined.map_err(|unused| {
            drop(unused); // perhaps the handler; no lock is held here
            InformerStopped
        })
    }

    /// Makes the informer check as often as this handler wants, as long as it does not run yet. (client-go's never begins to check if
    /// it was made without a resync.)
    fn fit_resync(&self, course: &mut Course, period: Duration) -> Resync {
        let period = if period.is_zero() { period } else { period.max(MINIMUM) };
        if period.is_zero() {
            return Resync::never();
        }
        let check = course.resync_check;
        if course.life == Life::NotStarted && (check.is_zero() || period < check) {
            course.resync_check = period;
            self.0.processor.resync_check_period_changed(period);
        } else if check.is_zero() {
            warn!(
                "a handler that wants a resync every {period:?} gets none: the informer runs already, without resync"
            );
        }
        Resync::every(period, course.resync_check)
    }

    /// Removes a handler. What is queued for it is dropped; a callback under way finishes. One that was removed before, or is
    /// another informer's, is no error.
    pub fn remove_event_handler(&self, registration: &Registration<T>) {
        self.0.processor.remove_listener(registration);
    }

    /// Removes a handler and waits until it is not called any more; at once if it never ran. To be called from elsewhere than
    /// the handler, which would wait for itself. A handler of another informer is not removed, only waited for.
    pub async fn shut_down_event_handler(&self, registration: &Registration<T>) {
        self.remove_event_handler(registration);
        let _ = registration.ended().await; // whether it fires or never will: nobody calls the handler any more
    }

    /// Adds an index, before or after the start; what is stored already is in it when this returns.
    ///
    /// # Errors
    /// The informer has an index of that name already.
    #[doc(alias = "AddIndexers")]
    pub fn index(
        &self,
        name: &str,
        function: impl Fn(&T) -> IndexValues<'_> + Send + Sync + 'static,
    ) -> Result<Index<T>, Error> {
        self.0.indexer.index(name, function)
    }

    /// What reads the informer's objects. Only the informer writes them.
    #[doc(alias = "GetIndexer", alias = "GetStore")]
    pub fn reader(&self) -> Reader<T> {
        self.0.indexer.reader()
    }

    /// Has the first list been stored and distributed? It says nothing about handlers; their registrations do.
    pub fn has_synced(&self) -> bool {
        self.0.synced.has_fired()
    }

    /// Fires when [`SharedIndexInformer::has_synced`] becomes true; never, if the informer is stopped before.
    pub fn synced(&self) -> Done {
        self.0.synced.done()
    }

    /// The resourceVersion up to which the informer is like the server; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        lock(&self.0.version).clone()
    }

    /// Has it run and ended, or was its factory shut down before it ran?
    pub fn is_stopped(&self) -> bool {
        lock(&self.0.course).life == Life::Stopped
    }

    /// It will not be run any more: nobody has to wait for it. Nothing, if it was run.
    #[cfg(feature = "client")] // the factory calls it
    pub(crate) fn give_up(&self) {
        {
            let mut course = lock(&self.0.course);
            if course.life != Life::NotStarted {
                return;
            }
            course.life = Life::Stopped;
        }
        self.0.synced.give_up();
        self.0.processor.give_up();
        self.0.indexer.close();
    }

    /// Runs until `stop`. Then the source ends, what is queued is stored and distributed, and every handler finishes what is
    /// in its buffer (client-go drops it). A panic of a handler is logged at once and stops the informer in the same way, but the
    /// other handlers have no more than ten seconds, or the [drain limit](SharedIndexInformerBuilder::drain_limit). If the future is
    /// dropped, all of that ends at once.
    ///
    /// Clones are the same informer: `tokio::spawn(informer.clone().run(stop))`.
    ///
    /// # Errors
    /// It was run before. A handler panicked, also one that was removed meanwhile.
    pub async fn run(self, stop: CancellationToken) -> Result<(), RunError> {
        let controller = self.start().inspect_err(|error| warn!("{error}"))?;
        let _stopped = StoppedWhenDropped(&self.0);
        let stop = stop.child_token();
        let handlers = self.0.processor.start(stop.clone())?; // a panic of one of them is a stop as well
        controller.run(stop).await;
        self.0.stopped();
        handlers.drain(self.0.drain_limit).await
    }

    fn start(&self) -> Result<Controller<T>, RunError> {
        let mut course = lock(&self.0.course);
        if course.life != Life::NotStarted {
            return Err(RunError::AlreadyRan);
        }
        course.life = Life::Running;
        let Shared { indexer, transformer, observer, .. } = &*self.0;
        let queue = self.0.queue.build(indexer.clone(), transformer.clone(), observer.clone());
        let shared = self.0.clone();
        let controller = Controller::new(self.0.source.clone(), queue, HandleDeltas::new(self.0.clone()))
            .with_reflector(|reflector| self.set_up(reflector, course.resync_check))
            .on_first_list(move || {
                shared.synced.fire();
                shared.processor.upstream_synced();
            });
        Ok(controller)
    }

    fn set_up(&self, reflector: Reflector<T>, resync_check: Duration) -> Reflector<T> {
        let (shared, asked) = (self.0.clone(), self.0.clone());
        reflector
            .options(self.0.reflector.clone())
            .resync(resync_check)
            .should_resync(move || shared.processor.should_resync())
            .before_asked_resync(move || asked.processor.make_resync_due())
            .version(self.0.version.clone())
            .observer(self.0.observer.clone())
    }
}

impl<T> Clone for SharedIndexInformer<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Shared<T> {
    fn stopped(&self) {
        lock(&self.course).life = Life::Stopped;
        self.synced.give_up();
    }
}

/// Whatever ends a run, the informer has stopped then.
struct StoppedWhenDropped<'a, T>(&'a Shared<T>);

impl<T> Drop for StoppedWhenDropped<'_, T> {
    fn drop(&mut self) {
        self.0.stopped();
    }
}

impl<T> fmt::Debug for SharedIndexInformer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedIndexInformer")
            .field("life", &lock(&self.0.course).life)
            .field("synced", &self.0.synced.has_fired())
            .field("processor", &self.0.processor)
            .finish_non_exhaustive()
    }
}
