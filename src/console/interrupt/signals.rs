//! Listens for signals on a separate thread. `signals_wasm.rs` replaces this file in a web page.

use std::{io, thread};

use super::{HUNG_UP, INTERRUPTED, Interrupt, TERMINATED};

/// Reports every signal to `interrupt` from now on.
pub(super) fn report_to(interrupt: Interrupt) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _context = runtime.enter();
        Signals::new()?
    };
    thread::Builder::new().name("signals".into()).spawn(move || {
        runtime.block_on(async {
            loop {
                interrupt.receive(signals.next().await);
            }
        });
    })?;
    Ok(())
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None` if this process ignores SIGHUP, as under `nohup`, or may ignore it.
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

/// Returns true if this process was started with SIGHUP ignored. Only Linux shows that; other systems count as ignoring
/// it, so that `nohup` works.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit is signal 1, SIGHUP.
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
        // Without a handler the system ends the process on Ctrl-C by itself.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        INTERRUPTED
    }
}
