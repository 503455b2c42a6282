//! Processor: distributes an informer's notifications to all of its listeners. Upstream: `sharedProcessor` in
//! `tools/cache/shared_informer.go`.

mod buffer;
mod filtering_handler;
mod handler;
mod handler_options;
mod leaving;
mod lifecycle;
mod listener;
mod notification;
mod registration;
mod resync;
mod run;
mod run_error;
mod subscription;
mod sync_tracker;

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use crate::cache::key::Object;
use crate::cache::observe::Observer;
use crate::cache::store::Snapshot;
use crate::lock::{Mutex, lock};

use leaving::Leaving;
use listener::handle_all;
use run_error::FirstPanic;

pub use buffer::Buffer;
pub use filtering_handler::FilteringHandler;
pub use handler::{AsyncEventHandler, EventHandler, HandlerFuncs, IntoEventHandler, MayWait, NeverWaits};
pub use handler_options::HandlerOptions;
pub(super) use lifecycle::Lifecycle;
pub use listener::ProcessorListener;
pub use notification::{Notification, is_recreated};
pub use registration::Registration;
pub(super) use resync::{MINIMUM_RESYNC_PERIOD, ResyncSchedule};
pub use run_error::{Panic, RunError};
pub use subscription::Subscription;

/// The listeners of one informer (client-go's `sharedProcessor`). Each has its own buffer and task, so a slow handler
/// does not delay the others. An informer makes its own processor; this type is public so that it can be studied and
/// measured alone.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use kube_informers::cache::{HandlerFuncs, InitialList, Notification, SharedProcessor};
/// use k8s_openapi::api::core::v1::Pod;
/// use tokio_util::sync::CancellationToken;
///
/// let processor = SharedProcessor::default();
/// processor.add_listener(HandlerFuncs::new().add_func(|_: std::sync::Arc<Pod>, _| {}));
/// processor.distribute(&Notification::Add { object: Pod::default().into(), initial: InitialList::No });
/// let stop = CancellationToken::new();
/// stop.cancel();
/// processor.run(stop).await?; // delivers what was distributed, then ends
/// # Ok(()) }
/// ```
pub struct SharedProcessor<T> {
    listeners: Arc<Mutex<Listeners<T>>>,
    panic: Arc<FirstPanic>,
    observer: Observer,
}

pub(super) struct Listeners<T> {
    /// The listeners by their numbers, and so in the order in which they were made.
    members: BTreeMap<usize, Member<T>>,
    /// The tasks of removed handlers. Each finishes its current callback.
    leaving: Leaving,
    /// The number of the next listener.
    next_id: usize,
    lifecycle: Lifecycle,
    /// True once the informer has distributed its first list.
    upstream_synced: bool,
}

/// One listener of the processor.
struct Member<T> {
    listener: ProcessorListener<T>,
    resync: ResyncSchedule,
    task: HandlerTask,
}

