//! Ctrl-C, SIGTERM, and on Linux the SIGHUP of a terminal that is closed.
//!
//! The first signal stops a live run in order. A second signal ends the process at once, and so does the first one
//! while a recorded run is printed. A separate thread listens, so that a signal is noticed whatever the rest does. A
//! recorded run that is printed without pauses is too short for that thread: there the signal ends the process in the
//! system's way.
//!
//! Windows has none of the other two: there only Ctrl-C stops a run in order, and a terminal that is closed ends it at once.

#[cfg_attr(target_family = "wasm", path = "interrupt/no_signals.rs")]
mod signals;

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
#[cfg(not(target_family = "wasm"))]
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;

/// Exit code after Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;
/// Exit code after SIGTERM.
pub(crate) const TERMINATED: u8 = 143;
/// Exit code after SIGHUP.
pub(crate) const HUNG_UP: u8 = 129;

/// A signal this soon after the first counts as the same: some programs send one to the process and again to its group.
const ONE_SIGNAL: Duration = Duration::from_millis(100);

/// The signals so far. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Heard>);

#[derive(Debug, Default)]
struct Heard {
    stop: CancellationToken,
    listening: AtomicBool,
    /// Whether a live run is in progress, which must stop in order.
    in_order: AtomicBool,
    /// Whether another program has the terminal, which Ctrl-C is meant for.
    elsewhere: AtomicBool,
    /// The command that the signals are meant for, if there is one.
    command: Mutex<Option<Addressee>>,
    /// The exit code for the last signal; 0 before any.
    code: AtomicU8,
    /// The time of the first signal.
    first: OnceLock<Instant>,
}

/// Who is told of the signals.
#[derive(Debug)]
struct Addressee {
    told: UnboundedSender<u8>,
    last: Option<(u8, Instant)>,
}

impl Interrupt {
    /// A token that the first signal cancels, for one live run. From now on the first signal does not end the process.
    ///
    /// # Errors
    /// If the system cannot create a thread or a signal handler.
    pub(crate) fn arm(&self) -> io::Result<CancellationToken> {
        self.listen()?;
        self.0.in_order.store(true, Ordering::SeqCst);
        Ok(self.0.stop.child_token())
    }

    /// Starts listening, if nobody does yet.
    ///
    /// # Errors
    /// If the system cannot create a thread or a signal handler.
    pub fn listen(&self) -> io::Result<()> {
        if self.0.listening.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        signals::hear_with(self.clone())
    }

    /// Does what another program has the terminal for. Ctrl-C reaches that program too, and is its own until then.
    ///
    /// # Errors
    /// If the system cannot create a thread or a signal handler.
    pub(super) fn leave_to_another<T>(&self, does: impl FnOnce() -> T) -> io::Result<T> {
        self.listen()?;
        self.0.elsewhere.store(true, Ordering::SeqCst);
        let done = does();
        self.0.elsewhere.store(false, Ordering::SeqCst);
        Ok(done)
    }

    /// From now on, the signals are those of a command: each of them comes from this receiver, as an exit code, and none stops or ends
    /// anything here.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn hand_over(&self) -> UnboundedReceiver<u8> {
        let (told, signals) = unbounded_channel();
        let mut command = self.command();
        if let Some(code) = self.code() {
            let _ = told.send(code); // it came a moment ago
        }
        *command = Some(Addressee { told, last: None });
        signals
    }

    fn command(&self) -> MutexGuard<'_, Option<Addressee>> {
        self.0.command.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The exit code for the last signal, if there was one.
    pub(crate) fn code(&self) -> Option<u8> {
        Some(self.0.code.load(Ordering::SeqCst)).filter(|&code| code != 0)
    }

    #[cfg_attr(target_family = "wasm", allow(dead_code, reason = "nothing signals there"))]
    fn hear(&self, code: u8) {
        if code == INTERRUPTED && self.0.elsewhere.load(Ordering::SeqCst) {
            return;
        }
        if let Some(command) = &mut *self.command() {
            command.hear(code);
            return;
        }
        let first = self.0.code.swap(code, Ordering::SeqCst) == 0;
        if !first && self.0.first.get().is_some_and(|first| first.elapsed() < ONE_SIGNAL) {
            return;
        }
        self.0.first.get_or_init(Instant::now);
        if !first || !self.0.in_order.load(Ordering::SeqCst) {
            super::loud_again();
            std::process::exit(code.into());
        }
        self.0.stop.cancel();
    }
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "nothing signals there"))]
impl Addressee {
    fn hear(&mut self, code: u8) {
        let now = Instant::now();
        let again = self.last.replace((code, now)).is_some_and(|(last, at)| last == code && now - at < ONE_SIGNAL);
        if !again {
            let _ = self.told.send(code); // the command may have ended
        }
    }
}
