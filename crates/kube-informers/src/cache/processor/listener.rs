//! Listener: the buffer of notifications between a processor and one handler, with the loop that calls the handler.
//! Upstream: `processorListener` in `tools/cache/shared_informer.go`.

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use futures::stream::StreamExt;
use tokio::task::coop::poll_proceed;

use super::buffer::{Buffer, Pending, PutOutcome};
use super::handler::{AsyncEventHandler, IntoEventHandler};
use super::notification::Notification;
use super::subscription::Subscription;
use super::sync_tracker::SyncTracker;
use crate::cache::delta::InitialList;
use crate::cache::key::Object;
use crate::cache::observe::{Event, Observer};
use crate::cache::signal::{Done, DoneSender};
use crate::cache::store::Snapshot;
use crate::lock::{Mutex, lock};

/// A buffer of notifications for one handler, which gets them one at a time, in order (client-go's
/// `processorListener`). Clones are the same listener.
///
/// The processor never waits for a slow handler, because [`add`](Self::add) only appends to the buffer. An informer
/// makes its own listeners. This type is public so that it can be studied and measured alone.
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
pub struct ProcessorListener<T>(Arc<Shared<T>>);

struct Shared<T> {
    id: usize,
    inbox: Mutex<Inbox<T>>,
    tracker: SyncTracker,
    /// Fires when no notification will be taken any more.
    ended: DoneSender,
    observer: Observer,
}

/// The buffer and its state, under one lock.
struct Inbox<T> {
    pending: Pending<T>,
    /// True if the listener accepts no more notifications.
    closed: bool,
    /// True once a subscription exists or existed. A listener has only one.
    taken: bool,
    /// The waker of the subscription, while it waits for a notification.
    waker: Option<Waker>,
}

/// The description of a notification for an observer.
#[derive(Clone, Debug)]
struct Description {
    notification: &'static str,
    key: String,
    resource_version: String,
    /// True for a deletion without a final state.
    tombstone: bool,
}

/// The notification that was taken last. It counts as handled when the next one is taken.
#[derive(Debug)]
pub(super) struct InFlight {
    /// True for an add of the initial list.
    initial: bool,
    description: Option<Description>,
}

impl<T> ProcessorListener<T> {
    /// Makes an empty listener. Observers distinguish listeners by `id`.
    pub fn new(id: usize) -> Self {
        Self::build(id, Buffer::Unbounded, Observer::default(), false)
    }

    pub(super) fn with_subscription(id: usize, buffer: Buffer, observer: Observer) -> (Self, Subscription<T>) {
        let listener = Self::build(id, buffer, observer, true);
        let subscription = Subscription::new(listener.clone());
        (listener, subscription)
    }

    fn build(id: usize, buffer: Buffer, observer: Observer, taken: bool) -> Self {
        let inbox = Inbox { pending: Pending::new(buffer), closed: false, taken, waker: None };
        let (inbox, tracker, ended) = (Mutex::new(inbox), SyncTracker::default(), DoneSender::new());
        Self(Arc::new(Shared { id, inbox, tracker, ended, observer }))
    }

    /// Returns a new, empty listener with another kind of buffer.
    #[must_use]
    pub fn buffer(self, buffer: Buffer) -> Self {
        Self::build(self.0.id, buffer, self.0.observer.clone(), false)
    }

    /// Returns a new, empty listener with an observer that gets the listener's events.
    #[must_use]
    pub fn observer(self, observer: Observer) -> Self {
        let buffer = lock(&self.0.inbox).pending.buffer();
        Self::build(self.0.id, buffer, observer, false)
    }

    /// Returns the number of buffered notifications, which may change at any moment.
    pub fn pending(&self) -> usize {
        lock(&self.0.inbox).pending.len()
    }

    /// Closes the listener: [`run`](Self::run) ends once the buffer is handled. Later notifications are dropped.
    pub fn close(&self) {
        let mut inbox = lock(&self.0.inbox);
        inbox.closed = true;
        let waker = inbox.waker.take();
        drop(inbox);
        self.0.tracker.upstream_stopped();
        waker.inspect(Waker::wake_by_ref);
    }

    /// Closes the listener and drops the buffer: [`run`](Self::run) ends after the current callback.
    pub fn discard(&self) {
        let mut inbox = lock(&self.0.inbox);
        inbox.closed = true;
        let dropped = inbox.pending.take();
        let waker = inbox.waker.take();
        drop(inbox);
        drop(dropped); // without the lock, because dropping an object may run user code
        self.0.tracker.give_up();
        waker.inspect(Waker::wake_by_ref);
    }

    /// Records that the subscription has ended, so that no notification is taken any more.
    pub(super) fn end(&self) {
        self.discard();
        self.0.ended.fire();
    }

    /// Returns a signal that fires when the informer has synced and the handler has returned from every add of the
    /// initial list, or ends as [`Never`](crate::cache::Never) if the handler is removed or the informer stops before
    /// that.
    pub fn synced(&self) -> Done {
        self.0.tracker.done()
    }

    /// Returns a signal that fires when [`run`](Self::run) has ended and the handler will not be called any more.
    pub fn ended(&self) -> Done {
        self.0.ended.done()
    }

    /// Records that the informer has distributed its first list.
    pub(super) fn upstream_synced(&self) {
        self.0.tracker.upstream_synced();
    }

    /// Returns the number by which its processor and observers know the listener.
    pub(super) fn id(&self) -> usize {
        self.0.id
    }

