//! Those who follow a live run from elsewhere than the terminal: they hear each record, and may say what the keyboard could.

use std::sync::{Arc, Mutex};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};

use crate::trace::Record;

/// The most that is kept for those who come later: a page needs a run from its beginning.
const MOST: usize = 200_000;

/// The followers of one live run. Clones are the same.
#[derive(Clone, Debug)]
pub struct Followers(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Each record so far as a line of JSON.
    lines: Mutex<Vec<Arc<str>>>,
    /// For who waits for more.
    told: watch::Sender<Told>,
    most: usize,
    says: mpsc::Sender<String>,
    said: Mutex<Option<mpsc::Receiver<String>>>,
}

/// How many records there are, and whether there will be more.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    count: usize,
    over: Option<Over>,
}

/// Why nothing more is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The run has ended.
    Ended,
    /// No more than this is kept: a picture with a gap would be wrong.
    Full,
}

/// What a follower hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A record, as a line of JSON.
    Record(Arc<str>),
    /// The last that is heard.
    Over(Over),
}

/// What became of a line that was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It will be done.
    Taken,
    /// Too many lines wait.
    Busy,
    /// Nobody takes lines any more.
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

    /// Tells all of a record; beyond the most that is kept, once that nothing more is told.
    pub(crate) fn hear(&self, record: &Record) {
        let Ok(line) = serde_json::to_string(record) else { return };
        let mut lines = self.0.lines.lock().expect(NO_PANIC);
        if lines.len() == self.0.most {
            return self.over(Over::Full);
        }
        lines.push(line.into());
        self.0.told.send_modify(|told| told.count = lines.len());
    }

    /// Tells all that the run has ended.
    pub fn end(&self) {
        self.over(Over::Ended);
    }

    /// Only the first reason counts.
    fn over(&self, why: Over) {
        self.0.told.send_if_modified(|told| {
            let first = told.over.is_none();
            told.over = told.over.or(Some(why));
            first
        });
    }

    /// The record with this number, counted from 0, when it is there; or that there will be none.
    pub async fn heard(&self, number: usize) -> Heard {
        let mut told = self.0.told.subscribe();
        let told = told.wait_for(|told| told.count > number || told.over.is_some()).await.map(|told| *told);
        match self.0.lines.lock().expect(NO_PANIC).get(number) {
            Some(line) => Heard::Record(Arc::clone(line)),
            None => Heard::Over(told.ok().and_then(|told| told.over).unwrap_or(Over::Ended)),
        }
    }

    /// Says a line, as it would be typed.
    pub fn say(&self, line: String) -> Said {
        match self.0.says.try_send(line) {
            Ok(()) => Said::Taken,
            Err(TrySendError::Full(_)) => Said::Busy,
            Err(TrySendError::Closed(_)) => Said::Ended,
        }
    }

    /// What is said, for the one who obeys it.
    pub(crate) fn said(&self) -> Option<mpsc::Receiver<String>> {
        self.0.said.lock().expect(NO_PANIC).take()
    }
}

const NO_PANIC: &str = "nothing panics under this lock";

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::trace::{Header, What};

    fn record() -> Record {
        Record::said(Duration::ZERO, What::Run(Header::new("reflector")))
    }

    #[tokio::test]
    async fn beyond_the_most_it_is_told_once_that_nothing_more_comes() {
        let followers = Followers::keeping(2);
        for _ in 0..4 {
            followers.hear(&record());
        }
        followers.end();
        assert!(matches!(followers.heard(1).await, Heard::Record(_)), "what came before is told");
        assert_eq!(followers.heard(2).await, Heard::Over(Over::Full), "and the first reason");
    }

    #[tokio::test]
    async fn the_end_is_told_to_who_waits() {
        let followers = Followers::default();
        followers.hear(&record());
        let (heard, ()) = tokio::join!(followers.heard(1), async { followers.end() });
        assert_eq!(heard, Heard::Over(Over::Ended));
    }

    #[test]
    fn a_line_is_taken_until_too_many_wait_or_nobody_takes_them() {
        let followers = Followers::default();
        let said: Vec<_> = (0..17).map(|_| followers.say("resync".to_owned())).collect();
        assert!(said[..16].iter().all(|said| *said == Said::Taken), "{said:?}");
        assert_eq!(said[16], Said::Busy);
        drop(followers.said());
        assert_eq!(followers.say("resync".to_owned()), Said::Ended);
    }
}
