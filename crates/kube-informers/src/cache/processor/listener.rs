//! Listener: what one handler has not been told yet. Upstream: `processorListener` in `tools/cache/shared_informer.go`.

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use futures::stream::StreamExt;
use tokio::task::coop::poll_proceed;

use super::buffer::{Buffer, Pending, Put};
use super::handler::{AsyncEventHandler, IntoEventHandler};
use super::notification::Notification;
use super::subscription::Subscription;
use super::sync_tracker::SyncTracker;
use crate::cache::delta::InitialList;
use crate::cache::done::{Done, Firing};
use crate::cache::key::Object;
use crate::cache::observe::{Event, Observer};
use crate::cache::store::Snapshot;
use crate::lock::{Mutex, lock};

/// Keeps what one handler has not been told yet, and hands it out one notification at a time, in order. Clones are the same
/// listener.
///
/// Whoever distributes never waits for a slow handler: [`add`](Self::add) only puts the notification into the buffer. An informer
/// makes its listeners itself; this type is public to be studied and measured alone.
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
    ended: Firing,
    observer: Observer,
}

struct Inbox<T> {
    pending: Pending<T>,
    /// Nothing is added any more.
    closed: bool,
    /// Somebody takes the notifications, or did.
    taken: bool,
    /// The one who takes them, while there are none.
    waker: Option<Waker>,
}

/// What an observer is told of a notification.
#[derive(Clone, Debug)]
struct Told {
    notification: &'static str,
    key: String,
    resource_version: String,
    tombstone: bool,
}

/// What was handed out last; it is handled when the next notification is asked for.
#[derive(Debug)]
pub(super) struct InHand {
    initial: bool,
    /// What the observer will be told; only if there is one.
    called: Option<Told>,
}

impl<T> ProcessorListener<T> {
    /// An empty listener; `id` is how observers tell listeners apart.
    pub fn new(id: usize) -> Self {
        Self::with(id, Buffer::Unbounded, Observer::default(), false)
    }

    /// A listener, and the one who takes its notifications.
    pub(super) fn subscribed(id: usize, buffer: Buffer, observer: Observer) -> (Self, Subscription<T>) {
        let listener = Self::with(id, buffer, observer, true);
        let subscription = Subscription::of(listener.clone());
        (listener, subscription)
    }

    fn with(id: usize, buffer: Buffer, observer: Observer, taken: bool) -> Self {
        let inbox = Inbox { pending: Pending::new(buffer), closed: false, taken, waker: None };
        let (inbox, tracker, ended) = (Mutex::new(inbox), SyncTracker::default(), Firing::new());
        Self(Arc::new(Shared { id, inbox, tracker, ended, observer }))
    }

    /// An empty listener with another buffer: what becomes of notifications that the handler is too slow for.
    #[must_use]
    pub fn buffer(self, buffer: Buffer) -> Self {
        Self::with(self.0.id, buffer, self.0.observer.clone(), false)
    }

    /// An empty listener that tells `observer` what happens.
    #[must_use]
    pub fn observer(self, observer: Observer) -> Self {
        let buffer = lock(&self.0.inbox).pending.buffer();
        Self::with(self.0.id, buffer, observer, false)
    }

    /// How many notifications the handler has not been given yet. A gauge: it may be another number a moment later.
    pub fn pending(&self) -> usize {
        lock(&self.0.inbox).pending.len()
    }

    /// Ends [`run`](Self::run) once everything in the buffer is handled. What is added later is dropped.
    pub fn close(&self) {
        let mut inbox = lock(&self.0.inbox);
        inbox.closed = true;
        let waker = inbox.waker.take();
        drop(inbox);
        self.0.tracker.upstream_stopped();
        waker.inspect(Waker::wake_by_ref);
    }

    /// Ends [`run`](Self::run) after the callback that is under way; what is in the buffer is dropped.
    pub fn discard(&self) {
        let mut inbox = lock(&self.0.inbox);
        inbox.closed = true;
        let dropped = inbox.pending.take();
        let waker = inbox.waker.take();
        drop(inbox);
        drop(dropped); // without the lock: the drop of an object may do anything
        self.0.tracker.give_up();
        waker.inspect(Waker::wake_by_ref);
    }

    /// Nobody takes notifications any more.
    pub(super) fn end(&self) {
        self.discard();
        self.0.ended.fire();
    }

    /// Fires when the informer has synced and the handler has returned from every add of the initial list; never, if the
    /// handler is removed, or the informer stops, before.
    pub fn synced(&self) -> Done {
        self.0.tracker.done()
    }

