//! Listener: one handler's buffer and the loop that empties it. Upstream: `processorListener` in `tools/cache/shared_informer.go`.

use std::mem;

use super::buffer::{Buffer, Pending, Put};
use super::done::Done;
use super::handler::{AsyncEventHandler, Notification};
use super::key::Object;
use super::lock::{Mutex, lock};
use super::look::{Waiters, look_until};
use super::observe::{Event, Observer};
use super::sync_tracker::SyncTracker;

/// Keeps what one handler has not been told yet, without a bound, and tells it one notification at a time, in order.
///
/// Whoever distributes never waits for a slow handler: [`add`](Self::add) only puts the notification into the buffer.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use kube_informers::cache::{HandlerFuncs, InitialList, Notification, ProcessorListener};
/// use k8s_openapi::api::core::v1::Pod;
///
/// let listener = ProcessorListener::new(0);
/// listener.add(Notification::Add { object: Pod::default().into(), initial: InitialList::No });
/// listener.close();
/// listener.run(HandlerFuncs::new().add_func(|pod: std::sync::Arc<Pod>, _| assert_eq!(pod.metadata.name, None))).await;
/// # }
/// ```
pub struct ProcessorListener<T> {
    id: usize,
    state: Mutex<State<T>>,
    tracker: SyncTracker,
    ended: Done,
    observer: Observer,
}

struct State<T> {
    pending: Pending<T>,
    closed: bool,
    /// Who waits for a notification.
    waiters: Waiters,
}

impl<T> State<T> {
    fn new(buffer: Buffer) -> Self {
        Self { pending: Pending::new(buffer), closed: false, waiters: Waiters::default() }
    }
}

impl<T> ProcessorListener<T> {
    /// An empty listener; `id` is how observers tell listeners apart.
    pub fn new(id: usize) -> Self {
        Self {
            id,
            state: Mutex::new(State::new(Buffer::Unbounded)),
            tracker: SyncTracker::default(),
            ended: Done::default(),
            observer: Observer::default(),
        }
    }

    /// What becomes of notifications that the handler is too slow for; unbounded by default.
    #[must_use]
    pub fn buffer(mut self, buffer: Buffer) -> Self {
        self.state = Mutex::new(State::new(buffer));
        self
    }

    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// How many notifications the handler has not been given yet. A gauge: it may be another number a moment later.
    pub fn pending(&self) -> usize {
        lock(&self.state).pending.len()
    }

    /// Takes the next notification; nothing once the listener is closed and empty.
    pub async fn pop(&self) -> Option<Notification<T>> {
        look_until(
            &self.state,
            |state| &mut state.waiters,
            |mut state| match state.pending.pop() {
                None if !state.closed => Err(state),
                notification => Ok(notification),
            },
        )
        .await
    }

    /// Ends [`run`](Self::run) once everything in the buffer is handled. What is added later is dropped.
    pub fn close(&self) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.waiters.wake();
    }

    /// Ends [`run`](Self::run) after the callback that is under way; what is in the buffer is dropped.
    pub fn discard(&self) {
        lock(&self.state).pending.clear();
        self.close();
    }

    /// Nobody calls the handler from now on.
    pub(crate) fn end(&self) {
        self.discard();
        self.ended.fire();
    }

    /// Fires when the informer has synced and the handler has returned from every add of the initial list.
    pub fn synced(&self) -> Done {
        self.tracker.done()
    }

    /// Fires when nobody will call the handler any more: [`run`](Self::run) has ended.
    pub fn ended(&self) -> Done {
        self.ended.clone()
    }

    pub(crate) fn upstream_synced(&self) {
        self.tracker.upstream_synced();
    }
}

impl<T: Object + Send + Sync + 'static> ProcessorListener<T> {
    /// Puts a notification into the buffer; never waits.
    pub fn add(&self, notification: Notification<T>) {
        let mut state = lock(&self.state);
        if state.closed {
            return;
        }
        if notification.is_initial() {
            self.tracker.start(); // before the handler can be done with it
        }
        let told = self.observer.is_on().then(|| (notification.kind(), notification.key()));
        let put = state.pending.put(notification);
        if let Some((notification, key)) = told {
            self.observer.tell(|| match put {
                Put::Waits => Event::Notified { listener: self.id, notification, key },
                Put::Merged { .. } => Event::Coalesced { listener: self.id, notification, key },
            });
        }
        let mut waiters = mem::take(&mut state.waiters);
        drop(state);
        if let Put::Merged { initial_adds_gone } = put {
            (0..initial_adds_gone).for_each(|_| self.tracker.finished());
        }
        waiters.wake(); // without the lock, which the handler's loop takes first
    }

    /// Calls `handler` for one notification after the other until the listener is closed and empty. If the handler panics, or
    /// the future is dropped, the listener closes: nothing is kept for a handler that will not come back.
    pub async fn run(&self, mut handler: impl AsyncEventHandler<T>) {
        let _gone = Gone(self);
        while let Some(notification) = self.pop().await {
            let initial = notification.is_initial();
            let called = self.observer.is_on().then(|| (notification.kind(), notification.key()));
            handler.handle(notification).await;
            if initial {
                self.tracker.finished();
            }
            if let Some((notification, key)) = called {
                self.observer.tell(|| Event::Called { listener: self.id, notification, key });
            }
        }
    }
}

/// Discards what a listener holds once nobody handles it any more.
struct Gone<'a, T>(&'a ProcessorListener<T>);

impl<T> Drop for Gone<'_, T> {
    fn drop(&mut self) {
        self.0.end();
    }
}
