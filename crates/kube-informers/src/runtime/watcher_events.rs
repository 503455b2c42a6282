//! WatcherEvents: an informer's subscription as the event stream of kube-runtime's `watcher`.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{Fuse, FusedStream, Stream, StreamExt};
use kube_runtime::watcher::{self, Event};
use tracing::warn;

use crate::cache::{Deletion, InitialList, Never, Notification, Object, Subscription};

/// An informer's changes as the event stream of kube-runtime's `watcher`: `Init`, an `InitApply` for each existing
/// object, `InitDone`, then `Apply` and `Delete` events. The stream contains no errors.
///
/// It ends when the informer has stopped. If the informer stops before the first list is complete, there is no
/// `InitDone`.
#[must_use = "dropping it unsubscribes"]
pub struct WatcherEvents<K: Object> {
    changes: Fuse<Subscription<K>>,
    progress: Progress,
    /// The changes that came before `InitDone`. They are delayed until after it, because kube-runtime's stores ignore a
    /// `Delete` between `InitApply`s.
    held: VecDeque<Notification<K>>,
}

enum Progress {
    /// `Init` comes next.
    NotBegun,
    /// The initial list is coming, until this future is ready.
    Listing(BoxFuture<'static, Result<(), Never>>),
    /// The initial list is complete, and changes follow.
    Following,
    /// The informer stopped before the first list was complete.
    Incomplete,
}

impl<K: Object> WatcherEvents<K> {
    /// Converts a subscription from which nothing was taken yet.
    pub fn of(subscription: Subscription<K>) -> Self {
        Self { changes: subscription.fuse(), progress: Progress::NotBegun, held: VecDeque::new() }
    }
}

impl<K: Object + Clone> WatcherEvents<K> {
    /// Returns the next event of the initial list; `None` if the informer stopped before the list was complete.
    fn poll_list(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        // This signal fires only after a poll for the item behind the last initial one, so `InitDone` comes after all
        // `InitApply`s.
        let synced = self.changes.get_ref().synced();
        loop {
            match self.changes.poll_next_unpin(cx) {
                Poll::Ready(Some(Notification::Add { object, initial: InitialList::Yes })) => {
                    return Poll::Ready(Some(Event::InitApply(Arc::unwrap_or_clone(object))));
                }
                Poll::Ready(Some(other)) => self.held.push_back(other),
                Poll::Ready(None) if !synced.is_done() => return Poll::Ready(None),
                Poll::Ready(None) => {} // the informer has stopped, but its first list is complete
                Poll::Pending => {
                    let Progress::Listing(synced) = &mut self.progress else { return Poll::Pending };
                    if ready!(synced.poll_unpin(cx)).is_err() {
                        return Poll::Ready(None);
                    }
                }
            }
            if synced.is_done() {
                self.progress = Progress::Following;
                return Poll::Ready(Some(Event::InitDone));
            }
        }
    }

    fn poll_change(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<K>>> {
        loop {
            let change = match self.held.pop_front() {
                Some(change) => change,
                None => match ready!(self.changes.poll_next_unpin(cx)) {
                    Some(change) => change,
                    None => return Poll::Ready(None),
                },
            };
            let event = match change {
                Notification::Add { object, .. } | Notification::Update { new: object, .. } => {
                    Event::Apply(Arc::unwrap_or_clone(object))
                }
                Notification::Delete(Deletion::Final(object)) => Event::Delete(Arc::unwrap_or_clone(object)),
                Notification::Delete(Deletion::FinalStateUnknown { last_known: Some(object), .. }) => {
                    Event::Delete(Arc::unwrap_or_clone(object))
                }
                Notification::Delete(Deletion::FinalStateUnknown { key, last_known: None }) => {
                    warn!(key, "the deletion of an object that was never seen cannot be an event of kube-runtime");
                    continue;
                }
            };
            return Poll::Ready(Some(event));
        }
    }
}

impl<K: Object + Clone> Stream for WatcherEvents<K> {
    type Item = watcher::Result<Event<K>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let event = match self.progress {
            Progress::NotBegun => {
                let synced = self.changes.get_ref().synced();
                self.progress = Progress::Listing(async move { synced.wait().await }.boxed());
                Some(Event::Init)
            }
            Progress::Listing(_) => {
                let event = ready!(self.poll_list(cx));
                if event.is_none() {
                    self.progress = Progress::Incomplete;
                    self.held.clear(); // without `InitDone`, a kube-runtime store could not use these changes
                }
                event
            }
            Progress::Incomplete => None,
            Progress::Following => ready!(self.poll_change(cx)),
        };
        Poll::Ready(event.map(Ok))
    }
}

impl<K: Object + Clone> FusedStream for WatcherEvents<K> {
    fn is_terminated(&self) -> bool {
        match self.progress {
            Progress::Incomplete => true,
            _ => self.changes.is_terminated() && self.held.is_empty(),
        }
    }
}

impl<K: Object> fmt::Debug for WatcherEvents<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let progress = match self.progress {
            Progress::NotBegun => "not begun",
            Progress::Listing(_) => "listing",
            Progress::Following => "following",
            Progress::Incomplete => "incomplete",
        };
        f.debug_struct("WatcherEvents")
            .field("progress", &progress)
            .field("held", &self.held.len())
            .finish_non_exhaustive()
    }
}
