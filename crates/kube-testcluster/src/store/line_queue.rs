//! The lines that wait for the reader of one watch. The watch cache can empty the queue: a reader that is further behind
//! than the history must not keep alive what the history has dropped.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Notify;

/// The queue is full, or its reader is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lost;

/// The end of a queue that the watch cache writes to. Dropping it ends the stream after the lines that wait.
#[derive(Debug)]
pub(super) struct LineSender(Arc<Queue>);

/// The end of a queue that a watch reads from.
#[derive(Debug)]
pub(crate) struct LineReceiver(Arc<Queue>);

#[derive(Debug)]
struct Queue {
    state: Mutex<State>,
    /// Notified when a line arrives or the stream ends. There is one reader.
    changed: Notify,
    /// The largest number of lines that wait.
    most: usize,
}

#[derive(Debug, Default)]
struct State {
    /// Each line with the revision of its event, in order.
    lines: VecDeque<(u64, Bytes)>,
    has_ended: bool,
}

/// Makes the queue of a watch.
pub(super) fn line_queue(most: usize) -> (LineSender, LineReceiver) {
    let queue = Arc::new(Queue { state: Mutex::default(), changed: Notify::new(), most });
    (LineSender(queue.clone()), LineReceiver(queue))
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

impl LineSender {
    pub(super) fn send(&self, revision: u64, line: Bytes) -> Result<(), Lost> {
        let mut state = self.0.state();
        if state.has_ended || state.lines.len() >= self.0.most {
            return Err(Lost);
        }
        state.lines.push_back((revision, line));
        drop(state);
        self.0.changed.notify_one();
        Ok(())
    }

    /// Drops all lines if the first of them is of this revision or an earlier one.
    pub(super) fn keep_after(&self, revision: u64) -> Result<(), Lost> {
        let mut state = self.0.state();
        if state.lines.front().is_none_or(|(first, _)| *first > revision) {
            return Ok(());
        }
        state.lines = VecDeque::new();
        Err(Lost)
    }
}

impl Drop for LineSender {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl LineReceiver {
    /// Returns the next line; `None` at the end of the stream.
    pub(crate) async fn recv(&mut self) -> Option<Bytes> {
        loop {
            let changed = self.0.changed.notified();
            {
                let mut state = self.0.state();
                match state.lines.pop_front() {
                    Some((_, line)) => return Some(line),
                    None if state.has_ended => return None,
                    None => {}
                }
            }
            changed.await;
        }
    }
}

impl Drop for LineReceiver {
    fn drop(&mut self) {
        self.0.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &'static str) -> Bytes {
        Bytes::from_static(text.as_bytes())
    }

    #[tokio::test]
    async fn a_stream_ends_after_the_lines_that_wait() {
        let (sender, mut receiver) = line_queue(2);
        assert_eq!([1, 2, 3].map(|revision| sender.send(revision, line("a"))), [Ok(()), Ok(()), Err(Lost)]);
        drop(sender);
        assert_eq!((receiver.recv().await, receiver.recv().await), (Some(line("a")), Some(line("a"))));
        assert_eq!(receiver.recv().await, None);
    }

    #[tokio::test]
    async fn a_reader_behind_the_history_loses_its_lines() {
        let (sender, mut receiver) = line_queue(9);
        let reader = tokio::spawn(async move { (receiver.recv().await, receiver.recv().await, receiver) });
        tokio::task::yield_now().await;
        sender.send(1, line("a")).unwrap();
        tokio::task::yield_now().await;
        sender.send(3, line("b")).unwrap();
        assert_eq!(sender.keep_after(2), Ok(()), "the first line is taken");
        let (first, second, mut receiver) = reader.await.unwrap();
        assert_eq!((first, second), (Some(line("a")), Some(line("b"))));
        sender.send(4, line("c")).unwrap();
        sender.send(5, line("d")).unwrap();
        assert_eq!(sender.keep_after(4), Err(Lost));
        drop(sender);
        assert_eq!(receiver.recv().await, None);
    }

    #[test]
    fn nothing_is_kept_for_a_reader_that_is_gone() {
        let (sender, receiver) = line_queue(9);
        drop(receiver);
        assert_eq!(sender.send(1, line("a")), Err(Lost));
    }
}
