//! The events that wait for the reader of one watch. The watch cache can empty the queue: a reader that is further
//! behind than the history must not keep alive the events that the history has dropped.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use super::watch_event::WatchEvent;

/// The watch must end: its queue is full, its reader is gone, or its reader is behind the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost;

/// The end of a queue that the watch cache writes to. Dropping it ends the stream after the events that wait.
#[derive(Debug)]
pub(super) struct EventSender(Arc<Queue>);

/// The end of a queue that a watch reads from.
#[derive(Debug)]
pub(crate) struct EventReceiver(Arc<Queue>);

#[derive(Debug)]
struct Queue {
    state: Mutex<State>,
    /// Notified when an event arrives or the stream ends. There is one reader.
    changed: Notify,
    /// The largest number of events that wait.
    most: usize,
}

#[derive(Debug, Default)]
struct State {
    /// Each event with the revision of its write, in order.
    events: VecDeque<(u64, Arc<WatchEvent>)>,
    has_ended: bool,
}

/// Makes the queue of a watch.
pub(super) fn event_queue(most: usize) -> (EventSender, EventReceiver) {
    let queue = Arc::new(Queue { state: Mutex::default(), changed: Notify::new(), most });
    (EventSender(queue.clone()), EventReceiver(queue))
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_one();
    }
}

impl EventSender {
    pub(super) fn send(&self, revision: u64, event: Arc<WatchEvent>) -> Result<(), Lost> {
        let mut state = self.0.state();
        if state.has_ended || state.events.len() >= self.0.most {
            return Err(Lost);
        }
        state.events.push_back((revision, event));
        drop(state);
        self.0.changed.notify_one();
        Ok(())
    }

    /// Drops all events if the first of them is of this revision or an earlier one, and then returns `Lost`.
    pub(super) fn drop_if_behind(&self, revision: u64) -> Result<(), Lost> {
        let mut state = self.0.state();
        if state.events.front().is_none_or(|(first, _)| *first > revision) {
            return Ok(());
        }
        state.events = VecDeque::new();
        Err(Lost)
    }
}

impl Drop for EventSender {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl EventReceiver {
    /// Returns the next event; `None` at the end of the stream.
    pub(crate) async fn recv(&mut self) -> Option<Arc<WatchEvent>> {
        loop {
            let changed = self.0.changed.notified();
            {
                let mut state = self.0.state();
                match state.events.pop_front() {
                    Some((_, event)) => return Some(event),
                    None if state.has_ended => return None,
                    None => {}
                }
            }
            changed.await;
        }
    }
}

impl Drop for EventReceiver {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::watch_event::EventType;
    use kube_machinery::value::json;

    fn event(name: &str) -> Arc<WatchEvent> {
        Arc::new(WatchEvent::made(EventType::Bookmark, json!({"metadata": {"name": name}})))
    }

    /// Returns the name in an event that [`event`] has made.
    fn name(event: Option<Arc<WatchEvent>>) -> Option<String> {
        event.map(|event| event.value().unwrap()["metadata"]["name"].as_str().unwrap_or_default().to_owned())
    }

    #[tokio::test]
    async fn a_stream_ends_after_the_events_that_wait() {
        let (sender, mut receiver) = event_queue(2);
        let sent = [(1, "a"), (2, "b"), (3, "c")].map(|(revision, name)| sender.send(revision, event(name)));
        assert_eq!(sent, [Ok(()), Ok(()), Err(Lost)]);
        drop(sender);
        let received = [name(receiver.recv().await), name(receiver.recv().await), name(receiver.recv().await)];
        assert_eq!(received, [Some("a".to_owned()), Some("b".to_owned()), None]);
    }

    #[tokio::test]
    async fn a_reader_behind_the_history_loses_its_events() {
        let (sender, mut receiver) = event_queue(9);
        let reader = tokio::spawn(async move { (receiver.recv().await, receiver.recv().await, receiver) });
        tokio::task::yield_now().await;
        sender.send(1, event("a")).unwrap();
        tokio::task::yield_now().await;
        sender.send(3, event("b")).unwrap();
        assert_eq!(sender.drop_if_behind(2), Ok(()), "the first event is taken");
        let (first, second, mut receiver) = reader.await.unwrap();
        assert_eq!((name(first).as_deref(), name(second).as_deref()), (Some("a"), Some("b")));
        sender.send(4, event("c")).unwrap();
        sender.send(5, event("d")).unwrap();
        assert_eq!(sender.drop_if_behind(4), Err(Lost));
        drop(sender);
        assert!(receiver.recv().await.is_none());
    }

    #[test]
    fn nothing_is_kept_for_a_reader_that_is_gone() {
        let (sender, receiver) = event_queue(9);
        drop(receiver);
        assert_eq!(sender.send(1, event("a")), Err(Lost));
    }
}
