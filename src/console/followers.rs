//! Followers of a live run: pages of `informer-lab board` in a browser. They receive each record while the run goes
//! on, and may send the commands that the keyboard has.

use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

use crate::trace::{Record, to_json};

/// All records are kept up to this number, because a page that is opened late needs the run from its beginning.
const LIMIT: usize = 200_000;

/// The channel between one live run and its followers. Clones share it.
#[derive(Clone, Debug)]
pub struct Followers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    lines: Mutex<Vec<Arc<str>>>,
    /// Wakes the followers that wait for the next record.
    state: watch::Sender<StreamState>,
    /// The largest number of kept records: `LIMIT`, or less in a test.
    limit: usize,
    commands: mpsc::Sender<String>,
    /// The receiver of commands, until the run takes it.
    receiver: Mutex<Option<mpsc::Receiver<String>>>,
}

/// The number of records so far, and the reason if no more will come.
#[derive(Clone, Copy, Debug, Default)]
struct StreamState {
    count: usize,
    /// `None` while more records may come.
    end: Option<EndReason>,
}

/// The reason why no more records come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The run has ended.
    Ended,
    /// The limit of kept records is reached. Nothing more is sent, because a picture with a gap would be wrong.
    Full,
}

/// A message to a follower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A record, as a line of JSON.
    Record(Arc<str>),
    /// The last message.
    End(EndReason),
}

/// The answer to a command that a follower sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandResult {
    /// The command will be carried out.
    Taken,
    /// Too many commands wait.
    Busy,
    /// The run takes no more commands.
    Ended,
}

impl Default for Followers {
    fn default() -> Self {
        Self::with_limit(LIMIT)
    }
}

impl Followers {
    fn with_limit(limit: usize) -> Self {
        let (commands, receiver) = mpsc::channel(16);
        let (lines, state) = (Mutex::default(), watch::Sender::default());
        Self(Arc::new(Inner { lines, state, limit, commands, receiver: Mutex::new(Some(receiver)) }))
    }

    /// Sends a record to all followers. At the limit it ends the stream instead.
    pub(crate) fn publish(&self, record: &Record) {
        let Ok(line) = to_json(record) else { return };
        let mut lines = self.0.lines.lock().expect(NO_PANIC);
        if lines.len() == self.0.limit {
            return self.close(EndReason::Full);
        }
        lines.push(line.into());
        self.0.state.send_modify(|state| state.count = lines.len());
    }

    /// Sends to all followers that the run has ended.
    pub fn end(&self) {
        self.close(EndReason::Ended);
    }

    /// Ends the stream of records. Only the first reason counts.
    fn close(&self, reason: EndReason) {
        self.0.state.send_if_modified(|state| {
            let is_first = state.end.is_none();
            state.end = state.end.or(Some(reason));
            is_first
        });
    }

    /// Waits for the record with this number, counted from 0, or for the end of the records.
    pub async fn next_record(&self, number: usize) -> Message {
        let mut state = self.0.state.subscribe();
        let state = state.wait_for(|state| state.count > number || state.end.is_some()).await.map(|state| *state);
        match self.0.lines.lock().expect(NO_PANIC).get(number) {
            Some(line) => Message::Record(Arc::clone(line)),
            None => Message::End(state.ok().and_then(|state| state.end).unwrap_or(EndReason::Ended)),
        }
    }

    /// Sends a command to the run, as the keyboard would.
    pub fn send_command(&self, line: String) -> CommandResult {
        match self.0.commands.try_send(line) {
            Ok(()) => CommandResult::Taken,
            Err(TrySendError::Full(_)) => CommandResult::Busy,
            Err(TrySendError::Closed(_)) => CommandResult::Ended,
        }
    }

    /// Returns the receiver of commands. Only the first call gets it.
    pub(crate) fn take_commands(&self) -> Option<mpsc::Receiver<String>> {
        self.0.receiver.lock().expect(NO_PANIC).take()
    }
}

const NO_PANIC: &str = "no code panics while it holds this lock";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::trace::{Header, What};

    fn record() -> Record {
        Record::without_cause(Duration::ZERO, What::Run(Header::new("reflector")))
    }

    #[tokio::test]
    async fn followers_get_the_end_once_when_the_limit_of_records_is_reached() {
        let followers = Followers::with_limit(2);
        for _ in 0..4 {
            followers.publish(&record());
        }
        followers.end();
        assert!(matches!(followers.next_record(1).await, Message::Record(_)), "records before the limit are sent");
        assert_eq!(followers.next_record(2).await, Message::End(EndReason::Full), "the first reason counts");
    }

    #[tokio::test]
    async fn a_waiting_follower_gets_the_end() {
        let followers = Followers::default();
        followers.publish(&record());
        let (message, ()) = tokio::join!(followers.next_record(1), async { followers.end() });
        assert_eq!(message, Message::End(EndReason::Ended));
    }

    #[test]
    fn a_command_is_taken_until_too_many_wait_or_the_run_takes_no_more() {
        let followers = Followers::default();
        let results: Vec<_> = (0..17).map(|_| followers.send_command("resync".to_owned())).collect();
        assert!(results[..16].iter().all(|result| *result == CommandResult::Taken), "{results:?}");
        assert_eq!(results[16], CommandResult::Busy);
        drop(followers.take_commands());
        assert_eq!(followers.send_command("resync".to_owned()), CommandResult::Ended);
    }
}
