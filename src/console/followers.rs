//! Followers of a live run outside of the terminal, such as the board's page in a browser: they receive each record,
//! and may send the commands that the keyboard has.

use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

use crate::trace::Record;

/// The largest number of records that is kept. A follower that joins late needs the run from its beginning.
const MOST: usize = 200_000;

/// The channel between one live run and its followers. Clones share it.
#[derive(Clone, Debug)]
pub struct Followers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Each record so far, as a line of JSON.
    lines: Mutex<Vec<Arc<str>>>,
    /// Wakes the followers that wait for the next record.
    told: watch::Sender<Told>,
    most: usize,
    says: mpsc::Sender<String>,
    said: Mutex<Option<mpsc::Receiver<String>>>,
}

/// The number of records so far, and the reason if no more will come.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    count: usize,
    over: Option<Over>,
}

/// The reason why no more records come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The run has ended.
    Ended,
    /// The limit of kept records is reached. Nothing more is sent, because a picture with a gap would be wrong.
    Full,
}

/// A message to a follower.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A record, as a line of JSON.
    Record(Arc<str>),
    /// The last message.
    Over(Over),
}

/// The answer to a command that a follower sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// The command will be carried out.
    Taken,
    /// Too many commands wait.
    Busy,
    /// The run takes no more commands.
    Ended,
}

impl Default for Followers {
    fn default() -> Self {
        Self::keeping(MOST)
    }
}

impl Followers {
    fn keeping(most: usize) -> Self {
        let (says, said) = mpsc::channel(16);
        let (lines, told) = (Mutex::default(), watch::Sender::default());
        Self(Arc::new(Inner { lines, told, most, says, said: Mutex::new(Some(said)) }))
    }

    /// Sends a record to all followers. Beyond the limit, sends once that no more records come.
    pub(crate) fn hear(&self, record: &Record) {
        let Ok(line) = serde_json::to_string(record) else { return };
        let mut lines = self.0.lines.lock().expect(NO_PANIC);
        if lines.len() == self.0.most {
            return self.over(Over::Full);
        }
        lines.push(line.into());
        self.0.told.send_modify(|told| told.count = lines.len());
    }

    /// Tells all followers that the run has ended.
    pub fn end(&self) {
        self.over(Over::Ended);
    }

    /// Ends the stream of records. Only the first reason counts.
    fn over(&self, why: Over) {
        self.0.told.send_if_modified(|told| {
            let first = told.over.is_none();
            told.over = told.over.or(Some(why));
            first
        });
    }

    /// Waits for the record with this number, counted from 0, or for the end of the records.
    pub async fn heard(&self, number: usize) -> Heard {
        let mut told = self.0.told.subscribe();
        let told = told.wait_for(|told| told.count > number || told.over.is_some()).await.map(|told| *told);
        match self.0.lines.lock().expect(NO_PANIC).get(number) {
            Some(line) => Heard::Record(Arc::clone(line)),
            None => Heard::Over(told.ok().and_then(|told| told.over).unwrap_or(Over::Ended)),
        }
    }

    /// Sends a command to the run, as the keyboard would.
    pub fn say(&self, line: String) -> Said {
        match self.0.says.try_send(line) {
            Ok(()) => Said::Taken,
            Err(TrySendError::Full(_)) => Said::Busy,
            Err(TrySendError::Closed(_)) => Said::Ended,
        }
    }

    /// Returns the receiver of commands. Only the first call gets it.
    pub(crate) fn said(&self) -> Option<mpsc::Receiver<String>> {
        self.0.said.lock().expect(NO_PANIC).take()
    }
}

const NO_PANIC: &str = "no code panics while it holds this lock";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::trace::{Header, What};

    fn record() -> Record {
        Record::said(Duration::ZERO, What::Run(Header::new("reflector")))
    }

    #[tokio::test]
    async fn followers_hear_once_that_the_limit_of_records_is_reached() {
        let followers = Followers::keeping(2);
        for _ in 0..4 {
            followers.hear(&record());
        }
        followers.end();
        assert!(matches!(followers.heard(1).await, Heard::Record(_)), "records before the limit are sent");
        assert_eq!(followers.heard(2).await, Heard::Over(Over::Full), "the first reason counts");
    }

    #[tokio::test]
    async fn a_waiting_follower_hears_the_end() {
        let followers = Followers::default();
        followers.hear(&record());
        let (heard, ()) = tokio::join!(followers.heard(1), async { followers.end() });
        assert_eq!(heard, Heard::Over(Over::Ended));
    }

    #[test]
    fn a_command_is_taken_until_too_many_wait_or_the_run_takes_no_more() {
        let followers = Followers::default();
        let said: Vec<_> = (0..17).map(|_| followers.say("resync".to_owned())).collect();
        assert!(said[..16].iter().all(|said| *said == Said::Taken), "{said:?}");
        assert_eq!(said[16], Said::Busy);
        drop(followers.said());
        assert_eq!(followers.say("resync".to_owned()), Said::Ended);
    }
}