    /// Returns the subscription that takes the notifications; `None` if there was one before.
    fn take_subscription(&self) -> Option<Subscription<T>> {
        let taken = mem::replace(&mut lock(&self.0.inbox).taken, true);
        (!taken).then(|| Subscription::new(self.clone()))
    }

    /// Records that a notification has been handled.
    pub(super) fn handled(&self, InFlight { initial, description }: InFlight) {
        if initial {
            self.0.tracker.finished();
        }
        if let Some(Description { notification, key, .. }) = description {
            let pending = self.pending();
            self.0.observer.emit::<T>(|| Event::Called { listener: self.0.id, notification, key, pending });
        }
    }
}

impl<T: Object> ProcessorListener<T> {
    /// Adds a notification to the buffer, without waiting.
    pub fn add(&self, notification: Notification<T>) {
        let mut inbox = lock(&self.0.inbox);
        if inbox.closed {
            return;
        }
        if notification.is_initial() {
            self.0.tracker.start(); // before the handler can finish it
        }
        let description = self.describe(&notification);
        let put = inbox.pending.put(notification);
        if let Some(description) = description {
            let (listener, pending) = (self.0.id, inbox.pending.len());
            let Description { notification, key, resource_version, tombstone } = description;
            self.0.observer.emit::<T>(|| match put {
                PutOutcome::Appended => {
                    Event::Notified { listener, notification, key, resource_version, tombstone, pending }
                }
                PutOutcome::Merged { .. } => {
                    Event::Coalesced { listener, notification, key, resource_version, tombstone, pending }
                }
            });
        }
        let waker = inbox.waker.take();
        drop(inbox);
        if let PutOutcome::Merged { initial_adds_gone } = put {
            (0..initial_adds_gone).for_each(|_| self.0.tracker.finished());
        }
        if let Some(waker) = waker {
            waker.wake(); // without the lock, because the woken task takes the lock at once
        }
    }

    /// Emits the event that the listener has joined, and that it first gets an add of each of `existing` objects.
    pub(super) fn emit_joined(&self, existing: usize) {
        self.0.observer.emit::<T>(|| {
            let coalesces = lock(&self.0.inbox).pending.buffer() == Buffer::Coalesced;
            Event::Joined { listener: self.0.id, coalesces, existing }
        });
    }

    /// Adds an initial add for each object. Called before the processor knows the listener.
    pub(super) fn replay(&self, objects: &Snapshot<T>) {
        self.0.tracker.start_many(objects.len());
        let mut inbox = lock(&self.0.inbox);
        for object in objects {
            let addition = Notification::Add { object: object.clone(), initial: InitialList::Yes };
            let description = self.describe(&addition);
            inbox.pending.put(addition);
            if let Some(Description { notification, key, resource_version, tombstone }) = description {
                let (listener, pending) = (self.0.id, inbox.pending.len());
                self.0.observer.emit::<T>(|| Event::Notified {
                    listener,
                    notification,
                    key,
                    resource_version,
                    tombstone,
                    pending,
                });
            }
        }
    }

    /// Takes the next notification; `None` once the listener is closed and empty.
    pub(super) fn poll_take(&self, cx: &mut Context<'_>) -> Poll<Option<(Notification<T>, InFlight)>> {
        // A handler that never has to wait must not starve the other tasks of this thread.
        let proceed = ready!(poll_proceed(cx));
        let mut inbox = lock(&self.0.inbox);
        let Some(notification) = inbox.pending.pop() else {
            if inbox.closed {
                return Poll::Ready(None);
            }
            if inbox.waker.as_ref().is_none_or(|waker| !waker.will_wake(cx.waker())) {
                inbox.waker = Some(cx.waker().clone());
            }
            return Poll::Pending;
        };
        let description = self.describe(&notification);
        if let Some(Description { notification, key, .. }) = &description {
            let (notification, key, pending) = (*notification, key.clone(), inbox.pending.len());
            self.0.observer.emit::<T>(|| Event::Calling { listener: self.0.id, notification, key, pending });
        }
        drop(inbox);
        proceed.made_progress();
        let in_flight = InFlight { initial: notification.is_initial(), description };
        Poll::Ready(Some((notification, in_flight)))
    }

    fn describe(&self, notification: &Notification<T>) -> Option<Description> {
        self.0.observer.is_on().then(|| Description {
            notification: notification.kind(),
            key: notification.key(),
            resource_version: match notification.object() {
                Some(object) => object.meta().resource_version.to_owned(),
                None => String::new(),
            },
            tombstone: matches!(notification, Notification::Delete(deletion) if deletion.is_tombstone()),
        })
    }
}

impl<T: Object + Send + Sync + 'static> ProcessorListener<T> {
    /// Calls `handler` with one notification after another until the listener is closed and empty.
    ///
    /// If the handler panics or the future is dropped, the listener closes and drops its buffer. A second run ends at
    /// once.
    pub async fn run<Form>(&self, handler: impl IntoEventHandler<T, Form>) {
        if let Some(subscription) = self.take_subscription() {
            handle_all(subscription, handler.into_event_handler()).await;
        }
    }
}

pub(super) async fn handle_all<T: Object>(mut subscription: Subscription<T>, mut handler: impl AsyncEventHandler<T>) {
    while let Some(notification) = subscription.next().await {
        handler.handle(notification).await;
    }
}

impl<T> Clone for ProcessorListener<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for ProcessorListener<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessorListener")
            .field("id", &self.0.id)
            .field("pending", &self.pending())
            .finish_non_exhaustive()
    }
}
