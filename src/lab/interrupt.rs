//! Ctrl-C and SIGTERM.
//!
//! A live run is asked to stop in order; a second signal ends the process at once, and so does the first while nothing needs an
//! order (a recorded run is printed). A thread of its own listens, so it is heard whatever the rest is doing; a recorded run that is
//! printed without a pace is over before that pays, and ends as the system ends a process.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;
/// Exit code after SIGTERM.
pub(super) const TERMINATED: u8 = 143;

/// What comes this soon after the first is the same signal: some programs send it to the process and again to its group.
const ONE_SIGNAL: Duration = Duration::from_millis(100);

/// What has been heard so far, once somebody listens. A clone hears the same.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<Heard>);

#[derive(Debug, Default)]
struct Heard {
    stop: CancellationToken,
    listening: AtomicBool,
    /// Whether a live run is on: it stops in order.
    in_order: AtomicBool,
    /// The exit code that the signal asks for; 0 before any.
    code: AtomicU8,
    /// When the first came.
    first: OnceLock<Instant>,
}

impl Interrupt {
    /// A token that is cancelled by the first signal, for one live run. From now on the first signal stops in order.
    ///
    /// # Errors
    /// The system gave no thread or no signal handler.
    pub(super) fn arm(&self) -> io::Result<CancellationToken> {
        self.listen()?;
        self.0.in_order.store(true, Ordering::SeqCst);
        Ok(self.0.stop.child_token())
    }

    /// Listens from now on, if nobody does yet.
    ///
    /// # Errors
    /// The system gave no thread or no signal handler.
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

    /// The exit code that a signal asked for, if one came.
    pub(super) fn code(&self) -> Option<u8> {
        Some(self.0.code.load(Ordering::SeqCst)).filter(|&code| code != 0)
    }

    fn hear(&self, code: u8) {
        let first = self.0.code.swap(code, Ordering::SeqCst) == 0;
        if !first && self.0.first.get().is_some_and(|first| first.elapsed() < ONE_SIGNAL) {
            return;
        }
        self.0.first.get_or_init(Instant::now);
        if !first || !self.0.in_order.load(Ordering::SeqCst) {
            std::process::exit(code.into());
        }
        self.0.stop.cancel();
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn next(&mut self) -> u8 {
        tokio::select! {
            biased;
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => TERMINATED,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> u8 {
        // A system that gives no Ctrl-C handler ends the process by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        INTERRUPTED
    }
}
