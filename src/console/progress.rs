//! What the program waits for, where it waits for longer than a moment.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::trace::Printer;

/// A wait is shown once it has lasted this long, and its seconds are counted.
const A_MOMENT: Duration = Duration::from_secs(1);

/// Shows what is waited for, with the seconds so far, below everything that is printed on a terminal. Dropped, it is gone; in a pipe
/// there is nothing to see.
pub(crate) struct Progress {
    over: Option<Sender<()>>,
    shows: Option<JoinHandle<()>>,
}

impl Progress {
    /// Of something that begins now.
    pub(crate) fn begin(printer: &Printer, words: (&str, &str)) -> Self {
        let what = printer.pick(words.0, words.1).to_owned();
        let (over, is_over) = mpsc::channel();
        let (printer, began) = (printer.clone(), Instant::now());
        let show = move || {
            while is_over.recv_timeout(A_MOMENT) == Err(RecvTimeoutError::Timeout) {
                printer.footer(Some(&format!("{what} … {} s", began.elapsed().as_secs())));
            }
            printer.footer(None);
        };
        // Without a thread nothing is shown.
        Self { over: Some(over), shows: thread::Builder::new().name("progress".into()).spawn(show).ok() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.over.take());
        if let Some(shows) = self.shows.take() {
            let _ = shows.join();
        }
    }
}