/// The task that calls a listener's handler.
enum HandlerTask {
    /// A task that starts when the processor runs.
    NotStarted(BoxFuture<'static, ()>),
    Running(AbortOnDropHandle<()>),
    /// No task: the owner of a subscription takes the notifications.
    None,
}

/// The task of a listener that was removed or not accepted. The caller must drop it without a lock, because it may
/// contain the user's handler, whose drop may run any code.
pub(super) struct UnusedHandler(#[expect(dead_code, reason = "it is only dropped")] HandlerTask);

/// The listeners at one moment. The flag beside each is true if a resync was due for it.
pub(super) struct Recipients<T>(Vec<(ProcessorListener<T>, bool)>);

impl<T> Default for Recipients<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Object> Recipients<T> {
    /// Distributes a notification like [`SharedProcessor::distribute`], but to these listeners.
    pub fn distribute(&self, notification: &Notification<T>) {
        let changes = !notification.is_unchanged();
        for (listener, due) in &self.0 {
            if changes || *due {
                listener.add(notification.clone());
            }
        }
    }
}

impl<T> Default for SharedProcessor<T> {
    fn default() -> Self {
        let listeners = Listeners {
            members: BTreeMap::new(),
            leaving: Leaving::default(),
            next_id: 0,
            lifecycle: Lifecycle::NotStarted,
            upstream_synced: false,
        };
        Self { listeners: Arc::new(Mutex::new(listeners)), panic: Arc::default(), observer: Observer::default() }
    }
}

impl<T> Listeners<T> {
    pub fn remove(listeners: &Mutex<Self>, listener: &ProcessorListener<T>) {
        let mut all = lock(listeners);
        let unused = all.take(listener);
        drop(all);
        drop(unused);
    }

    /// Removes a listener. Returns its task unless that is running.
    fn take(&mut self, listener: &ProcessorListener<T>) -> Option<UnusedHandler> {
        match self.members.remove(&listener.id())?.task {
            HandlerTask::Running(task) => {
                self.leaving.push(task);
                None
            }
            task => Some(UnusedHandler(task)),
        }
    }
}

impl<T: Object> Listeners<T> {
    fn distribute(&self, notification: &Notification<T>) {
        let changes = !notification.is_unchanged();
        for member in self.members.values() {
            if changes || member.resync.is_due() {
                member.listener.add(notification.clone());
            }
        }
    }
}

impl<T> SharedProcessor<T> {
    /// Sets the observer that gets the listeners' events.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Adapts the listeners' resync periods to a new check period of the informer.
    pub(crate) fn resync_check_period_changed(&self, check: Duration) {
        lock(&self.listeners).members.values_mut().for_each(|member| member.resync.adapt_to(check));
    }

    /// Returns true if a resync is due for any listener (client-go's `shouldResync`). The answer for each listener
    /// holds until the next call.
    pub(crate) fn should_resync(&self) -> bool {
        let now = Instant::now();
        let mut due = false;
        for member in lock(&self.listeners).members.values_mut() {
            due |= member.resync.tick(now);
        }
        due
    }

    /// Makes a resync due for every listener, until the next call of [`SharedProcessor::should_resync`].
    pub(crate) fn make_resync_due(&self) {
        lock(&self.listeners).members.values_mut().for_each(|member| member.resync.make_due());
    }

    /// Records that the first list has been distributed in full. A listener has synced once its handler has handled
    /// that list.
    pub fn upstream_synced(&self) {
        let mut listeners = lock(&self.listeners);
        listeners.upstream_synced = true;
        listeners.members.values().for_each(|member| member.listener.upstream_synced());
    }

    /// Removes a listener (client-go's `RemoveEventHandler`). Its buffered notifications are dropped, and a running
    /// callback finishes. Does nothing if the listener was removed before or belongs to another processor.
    pub fn remove_listener(&self, registration: &Registration<T>) {
        if registration.listeners.as_ptr() == Arc::as_ptr(&self.listeners) {
            Listeners::remove(&self.listeners, &registration.listener);
            // This also ends a listener that is still handling its buffer after the processor has stopped.
            registration.listener.discard();
        }
    }

    /// Closes a processor that will never run.
    #[cfg(feature = "client")] // the factory calls it
    pub(super) fn give_up(&self) {
        self.stop();
    }

    /// Closes every listener. Returns the tasks that handle the remaining notifications.
    fn stop(&self) -> Vec<AbortOnDropHandle<()>> {
        let mut listeners = lock(&self.listeners);
        listeners.lifecycle = Lifecycle::Stopped;
        let mut tasks = mem::take(&mut listeners.leaving).tasks;
        let members = mem::take(&mut listeners.members);
        drop(listeners);
        for Member { listener, task, .. } in members.into_values() {
            listener.close();
            if let HandlerTask::Running(running) = task {
                tasks.push(running);
            }
        }
        tasks
    }
}

impl<T: Object + Send + Sync + 'static> SharedProcessor<T> {
    /// Adds a listener for this handler. If the processor is running, the handler starts at once; before that, the
    /// listener only buffers. If the processor has stopped, the handler is dropped and the registration has ended.
    ///
    /// # Panics
    /// If called outside of a tokio runtime while the processor runs.
    pub fn add_listener<Form>(&self, handler: impl IntoEventHandler<T, Form>) -> Registration<T> {
        let (listener, subscription) = self.new_listener(HandlerOptions::new());
        let task = self.handler_task(subscription, handler.into_event_handler());
        drop(self.join(listener.clone(), ResyncSchedule::never(), task, None));
        self.new_registration(listener)
    }

    /// Adds a listener whose notifications the caller takes from a stream, which ends at once if the processor has
    /// stopped.
    pub fn subscribe(&self) -> Subscription<T> {
        let (listener, subscription) = self.new_listener(HandlerOptions::new());
        if self.join(listener.clone(), ResyncSchedule::never(), HandlerTask::None, None).is_err() {
            listener.close();
        }
        subscription.unsubscribing_from(Arc::downgrade(&self.listeners))
    }

    /// Adds a listener that first gets an add of each object of `first`. `Err` if the processor has stopped.
    pub(super) fn register(
        &self,
        handler: impl AsyncEventHandler<T>,
        options: HandlerOptions,
        resync: ResyncSchedule,
        first: Option<&Snapshot<T>>,
    ) -> Result<Registration<T>, UnusedHandler> {
        let (listener, subscription) = self.new_listener(options);
        let task = self.handler_task(subscription, handler);
        self.join(listener.clone(), resync, task, first)?;
        Ok(self.new_registration(listener))
    }

    /// Adds a listener like [`SharedProcessor::register`], but with a subscription instead of a handler.
    pub(super) fn add_subscription(
        &self,
        options: HandlerOptions,
        resync: ResyncSchedule,
        first: Option<&Snapshot<T>>,
    ) -> Result<Subscription<T>, UnusedHandler> {
        let (listener, subscription) = self.new_listener(options);
        self.join(listener, resync, HandlerTask::None, first)?;
        Ok(subscription.unsubscribing_from(Arc::downgrade(&self.listeners)))
    }

    fn new_listener(&self, options: HandlerOptions) -> (ProcessorListener<T>, Subscription<T>) {
        let id = {
            let mut listeners = lock(&self.listeners);
            listeners.next_id += 1;
            listeners.next_id - 1
        };
        ProcessorListener::with_subscription(id, options.buffer, self.observer.clone())
    }

    fn new_registration(&self, listener: ProcessorListener<T>) -> Registration<T> {
        Registration { listener, listeners: Arc::downgrade(&self.listeners) }
    }

    /// Returns the task that calls the handler. A panic of the handler is recorded, and ends the run.
    fn handler_task(&self, subscription: Subscription<T>, handler: impl AsyncEventHandler<T>) -> HandlerTask {
        let panic = self.panic.clone();
        // The future owns the subscription, so the listener ends even if the future is dropped before its first poll.
        let handler = async move {
            if let Err(payload) = AssertUnwindSafe(handle_all(subscription, handler)).catch_unwind().await {
                panic.record(payload);
            }
        };
        HandlerTask::NotStarted(handler.boxed())
    }

    /// Adds a listener under one lock with its initial adds, so that it misses no notification and gets none twice.
    fn join(
        &self,
        listener: ProcessorListener<T>,
        resync: ResyncSchedule,
        task: HandlerTask,
        first: Option<&Snapshot<T>>,
    ) -> Result<(), UnusedHandler> {
        let mut listeners = lock(&self.listeners);
        let task = match listeners.lifecycle {
            Lifecycle::Stopped => return Err(UnusedHandler(task)),
            Lifecycle::NotStarted => task,
            Lifecycle::Running => task.start(),
        };
        listener.emit_joined(first.map_or(0, Snapshot::len));
        if let Some(first) = first {
            listener.replay(first);
        }
        if listeners.upstream_synced {
            listener.upstream_synced();
        }
        listeners.members.insert(listener.id(), Member { listener, resync, task });
        Ok(())
    }

    /// Adds a notification to the buffer of every listener. An update with equal, non-empty resourceVersions comes from
    /// a resync or a relist, and goes only to listeners whose resync is due.
    pub fn distribute(&self, notification: &Notification<T>) {
        lock(&self.listeners).distribute(notification);
    }

    /// Distributes the notifications without others in between.
    pub(super) fn distribute_all(&self, notifications: impl Iterator<Item = Notification<T>>) {
        let listeners = lock(&self.listeners);
        notifications.for_each(|notification| listeners.distribute(&notification));
    }

    pub(super) fn recipients(&self) -> Recipients<T> {
        let member = |member: &Member<T>| (member.listener.clone(), member.resync.is_due());
        Recipients(lock(&self.listeners).members.values().map(member).collect())
    }
}

impl HandlerTask {
    fn start(self) -> Self {
        match self {
            Self::NotStarted(handler) => Self::Running(AbortOnDropHandle::new(tokio::spawn(handler))),
            task => task,
        }
    }
}

impl<T> Drop for SharedProcessor<T> {
    fn drop(&mut self) {
        self.stop(); // subscriptions may outlive the processor, and must end
    }
}

impl<T> fmt::Debug for SharedProcessor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listeners = lock(&self.listeners);
        f.debug_struct("SharedProcessor")
            .field("listeners", &listeners.members.len())
            .field("lifecycle", &listeners.lifecycle)
            .finish_non_exhaustive()
    }
}