    /// Fires when nobody will call the handler any more: [`run`](Self::run) has ended.
    pub fn ended(&self) -> Done {
        self.0.ended.done()
    }

    pub(super) fn upstream_synced(&self) {
        self.0.tracker.upstream_synced();
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The one who takes the notifications; nothing if there was one before.
    fn take(&self) -> Option<Subscription<T>> {
        let taken = mem::replace(&mut lock(&self.0.inbox).taken, true);
        (!taken).then(|| Subscription::of(self.clone()))
    }

    /// What was handed out has been handled.
    pub(super) fn handled(&self, InHand { initial, called }: InHand) {
        if initial {
            self.0.tracker.finished();
        }
        if let Some(Told { notification, key, .. }) = called {
            let pending = self.pending();
            self.0.observer.tell::<T>(|| Event::Called { listener: self.0.id, notification, key, pending });
        }
    }
}

impl<T: Object> ProcessorListener<T> {
    /// Puts a notification into the buffer; never waits.
    pub fn add(&self, notification: Notification<T>) {
        let mut inbox = lock(&self.0.inbox);
        if inbox.closed {
            return;
        }
        if notification.is_initial() {
            self.0.tracker.start(); // before the handler can be done with it
        }
        let told = self.described(&notification);
        let put = inbox.pending.put(notification);
        if let Some(told) = told {
            let (listener, pending) = (self.0.id, inbox.pending.len());
            let Told { notification, key, resource_version, tombstone } = told;
            self.0.observer.tell::<T>(|| match put {
                Put::Waits => Event::Notified { listener, notification, key, resource_version, tombstone, pending },
                Put::Merged { .. } => {
                    Event::Coalesced { listener, notification, key, resource_version, tombstone, pending }
                }
            });
        }
        let waker = inbox.waker.take();
        drop(inbox);
        if let Put::Merged { initial_adds_gone } = put {
            (0..initial_adds_gone).for_each(|_| self.0.tracker.finished());
        }
        if let Some(waker) = waker {
            waker.wake(); // without the lock, which the handler's loop takes first
        }
    }

    /// Tells the observer that the listener gets notifications from now on, of so many objects that exist first.
    pub(super) fn tell_joined(&self, existing: usize) {
        self.0.observer.tell::<T>(|| {
            let coalesces = lock(&self.0.inbox).pending.buffer() == Buffer::Coalesced;
            Event::Joined { listener: self.0.id, coalesces, existing }
        });
    }

    /// Puts in an addition of the initial list for each object, before the listener is known to anybody else.
    pub(super) fn replay(&self, objects: &Snapshot<T>) {
        self.0.tracker.start_many(objects.len());
        let mut inbox = lock(&self.0.inbox);
        for object in objects {
            let addition = Notification::Add { object: object.clone(), initial: InitialList::Yes };
            let told = self.described(&addition);
            inbox.pending.put(addition);
            if let Some(Told { notification, key, resource_version, tombstone }) = told {
                let (listener, pending) = (self.0.id, inbox.pending.len());
                self.0.observer.tell::<T>(|| Event::Notified {
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

    /// Takes the next notification; nothing once the listener is closed and empty.
    pub(super) fn poll_take(&self, cx: &mut Context<'_>) -> Poll<Option<(Notification<T>, InHand)>> {
        // A handler that always finds something must not starve the other tasks of this thread.
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
        let told = self.described(&notification);
        if let Some(Told { notification, key, .. }) = &told {
            let (notification, key, pending) = (*notification, key.clone(), inbox.pending.len());
            self.0.observer.tell::<T>(|| Event::Calling { listener: self.0.id, notification, key, pending });
        }
        drop(inbox);
        proceed.made_progress();
        let in_hand = InHand { initial: notification.is_initial(), called: told };
        Poll::Ready(Some((notification, in_hand)))
    }

    fn described(&self, notification: &Notification<T>) -> Option<Told> {
        self.0.observer.is_on().then(|| Told {
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
    /// Calls `handler` for one notification after the other until the listener is closed and empty. If the handler panics, or
    /// the future is dropped, the listener closes: nothing is kept for a handler that will not come back.
    ///
    /// A listener runs once; a second run ends at once.
    pub async fn run<Form>(&self, handler: impl IntoEventHandler<T, Form>) {
        if let Some(subscription) = self.take() {
            handle_all(subscription, handler.into_event_handler()).await;
        }
    }
}

/// A handler is a loop over a subscription.
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
