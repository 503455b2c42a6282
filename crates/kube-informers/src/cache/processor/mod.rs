//! Processor: distributes an informer's notifications to all of its listeners. Upstream: `sharedProcessor` in
//! `tools/cache/shared_informer.go`.

mod buffer;
mod filtering_handler;
mod handler;
mod handler_options;
mod life;
mod listener;
mod notification;
mod registration;
mod resync;
mod run;
mod run_error;
mod subscription;
mod sync_tracker;

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

use listener::handle_all;
use run_error::FirstPanic;

pub use buffer::Buffer;
pub use filtering_handler::FilteringHandler;
pub use handler::{AsyncEventHandler, EventHandler, HandlerFuncs, IntoEventHandler, MayWait, NeverWaits};
pub use handler_options::HandlerOptions;
pub(super) use life::Life;
pub use listener::ProcessorListener;
pub use notification::{Notification, is_recreated};
pub use registration::Registration;
pub(super) use resync::{MINIMUM, Resync};
pub use run_error::{Panic, RunError};
pub use subscription::Subscription;

/// The listeners of one informer (client-go's `sharedProcessor`). Each listener has its own buffer and task, so a slow
/// handler does not delay the others.
///
/// An informer makes its own processor. This type is public so that it can be studied and measured alone.
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

/// The state of a processor, under its lock.
pub(super) struct Listeners<T> {
    members: Vec<Listening<T>>,
    /// The tasks of removed handlers. Each finishes its current callback.
    leaving: Vec<AbortOnDropHandle<()>>,
    next_id: usize,
    life: Life,
    /// True once the informer has distributed its first list.
    upstream_synced: bool,
}

struct Listening<T> {
    listener: ProcessorListener<T>,
    resync: Resync,
    work: Work,
}

/// The consumer of a listener's notifications.
enum Work {
    /// A handler that starts when the processor runs.
    Waiting(BoxFuture<'static, ()>),
    /// A running handler.
    Running(AbortOnDropHandle<()>),
    /// The owner of a subscription.
    Subscribed,
}

/// The work of a listener that was removed or not accepted. The caller must drop it without a lock, because it may
/// contain the user's handler, whose drop may run any code.
pub(super) struct Unused(#[expect(dead_code, reason = "it is only dropped")] Work);

/// The listeners at one moment, each with whether a resync was due for it.
pub(super) struct Audience<T>(Vec<(ProcessorListener<T>, bool)>);

impl<T> Default for Audience<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Object> Audience<T> {
    /// Distributes a notification like [`SharedProcessor::distribute`], but to these listeners.
    pub fn tell(&self, notification: &Notification<T>) {
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
            members: Vec::new(),
            leaving: Vec::new(),
            next_id: 0,
            life: Life::NotStarted,
            upstream_synced: false,
        };
        Self { listeners: Arc::new(Mutex::new(listeners)), panic: Arc::default(), observer: Observer::default() }
    }
}

impl<T> Listeners<T> {
    /// Removes a listener, if it is present.
    pub fn remove(listeners: &Mutex<Self>, listener: &ProcessorListener<T>) {
        let mut all = lock(listeners);
        let unused = all.take(listener);
        drop(all);
        drop(unused);
    }

