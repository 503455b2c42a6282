//! Those who follow a live run from elsewhere than the terminal: they hear each record, and may say what the keyboard could.

use std::sync::{Arc, Mutex};

use tokio::sync::{mpsc, watch};

use crate::trace::Record;

/// The most that is kept for those who come later: a page needs a run from its beginning.
const MOST: usize = 200_000;

/// The listeners of one live run. Clones are the same.
#[derive(Clone, Debug)]
pub struct Audience(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Each record so far as a line of JSON.
    lines: Mutex<Vec<Arc<str>>>,
    /// How many these are, for who waits for more.
    count: watch::Sender<usize>,
    says: mpsc::Sender<String>,
    said: Mutex<Option<mpsc::Receiver<String>>>,
}

impl Default for Audience {
    fn default() -> Self {
        let (says, said) = mpsc::channel(16);
        let inner = Inner { lines: Mutex::default(), count: watch::Sender::new(0), says, said: Mutex::new(Some(said)) };
        Self(Arc::new(inner))
    }
}

impl Audience {
    /// Tells all of a record. Beyond the most that is kept nothing more is told: a picture with a gap would be wrong.
    pub(crate) fn hear(&self, record: &Record) {
        let Ok(line) = serde_json::to_string(record) else { return };
        let mut lines = self.0.lines.lock().expect(NO_PANIC);
        if lines.len() < MOST {
            lines.push(line.into());
            self.0.count.send_replace(lines.len());
        }
    }

    /// The record with this number, counted from 0, when it is there.
    pub async fn heard(&self, number: usize) -> Option<Arc<str>> {
        let mut count = self.0.count.subscribe();
        count.wait_for(|count| *count > number).await.ok()?;
        self.0.lines.lock().expect(NO_PANIC).get(number).cloned()
    }

    /// Says a line, as it would be typed; whether the run takes it.
    pub fn say(&self, line: String) -> bool {
        self.0.says.try_send(line).is_ok()
    }

    /// What is said, for the one who obeys it.
    pub(crate) fn said(&self) -> Option<mpsc::Receiver<String>> {
        self.0.said.lock().expect(NO_PANIC).take()
    }
}

const NO_PANIC: &str = "nothing panics under this lock";
