//! SharedIndexInformer: one list and one watch for many handlers. Upstream: `tools/cache/shared_informer.go`.

mod builder;
mod handle_deltas;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::cache::controller::Controller;
use crate::cache::error::Error;
use crate::cache::fifo::QueueKind;
use crate::cache::key::{Object, meta_namespace_key};
use crate::cache::lister_watcher::ListerWatcher;
use crate::cache::observe::Observer;
use crate::cache::processor::{
    HandlerOptions, IntoEventHandler, Lifecycle, MINIMUM_RESYNC_PERIOD, Registration, ResyncSchedule, RunError,
    SharedProcessor, Subscription, UnusedHandler,
};
use crate::cache::reflector::{Reflector, ReflectorOptions};
use crate::cache::signal::{Done, DoneSender};
use crate::cache::store::{Index, IndexValues, Indexer, Reader, Snapshot, Transformer};
use crate::lock::{Mutex, lock};

use handle_deltas::HandleDeltas;

pub use builder::SharedIndexInformerBuilder;

/// The error of adding a handler to an informer that has stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("handler was not added to shared informer because it has stopped already")]
pub struct InformerStopped;

/// An informer that any number of handlers share (client-go's `SharedIndexInformer`). Clones are the same informer.
///
/// Each handler gets every change, in order, and runs in its own task. A handler that is added late first gets an add
/// of each object in the store.
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
    /// The time that the handlers have to finish when the informer stops; `None` for no limit.
    drain_limit: Option<Duration>,
    transformer: Transformer<T>,
    reflector: ReflectorOptions,
    observer: Observer,
    queue: QueueKind,
    state: Mutex<InformerState>,
    /// The resourceVersion up to which the Reflector has received changes.
    version: Arc<Mutex<String>>,
    /// Held while deltas are stored and distributed, and while a handler joins. A new handler therefore neither misses
    /// nor repeats a change.
    block_deltas: Mutex<()>,
    /// Fires when the first list has been stored and distributed.
    synced: DoneSender,
}

/// The state that decides how a new handler joins.
struct InformerState {
    lifecycle: Lifecycle,
    /// The period in which the Reflector checks whether a resync is due; zero means never.
    resync_check: Duration,
}

