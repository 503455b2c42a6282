//! Subscription: an informer's notifications as a stream, an alternative to a handler.

use std::fmt;
use std::pin::Pin;
use std::sync::Weak;
use std::task::{Context, Poll, ready};

use futures::stream::Stream;

use super::Listeners;
use super::listener::{InFlight, ProcessorListener};
use super::notification::Notification;
use crate::cache::key::Object;
use crate::cache::signal::Done;
use crate::lock::Mutex;

/// A stream of an informer's [`Notification`]s, in order. It has no counterpart in client-go.
///
/// The informer does not wait for the stream's consumer: notifications wait in the subscription's own buffer (see
/// [`Buffer`](crate::cache::Buffer)). A notification counts as handled when the consumer polls for the next one. The
/// stream ends when the informer has stopped and the buffer is empty. Dropping the stream unsubscribes.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use futures::StreamExt;
/// use kube_informers::cache::{HandlerOptions, ListWatch, Notification, SharedIndexInformer};
/// use kube_testcluster::Cluster;
/// use k8s_openapi::api::core::v1::Namespace;
/// use tokio_util::sync::CancellationToken;
///
/// let cluster = Cluster::builder().start();
/// let informer = SharedIndexInformer::new(ListWatch::<Namespace>::all(cluster.client("default")));
/// let mut changes = informer.subscribe(HandlerOptions::new())?;
///
/// let stop = CancellationToken::new();
/// let running = tokio::spawn(informer.clone().run(stop.clone()));
/// let first = changes.next().await;
/// assert!(matches!(first, Some(Notification::Add { .. })));
/// stop.cancel();
/// while changes.next().await.is_some() {}
/// running.await??;
/// # Ok(()) }
/// ```
#[must_use = "dropping a subscription unsubscribes"]
pub struct Subscription<T> {
    listener: ProcessorListener<T>,
    /// The notification that was taken last. It counts as handled when the next one is polled for.
    in_flight: Option<InFlight>,
    /// The listeners that the subscription leaves when it is dropped. Empty if it belongs to a handler, which is
    /// removed by its [`Registration`](super::Registration).
    unsubscribes_from: Weak<Mutex<Listeners<T>>>,
}

impl<T> Subscription<T> {
    pub(super) fn new(listener: ProcessorListener<T>) -> Self {
        Self { listener, in_flight: None, unsubscribes_from: Weak::new() }
    }

    pub(super) fn unsubscribing_from(mut self, listeners: Weak<Mutex<Listeners<T>>>) -> Self {
        self.unsubscribes_from = listeners;
        self
    }

    /// Returns a signal that fires when every add of the initial list has been taken and the consumer has polled for
    /// the next item. It ends as [`Never`](crate::cache::Never) if the subscription is dropped or the informer stops
    /// before that.
    pub fn synced(&self) -> Done {
        self.listener.synced()
    }

    /// Returns the number of buffered notifications, which may change at any moment.
    pub fn pending(&self) -> usize {
        self.listener.pending()
    }
}

impl<T: Object> Stream for Subscription<T> {
    type Item = Notification<T>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Notification<T>>> {
        if let Some(in_flight) = self.in_flight.take() {
            self.listener.handled(in_flight);
        }
        let Some((notification, in_flight)) = ready!(self.listener.poll_take(cx)) else {
            self.listener.end();
            return Poll::Ready(None);
        };
        self.in_flight = Some(in_flight);
        Poll::Ready(Some(notification))
    }
}

impl<T> Drop for Subscription<T> {
    fn drop(&mut self) {
        if let Some(listeners) = self.unsubscribes_from.upgrade() {
            Listeners::remove(&listeners, &self.listener);
        }
        self.listener.end();
    }
}

impl<T> fmt::Debug for Subscription<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("pending", &self.pending()).finish_non_exhaustive()
    }
}
