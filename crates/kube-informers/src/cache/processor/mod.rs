//! Processor: hands each notification to every listener. Upstream: `sharedProcessor` in `tools/cache/shared_informer.go`.

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

/// The listeners of one informer. Each has a buffer and a task of its own, so a slow handler delays nobody.
///
/// An informer has one of its own; this type is public to be studied and measured alone.
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

/// The listeners themselves.
pub(super) struct Listeners<T> {
    members: Vec<Listening<T>>,
    /// The tasks of handlers that were removed; each finishes the callback that is under way.
    leaving: Vec<AbortOnDropHandle<()>>,
    next_id: usize,
    life: Life,
    /// Has the informer handed out its first list?
    upstream_synced: bool,
}

struct Listening<T> {
    listener: ProcessorListener<T>,
    resync: Resync,
    work: Work,
}

/// Who takes what a listener has.
enum Work {
    /// A handler, as soon as the processor runs.
    Waiting(BoxFuture<'static, ()>),
    /// A handler.
    Running(AbortOnDropHandle<()>),
    /// The owner of a subscription.
    Subscribed,
}

/// What was a listener's. To be dropped without a lock: it may be the handler, and dropping that may do anything.
pub(super) struct Unused(#[expect(dead_code, reason = "it is only dropped")] Work);

/// The listeners of one moment, and whether a resync was due for each.
pub(super) struct Audience<T>(Vec<(ProcessorListener<T>, bool)>);

impl<T> Default for Audience<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Object> Audience<T> {
    /// The same as [`SharedProcessor::distribute`], to these listeners.
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
    /// Removes a listener; one that is not there is no error.
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
    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// The listeners' resync periods become those that fit an informer which checks this often.
    pub(crate) fn resync_check_period_changed(&self, check: Duration) {
        lock(&self.listeners).members.iter_mut().for_each(|member| member.resync.fit(check));
    }

    /// Is a resync due for any listener? Remembers for which, until the next time it is asked.
    pub(crate) fn should_resync(&self) -> bool {
        let now = Instant::now();
        let mut due = false;
        for member in &mut lock(&self.listeners).members {
            due |= member.resync.tick(now);
        }
        due
    }

    /// Makes a resync due for every listener, until [`SharedProcessor::should_resync`] is asked the next time.
    pub(crate) fn make_resync_due(&self) {
        lock(&self.listeners).members.iter_mut().for_each(|member| member.resync.make_due());
    }

    /// The first list has been distributed in full: a handler that has handled it has synced.
    pub fn upstream_synced(&self) {
        let mut listeners = lock(&self.listeners);
        listeners.upstream_synced = true;
        listeners.members.iter().for_each(|member| member.listener.upstream_synced());
    }

    /// Removes a listener; one that was removed before, or is another processor's, is no error. Nothing more is queued for it, what
    /// is queued is dropped, and a callback under way finishes.
    pub fn remove_listener(&self, registration: &Registration<T>) {
        if registration.of.as_ptr() == Arc::as_ptr(&self.listeners) {
            Listeners::remove(&self.listeners, &registration.listener);
            registration.listener.discard(); // also one that only finishes what is in its buffer
        }
    }

    /// It will not be run.
    #[cfg(feature = "client")] // the factory calls it
    pub(super) fn give_up(&self) {
        self.stop();
    }

    /// Closes every listener; returns the tasks that empty them.
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
    /// Adds a listener for this handler. If the processor runs, so does the listener from now on; before, it collects. If the
    /// processor has stopped, the handler is dropped, and its registration has ended.
    ///
    /// # Panics
    /// Outside of a tokio runtime, while the processor runs.
    pub fn add_listener<Form>(&self, handler: impl IntoEventHandler<T, Form>) -> Registration<T> {
        let (listener, subscription) = self.listener(HandlerOptions::new());
        let work = self.work(subscription, handler.into_event_handler());
        drop(self.join(listener.clone(), Resync::never(), work, None));
        self.registration(listener)
    }

    /// Adds a listener whose notifications the caller takes. If the processor has stopped, the stream ends at once.
    pub fn subscribe(&self) -> Subscription<T> {
        let (listener, subscription) = self.listener(HandlerOptions::new());
        if self.join(listener.clone(), Resync::never(), Work::Subscribed, None).is_err() {
            listener.close();
        }
        subscription.leaving(Arc::downgrade(&self.listeners))
    }

    /// Adds a listener that is told of the objects of `first` before anything that is distributed. `Err` if the processor has stopped.
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

    /// The same, for someone who takes the notifications himself.
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
        // The subscription is part of the future, so that the listener ends also if the future is dropped before its first poll.
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

    /// Puts a notification into the buffer of every listener. Of an update between two equal, non-empty resourceVersions nothing
    /// but a resync or a relist is the reason: only the listeners whose resync is due are told.
    pub fn distribute(&self, notification: &Notification<T>) {
        lock(&self.listeners).tell(notification);
    }

    /// Distributes one after the other, and nothing else between.
    pub(super) fn distribute_all(&self, notifications: impl Iterator<Item = Notification<T>>) {
        let listeners = lock(&self.listeners);
        notifications.for_each(|notification| listeners.tell(&notification));
    }

    /// Those who would be told now.
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
