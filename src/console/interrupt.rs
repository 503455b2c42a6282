//! Handles Ctrl-C, SIGTERM, and on Linux the SIGHUP of a closed terminal.
//!
//! The first signal stops a live run in order. A second signal ends the process at once, and so does the first one
//! while a recorded run is printed. A separate thread listens, so a signal is noticed even if the main thread is busy.
//! A recorded run without pauses is too short for that thread: there the system's default action ends the process.
//!
//! Windows has neither SIGTERM nor SIGHUP: only Ctrl-C stops a run in order, and closing the terminal ends it at once.

#[cfg_attr(target_family = "wasm", path = "interrupt/signals_wasm.rs")]
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

/// A signal this soon after the first counts as the same one, because some programs signal the process and then its
/// whole group.
const ONE_SIGNAL: Duration = Duration::from_millis(100);

/// The state of signal handling. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<State>);

#[derive(Debug, Default)]
struct State {
    stop: CancellationToken,
    listening: AtomicBool,
    /// True after a live run has begun, which must stop in order.
    in_order: AtomicBool,
    /// True while another program, such as a pager, uses the terminal. Ctrl-C is meant for that program.
    elsewhere: AtomicBool,
    /// The command of `informer-lab cluster -- COMMAND` that receives the signals, if there is one.
    command: Mutex<Option<CommandSignals>>,
    /// The exit code for the last signal, 0 if none came.
    code: AtomicU8,
    /// The time of the first signal.
    first: OnceLock<Instant>,
}

#[derive(Debug)]
struct CommandSignals {
    sender: UnboundedSender<u8>,
    /// The last signal and its time, to leave out a signal that comes twice.
    last: Option<(u8, Instant)>,
}

impl Interrupt {
    /// Returns a token for one live run. From now on the first signal cancels the token, instead of ending the process.
    pub(crate) fn arm(&self) -> io::Result<CancellationToken> {
        self.listen()?;
        self.0.in_order.store(true, Ordering::SeqCst);
        Ok(self.0.stop.child_token())
    }

    /// Starts listening, unless it has started already.
    ///
    /// # Errors
    /// The system cannot create a thread or a signal handler.
    pub fn listen(&self) -> io::Result<()> {
        if self.0.listening.swap(true, Ordering::SeqCst) {
            return Ok(());
        }
        signals::report_to(self.clone())
    }

    /// Runs `does` while another program uses the terminal. Ctrl-C reaches both, so it is ignored here.
    pub(super) fn leave_to_another<T>(&self, does: impl FnOnce() -> T) -> io::Result<T> {
        self.listen()?;
        self.0.elsewhere.store(true, Ordering::SeqCst);
        let done = does();
        self.0.elsewhere.store(false, Ordering::SeqCst);
        Ok(done)
    }

    /// Hands all further signals to a command, as exit codes; they no longer end anything here.
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn hand_over(&self) -> UnboundedReceiver<u8> {
        let (sender, signals) = unbounded_channel();
        let mut command = self.command();
        if let Some(code) = self.code() {
            let _ = sender.send(code); // a signal came just before the handover
        }
        *command = Some(CommandSignals { sender, last: None });
        signals
    }

    fn command(&self) -> MutexGuard<'_, Option<CommandSignals>> {
        self.0.command.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the exit code for the last signal, if there was one.
    pub(crate) fn code(&self) -> Option<u8> {
        Some(self.0.code.load(Ordering::SeqCst)).filter(|&code| code != 0)
    }

    #[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a web page has no signals"))]
    /// Handles one signal, given as its exit code. The thread that listens calls this.
    fn receive(&self, code: u8) {
        if code == INTERRUPTED && self.0.elsewhere.load(Ordering::SeqCst) {
            return;
        }
        if let Some(command) = &mut *self.command() {
            command.receive(code);
            return;
        }
        let is_first = self.0.code.swap(code, Ordering::SeqCst) == 0;
        if !is_first && self.0.first.get().is_some_and(|first| first.elapsed() < ONE_SIGNAL) {
            return;
        }
        self.0.first.get_or_init(Instant::now);
        if !is_first || !self.0.in_order.load(Ordering::SeqCst) {
            super::restore_echo();
            std::process::exit(code.into());
        }
        self.0.stop.cancel();
    }
}

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a web page has no signals"))]
impl CommandSignals {
    /// Sends a signal to the command, unless it is the same one again.
    fn receive(&mut self, code: u8) {
        let now = Instant::now();
        let again = self.last.replace((code, now)).is_some_and(|(last, at)| last == code && now - at < ONE_SIGNAL);
        if !again {
            let _ = self.sender.send(code); // the command may have ended
        }
    }
}
