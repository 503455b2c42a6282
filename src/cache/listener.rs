//! Listener: one handler's buffer and the loop that empties it. Upstream: `processorListener` in `tools/cache/shared_informer.go`.

use std::collections::VecDeque;

use tokio::sync::Notify;
use tokio::task::coop::consume_budget;

use super::delta::InitialList;
use super::done::Done;
use super::handler::{AsyncEventHandler, Notification};
use super::key::{Object, object_to_name};
use super::lock::{Mutex, lock};
use super::observe::{Event, Observer};
use super::sync_tracker::SyncTracker;

/// Keeps what one handler has not been told yet, without a bound, and tells it one notification at a time, in order.
///
/// Whoever distributes never waits for a slow handler: [`add`](Self::add) only puts the notification into the buffer.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// use informer_lab::cache::{HandlerFuncs, InitialList, Notification, ProcessorListener};
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
    buffer: Mutex<Buffer<T>>,
    filled: Notify,
    tracker: SyncTracker,
    observer: Observer,
}

struct Buffer<T> {
    pending: VecDeque<Notification<T>>,
    closed: bool,
}

impl<T> ProcessorListener<T> {
    /// An empty listener; `id` is how observers tell listeners apart.
    pub fn new(id: usize) -> Self {
        Self {
            id,
            buffer: Mutex::new(Buffer { pending: VecDeque::new(), closed: false }),
            filled: Notify::new(),
            tracker: SyncTracker::default(),
            observer: Observer::default(),
        }
    }

    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// How many notifications the handler has not been given yet.
    pub fn pending(&self) -> usize {
        lock(&self.buffer).pending.len()
    }

    /// Takes the next notification; nothing once the listener is closed and empty.
    pub async fn pop(&self) -> Option<Notification<T>> {
        consume_budget().await; // a full buffer must not starve the other tasks of this thread
        loop {
            {
                let mut buffer = lock(&self.buffer);
                if let Some(notification) = buffer.pending.pop_front() {
                    return Some(notification);
                }
                if buffer.closed {
                    return None;
                }
            }
            self.filled.notified().await;
        }
    }

    /// Ends [`run`](Self::run) once everything in the buffer is handled. What is added later is dropped.
    pub fn close(&self) {
        lock(&self.buffer).closed = true;
        self.filled.notify_one();
    }

    /// Ends [`run`](Self::run) after the callback that is under way; what is in the buffer is dropped.
    pub fn discard(&self) {
        lock(&self.buffer).pending.clear();
        self.close();
    }

    /// Fires when the informer has synced and the handler has returned from every add of the initial list.
    pub fn synced(&self) -> Done {
        self.tracker.done()
    }

    pub(crate) fn upstream_synced(&self) {
        self.tracker.upstream_synced();
    }
}

impl<T: Object + Send + Sync + 'static> ProcessorListener<T> {
    /// Puts a notification into the buffer; never waits.
    pub fn add(&self, notification: Notification<T>) {
        let mut buffer = lock(&self.buffer);
        if buffer.closed {
            return;
        }
        if is_initial(&notification) {
            self.tracker.start(); // before the handler can be done with it
        }
        self.observer.tell(|| Event::Notified {
            listener: self.id,
            notification: notification.kind(),
            key: key_of(&notification),
        });
        buffer.pending.push_back(notification);
        drop(buffer);
        self.filled.notify_one();
    }

    /// Calls `handler` for one notification after the other until the listener is closed and empty. If the handler panics, or
    /// the future is dropped, the listener closes: nothing is kept for a handler that will not come back.
    pub async fn run(&self, mut handler: impl AsyncEventHandler<T>) {
        let _gone = Gone(self);
        while let Some(notification) = self.pop().await {
            let initial = is_initial(&notification);
            let called = self.observer.is_on().then(|| (notification.kind(), key_of(&notification)));
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
        self.0.discard();
    }
}

fn is_initial<T>(notification: &Notification<T>) -> bool {
    matches!(notification, Notification::Add { initial: InitialList::Yes, .. })
}

fn key_of<T: Object>(notification: &Notification<T>) -> String {
    let object = match notification {
        Notification::Add { object, .. } => object,
        Notification::Update { new, .. } => new,
        Notification::Delete(super::Deletion::Final(object)) => object,
        Notification::Delete(super::Deletion::FinalStateUnknown { key, .. }) => return key.clone(),
    };
    object_to_name(&**object).map(|name| name.to_string()).unwrap_or_default()
}
