//! A progress line for waits of more than a second, so that the user sees that the program is alive.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::trace::Printer;

/// The time after which a wait is shown, and the interval at which its seconds are updated.
const A_MOMENT: Duration = Duration::from_secs(1);

/// Shows the reason for waiting, with the seconds so far, in the terminal's footer until it is dropped. Shows nothing
/// in a pipe.
pub(crate) struct Progress {
    /// Dropped to end the thread.
    over: Option<Sender<()>>,
    /// The thread that draws the line.
    shows: Option<JoinHandle<()>>,
}

impl Progress {
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
        // If the thread cannot be started, nothing is shown.
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
