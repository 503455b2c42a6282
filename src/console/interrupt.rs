//! Ctrl-C, SIGTERM, and on Linux the SIGHUP of a terminal that is closed.
//!
//! The first signal stops a live run in order. A second signal ends the process at once, and so does the first one
//! while a recorded run is printed. A separate thread listens, so that a signal is noticed whatever the rest does. A
//! recorded run that is printed without pauses is too short for that thread: there the signal ends the process in the
//! system's way.
//!
//! Windows has none of the other two: there only Ctrl-C stops a run in order, and a terminal that is closed ends it at once.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;
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
    /// The exit code for the last signal; 0 before any.
    code: AtomicU8,
    /// The time of the first signal.
    first: OnceLock<Instant>,
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
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        let mut signals = {
            let _context = runtime.enter();
            Signals::new()?
        };
        let heard = self.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            runtime.block_on(async {
                loop {
                    heard.hear(signals.next().await);
                }
            });
        })?;
        Ok(())
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

    /// The exit code for the last signal, if there was one.
    pub(crate) fn code(&self) -> Option<u8> {
        Some(self.0.code.load(Ordering::SeqCst)).filter(|&code| code != 0)
    }

    fn hear(&self, code: u8) {
        if code == INTERRUPTED && self.0.elsewhere.load(Ordering::SeqCst) {
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

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None` where SIGHUP is left as it is: ignored, as by `nohup`, or nobody can tell.
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let hang_up = (!ignores_hang_up()).then(|| signal(SignalKind::hangup())).transpose()?;
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        Ok(Self { interrupt, terminate, hang_up })
    }

    async fn next(&mut self) -> u8 {
        let hang_up = async {
            match &mut self.hang_up {
                Some(signal) => drop(signal.recv().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => TERMINATED,
            () = hang_up => HUNG_UP,
        }
    }
}

/// Whether this process was started with SIGHUP ignored. Only Linux tells; elsewhere the answer is yes, so that `nohup` holds.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // A bit each, from signal 1, which is SIGHUP.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_none_or(|mask| mask & 1 == 1)
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> u8 {
        // A system without a Ctrl-C handler ends the process by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        INTERRUPTED
    }
}