impl<T: Object + Send + Sync + 'static> SharedIndexInformer<T> {
    /// Makes an informer for the objects of `source`, without indices and without resync.
    pub fn new(source: impl ListerWatcher<T> + 'static) -> Self {
        Self::builder(source).build()
    }

    /// Makes a builder for an informer with options.
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
                state: Mutex::new(InformerState { lifecycle: Lifecycle::NotStarted, resync_check: Duration::ZERO }),
                version: Arc::default(),
                block_deltas: Mutex::new(()),
                synced: DoneSender::new(),
            },
        }
    }

    /// Adds a handler with the informer's resync period, before or after the start. The number of handlers is not
    /// limited.
    ///
    /// While the informer runs, the call adds every stored object to the handler's buffer, some hundred nanoseconds
    /// each.
    ///
    /// # Errors
    /// The informer has stopped.
    ///
    /// # Panics
    /// If called outside of a tokio runtime while the informer runs.
    pub fn add_event_handler<Form>(
        &self,
        handler: impl IntoEventHandler<T, Form>,
    ) -> Result<Registration<T>, InformerStopped> {
        self.add_event_handler_with(handler, HandlerOptions::default())
    }

    /// Adds a handler with options (client-go's `AddEventHandlerWithOptions`).
    ///
    /// # Errors
    /// The informer has stopped.
    ///
    /// # Panics
    /// If called outside of a tokio runtime while the informer runs.
    pub fn add_event_handler_with<Form>(
        &self,
        handler: impl IntoEventHandler<T, Form>,
        options: HandlerOptions,
    ) -> Result<Registration<T>, InformerStopped> {
        let handler = handler.into_event_handler();
        self.join(options, |resync, first| self.0.processor.register(handler, options, resync, first))
    }

    /// Returns a stream of notifications: first an add of each object in the store, then the changes.
    ///
    /// # Errors
    /// The informer has stopped.
    pub fn subscribe(&self, options: HandlerOptions) -> Result<Subscription<T>, InformerStopped> {
        self.join(options, |resync, first| self.0.processor.add_subscription(options, resync, first))
    }

    /// Calls `join` to add a listener that first gets the content of the store.
    fn join<R>(
        &self,
        options: HandlerOptions,
        join: impl FnOnce(ResyncSchedule, Option<&Snapshot<T>>) -> Result<R, UnusedHandler>,
    ) -> Result<R, InformerStopped> {
        let joined = {
            let mut state = lock(&self.0.state);
            if state.lifecycle == Lifecycle::Stopped {
                // Checked here, because the processor stops a moment later than the informer.
                return Err(InformerStopped);
            }
            let resync = self.schedule_resync(&mut state, options.resync.unwrap_or(self.0.default_resync));
            let _blocked = lock(&self.0.block_deltas);
            let stored = (state.lifecycle == Lifecycle::Running).then(|| self.0.indexer.list());
            join(resync, stored.as_ref())
        };
        joined.map_err(|unused| {
            drop(unused); // may drop the handler, so no lock may be held
            InformerStopped
        })
    }

    /// Returns the resync schedule of a new handler. If the informer does not run yet, its check period becomes short
    /// enough for the handler. (client-go's informer never checks if it was made without a resync period.)
    fn schedule_resync(&self, state: &mut InformerState, period: Duration) -> ResyncSchedule {
        let period = if period.is_zero() { period } else { period.max(MINIMUM_RESYNC_PERIOD) };
        if period.is_zero() {
            return ResyncSchedule::never();
        }
        let check = state.resync_check;
        if state.lifecycle == Lifecycle::NotStarted && (check.is_zero() || period < check) {
            state.resync_check = period;
            self.0.processor.resync_check_period_changed(period);
        } else if check.is_zero() {
            warn!(
                "a handler that wants a resync every {period:?} gets none: the informer runs already, without resync"
            );
        }
        ResyncSchedule::every(period, state.resync_check)
    }

    /// Removes a handler (client-go's `RemoveEventHandler`). Its buffered notifications are dropped, and a running
    /// callback finishes. Does nothing if the handler was removed before or belongs to another informer.
    pub fn remove_event_handler(&self, registration: &Registration<T>) {
        self.0.processor.remove_listener(registration);
    }

    /// Removes a handler and waits until its current callback has returned.
    ///
    /// Do not call this from the handler itself, which would deadlock. A handler of another informer is not removed,
    /// and this call waits until it has ended.
    pub async fn shut_down_event_handler(&self, registration: &Registration<T>) {
        self.remove_event_handler(registration);
        let _ = registration.ended().await; // `Never` means that the handler never ran, so it will not be called either
    }

    /// Adds an index, before or after the start (client-go's `AddIndexers`). It contains all stored objects at once.
    ///
    /// # Errors
    /// An index with that name exists already.
    #[doc(alias = "AddIndexers")]
    pub fn index(
        &self,
        name: &str,
        function: impl Fn(&T) -> IndexValues<'_> + Send + Sync + 'static,
    ) -> Result<Index<T>, Error> {
        self.0.indexer.index(name, function)
    }

    /// Returns a read-only view of the informer's objects (client-go's `GetIndexer`).
    #[doc(alias = "GetIndexer", alias = "GetStore")]
    pub fn reader(&self) -> Reader<T> {
        self.0.indexer.reader()
    }

    /// Returns true once the first list has been stored and distributed (client-go's `HasSynced`). For the progress of
    /// a handler, see [`Registration::has_synced`].
    pub fn has_synced(&self) -> bool {
        self.0.synced.has_fired()
    }

    /// Returns a signal that fires when [`SharedIndexInformer::has_synced`] becomes true. It ends as
    /// [`Never`](crate::cache::Never) if the informer stops before that.
    pub fn synced(&self) -> Done {
        self.0.synced.done()
    }

    /// Returns the resourceVersion up to which the informer has received changes; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        lock(&self.0.version).clone()
    }

    /// Returns true if the informer has run and ended, or its factory was shut down before it ran.
    pub fn is_stopped(&self) -> bool {
        lock(&self.0.state).lifecycle == Lifecycle::Stopped
    }

    /// Marks an informer that will never run as stopped, so that waiters give up. Does nothing if it was run.
    #[cfg(feature = "client")] // the factory calls it
    pub(crate) fn give_up(&self) {
        {
            let mut state = lock(&self.0.state);
            if state.lifecycle != Lifecycle::NotStarted {
                return;
            }
            state.lifecycle = Lifecycle::Stopped;
        }
        self.0.synced.give_up();
        self.0.processor.give_up();
        self.0.indexer.close();
    }

    /// Runs until `stop` is cancelled. Then the Reflector stops, the queued deltas are stored and distributed, and
    /// every handler handles its buffer (client-go drops it).
    ///
    /// If a handler panics, the informer stops in the same way. The other handlers then have ten seconds, or the [drain
    /// limit](SharedIndexInformerBuilder::drain_limit), to finish. Dropping the future aborts everything.
    ///
    /// Clones are the same informer, so a program can run a clone: `tokio::spawn(informer.clone().run(stop))`.
    ///
    /// # Errors
    /// [`RunError::AlreadyRan`] if the informer was run before. [`RunError::HandlerPanicked`] if a handler panicked,
    /// even if it was removed meanwhile.
    pub async fn run(self, stop: CancellationToken) -> Result<(), RunError> {
        let controller = self.start().inspect_err(|error| warn!("{error}"))?;
        let _stopped = StopOnDrop(&self.0);
        let stop = stop.child_token();
        let handlers = self.0.processor.start(stop.clone())?; // a panic of a handler cancels `stop`
        controller.run(stop).await;
        self.0.mark_stopped();
        handlers.drain(self.0.drain_limit).await
    }

    /// Marks the informer as running. Returns the controller that fills its queue and empties it.
    fn start(&self) -> Result<Controller<T>, RunError> {
        let mut state = lock(&self.0.state);
        if state.lifecycle != Lifecycle::NotStarted {
            return Err(RunError::AlreadyRan);
        }
        state.lifecycle = Lifecycle::Running;
        let Shared { indexer, transformer, observer, .. } = &*self.0;
        let queue = self.0.queue.build(indexer.clone(), transformer.clone(), observer.clone());
        let shared = self.0.clone();
        let controller = Controller::new(self.0.source.clone(), queue, HandleDeltas::new(self.0.clone()))
            .with_reflector(|reflector| self.set_up_reflector(reflector, state.resync_check))
            .on_first_list(move || {
                shared.synced.fire();
                shared.processor.upstream_synced();
            });
        Ok(controller)
    }

    fn set_up_reflector(&self, reflector: Reflector<T>, resync_check: Duration) -> Reflector<T> {
        let (shared, triggered) = (self.0.clone(), self.0.clone());
        reflector
            .options(self.0.reflector.clone())
            .resync(resync_check)
            .should_resync(move || shared.processor.should_resync())
            .before_triggered_resync(move || triggered.processor.make_resync_due())
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
    /// Marks the informer as stopped, and ends the waits for its first list.
    fn mark_stopped(&self) {
        lock(&self.state).lifecycle = Lifecycle::Stopped;
        self.synced.give_up();
    }
}

/// Marks the informer as stopped when its run ends in any way, including a panic or a dropped future.
struct StopOnDrop<'a, T>(&'a Shared<T>);

impl<T> Drop for StopOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.mark_stopped();
    }
}

impl<T> fmt::Debug for SharedIndexInformer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedIndexInformer")
            .field("lifecycle", &lock(&self.0.state).lifecycle)
            .field("synced", &self.0.synced.has_fired())
            .field("processor", &self.0.processor)
            .finish_non_exhaustive()
    }
}