    fn take(&mut self, listener: &ProcessorListener<T>) -> Option<Unused> {
        let at = self.members.iter().position(|member| member.listener.is(listener))?;
        match self.members.remove(at).work {
            Work::Running(task) => {
                self.leaving.retain(|task| !task.is_finished());
                self.leaving.push(task);
                None
            }
            work => Some(Unused(work)),
        }
    }
}

impl<T: Object> Listeners<T> {
    fn tell(&self, notification: &Notification<T>) {
        let changes = !notification.is_unchanged();
        for member in &self.members {
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
        lock(&self.listeners).members.iter_mut().for_each(|member| member.resync.fit(check));
    }

    /// Returns true if a resync is due for any listener (client-go's `shouldResync`). Each listener stays due, or not,
    /// until the next call.
    pub(crate) fn should_resync(&self) -> bool {
        let now = Instant::now();
        let mut due = false;
        for member in &mut lock(&self.listeners).members {
            due |= member.resync.tick(now);
        }
        due
    }

    /// Makes a resync due for every listener, until the next call of [`SharedProcessor::should_resync`].
    pub(crate) fn make_resync_due(&self) {
        lock(&self.listeners).members.iter_mut().for_each(|member| member.resync.make_due());
    }

    /// Records that the first list has been distributed in full. A listener has synced once its handler has handled that
    /// list.
    pub fn upstream_synced(&self) {
        let mut listeners = lock(&self.listeners);
        listeners.upstream_synced = true;
        listeners.members.iter().for_each(|member| member.listener.upstream_synced());
    }

    /// Removes a listener (client-go's `RemoveEventHandler`). Its buffered notifications are dropped, and a running
    /// callback finishes. Does nothing if the listener was removed before or belongs to another processor.
    pub fn remove_listener(&self, registration: &Registration<T>) {
        if registration.of.as_ptr() == Arc::as_ptr(&self.listeners) {
            Listeners::remove(&self.listeners, &registration.listener);
            registration.listener.discard(); // also if the processor has stopped and the listener is only emptying its buffer
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
        listeners.life = Life::Stopped;
        let mut tasks = mem::take(&mut listeners.leaving);
        let members = mem::take(&mut listeners.members);
        drop(listeners);
        for Listening { listener, work, .. } in members {
            listener.close();
            if let Work::Running(task) = work {
                tasks.push(task);
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
        let (listener, subscription) = self.listener(HandlerOptions::new());
        let work = self.work(subscription, handler.into_event_handler());
        drop(self.join(listener.clone(), Resync::never(), work, None));
        self.registration(listener)
    }

    /// Adds a listener whose notifications the caller takes from a stream. If the processor has stopped, the stream ends
    /// at once.
    pub fn subscribe(&self) -> Subscription<T> {
        let (listener, subscription) = self.listener(HandlerOptions::new());
        if self.join(listener.clone(), Resync::never(), Work::Subscribed, None).is_err() {
            listener.close();
        }
        subscription.leaving(Arc::downgrade(&self.listeners))
    }

    /// Adds a listener that first gets an add of each object of `first`. `Err` if the processor has stopped.
    pub(super) fn register(
        &self,
        handler: impl AsyncEventHandler<T>,
        options: HandlerOptions,
        resync: Resync,
        first: Option<&Snapshot<T>>,
    ) -> Result<Registration<T>, Unused> {
        let (listener, subscription) = self.listener(options);
        let work = self.work(subscription, handler);
        self.join(listener.clone(), resync, work, first)?;
        Ok(self.registration(listener))
    }

    /// Adds a listener like [`SharedProcessor::register`], but with a subscription instead of a handler.
    pub(super) fn add_subscription(
        &self,
        options: HandlerOptions,
        resync: Resync,
        first: Option<&Snapshot<T>>,
    ) -> Result<Subscription<T>, Unused> {
        let (listener, subscription) = self.listener(options);
        self.join(listener, resync, Work::Subscribed, first)?;
        Ok(subscription.leaving(Arc::downgrade(&self.listeners)))
    }

    fn listener(&self, options: HandlerOptions) -> (ProcessorListener<T>, Subscription<T>) {
        let id = {
            let mut listeners = lock(&self.listeners);
            listeners.next_id += 1;
            listeners.next_id - 1
        };
        ProcessorListener::subscribed(id, options.buffer, self.observer.clone())
    }

    fn registration(&self, listener: ProcessorListener<T>) -> Registration<T> {
        Registration { listener, of: Arc::downgrade(&self.listeners) }
    }

    fn work(&self, subscription: Subscription<T>, handler: impl AsyncEventHandler<T>) -> Work {
        let panic = self.panic.clone();
        // The future owns the subscription, so the listener ends even if the future is dropped before its first poll.
        let work = async move {
            if let Err(payload) = AssertUnwindSafe(handle_all(subscription, handler)).catch_unwind().await {
                panic.note(payload);
            }
        };
        Work::Waiting(work.boxed())
    }

    fn join(
        &self,
        listener: ProcessorListener<T>,
        resync: Resync,
        work: Work,
        first: Option<&Snapshot<T>>,
    ) -> Result<(), Unused> {
        let mut listeners = lock(&self.listeners);
        let work = match listeners.life {
            Life::Stopped => return Err(Unused(work)),
            Life::NotStarted => work,
            Life::Running => work.start(),
        };
        listener.tell_joined(first.map_or(0, Snapshot::len));
        if let Some(first) = first {
            listener.replay(first);
        }
        if listeners.upstream_synced {
            listener.upstream_synced();
        }
        listeners.members.push(Listening { listener, resync, work });
        Ok(())
    }

    /// Adds a notification to the buffer of every listener. An update with equal, non-empty resourceVersions comes from a
    /// resync or a relist, and goes only to listeners whose resync is due.
    pub fn distribute(&self, notification: &Notification<T>) {
        lock(&self.listeners).tell(notification);
    }

    /// Distributes the notifications without others in between.
    pub(super) fn distribute_all(&self, notifications: impl Iterator<Item = Notification<T>>) {
        let listeners = lock(&self.listeners);
        notifications.for_each(|notification| listeners.tell(&notification));
    }

    /// Returns the present listeners.
    pub(super) fn audience(&self) -> Audience<T> {
        let member = |member: &Listening<T>| (member.listener.clone(), member.resync.is_due());
        Audience(lock(&self.listeners).members.iter().map(member).collect())
    }
}

impl Work {
    fn start(self) -> Self {
        match self {
            Self::Waiting(work) => Self::Running(AbortOnDropHandle::new(tokio::spawn(work))),
            work => work,
        }
    }
}

impl<T> Drop for SharedProcessor<T> {
    fn drop(&mut self) {
        self.stop(); // subscriptions may outlive it
    }
}

impl<T> fmt::Debug for SharedProcessor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let listeners = lock(&self.listeners);
        f.debug_struct("SharedProcessor")
            .field("listeners", &listeners.members.len())
            .field("life", &listeners.life)
            .finish_non_exhaustive()
    }
}
