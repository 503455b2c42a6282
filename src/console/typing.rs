//! Reads the user's commands from standard input during a live run, while the program prints.
//!
//! On a terminal the unfinished line stays whole: it is the footer of the screen, and output goes above it. The
//! terminal's own echo would write it at the cursor, in the middle of the output. From a pipe, lines are read without
//! an echo.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Read};
use std::thread;

use tokio::sync::mpsc;

use super::typed_line::TypedLine;
use crate::trace::Printer;

const PROMPT: &str = "> ";

/// The number of chunks that are read ahead of the run. A pipe such as `yes |` blocks beyond it.
const AHEAD: usize = 16;

/// The interval at which a background process checks whether it is in the foreground again and may read.
#[cfg(unix)]
const BACKGROUND: std::time::Duration = std::time::Duration::from_millis(100);

pub(crate) struct Typing {
    chunks: mpsc::Receiver<Vec<u8>>,
    line: TypedLine,
    /// Lines that were ended by Enter and not returned yet.
    entered: VecDeque<String>,
    /// The screen and the keyboard for showing the typed line. `None` if the terminal echoes it, or nothing does.
    screen: Option<(Printer, QuietKeyboard)>,
}

impl Typing {
    /// Begins to read. Returns `None` for a background process, because the system stops one that reads from its
    /// terminal.
    pub(crate) fn begin(printer: &Printer) -> Option<Self> {
        if !is_ours() {
            return None;
        }
        // If standard output or standard error is piped, as in `| tee`, another program prints on the screen without
        // regard to the footer.
        let on_screen = io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
        let screen = on_screen.then(QuietKeyboard::begin).flatten().map(|keyboard| (printer.clone(), keyboard));
        let (sender, chunks) = mpsc::channel(AHEAD);
        read_input(move |chunk| sender.blocking_send(chunk).is_ok());
        let typing = Self { chunks, line: TypedLine::default(), entered: VecDeque::new(), screen };
        typing.show();
        Some(typing)
    }

    /// Returns the next line, or `None` at the end of standard input.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(line) = self.entered.pop_front() {
                return Some(line);
            }
            let Some(chunk) = self.chunks.recv().await else {
                return self.line.take_rest();
            };
            for byte in chunk {
                if let Some(line) = self.line.feed(byte) {
                    if let Some((printer, _)) = &self.screen {
                        printer.leave_footer(&format!("{PROMPT}{line}"));
                    }
                    self.entered.push_back(line);
                }
            }
            self.show();
        }
    }

    fn show(&self) {
        if let Some((printer, keyboard)) = &self.screen {
            keyboard.keep_quiet(); // a shell may have switched the echo on while the program was stopped
            printer.footer(Some(&format!("{PROMPT}{}", self.line.text())));
        }
    }
}

impl Drop for Typing {
    fn drop(&mut self) {
        if let Some((printer, _)) = &self.screen {
            printer.footer(None);
        }
    }
}

/// Returns true if this process may read standard input and change its terminal's settings.
fn is_ours() -> bool {
    #[cfg(unix)]
    if io::stdin().is_terminal() {
        return rustix::termios::tcgetpgrp(io::stdin())
            .is_ok_and(|foreground| foreground == rustix::process::getpgrp());
    }
    true
}

/// Reads standard input on a separate thread, because a blocking read cannot be cancelled. The thread ends at the end of
/// the input, or when `send` returns false.
pub(super) fn read_input(mut send: impl FnMut(Vec<u8>) -> bool + Send + 'static) {
    let read = move || {
        let mut bytes = [0; 1024];
        loop {
            wait_for_input();
            let Ok(count @ 1..) = io::stdin().lock().read(&mut bytes) else { break };
            if !send(bytes[..count].to_vec()) {
                break;
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("keyboard".into()).spawn(read) {
        tracing::warn!(%error, "standard input is not read: cannot start a thread");
    }
}

/// Waits until this process has input to read. A shell may have moved the process to the background, where reading
/// would stop it.
#[cfg(unix)]
fn wait_for_input() {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdin = io::stdin();
    loop {
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], None) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) if !is_ours() => thread::sleep(BACKGROUND), // the input belongs to the foreground process
            _ => return,
        }
    }
}

#[cfg(not(unix))]
fn wait_for_input() {}

#[cfg(unix)]
pub(crate) use unix::{QuietKeyboard, restore_echo};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Mutex;

    use super::is_ours;
    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr};

    /// The terminal's original settings, while the keyboard is quiet.
    static LOUD: Mutex<Option<Termios>> = Mutex::new(None);

    /// Switches off the terminal's echo and its line buffering while this lives. Ctrl-C is still a signal.
    pub(crate) struct QuietKeyboard(Termios);

    impl QuietKeyboard {
        /// Switches the echo off. Returns `None` if that is not possible.
        pub(crate) fn begin() -> Option<Self> {
            let loud = tcgetattr(io::stdin()).ok()?;
            let mut quiet = loud.clone();
            quiet.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
            quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
            *LOUD.lock().ok()? = Some(loud);
            let keyboard = Self(quiet);
            keyboard.keep_quiet();
            Some(keyboard)
        }

        /// Switches the echo off again, in the foreground only: the system stops a background process that changes the
        /// terminal.
        pub(crate) fn keep_quiet(&self) {
            if !is_ours() {
                return;
            }
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        }
    }

    impl Drop for QuietKeyboard {
        fn drop(&mut self) {
            restore_echo();
        }
    }

    /// Restores the terminal's original settings. Code that exits the process at once must call this first. For a
    /// background process, the shell has restored them.
    pub(crate) fn restore_echo() {
        if !is_ours() {
            return;
        }
        if let Some(loud) = LOUD.lock().ok().and_then(|mut loud| loud.take()) {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &loud);
        }
    }
}

#[cfg(not(unix))]
pub(crate) use other::{QuietKeyboard, restore_echo};

#[cfg(not(unix))]
mod other {
    /// Never exists: on this system the terminal always echoes.
    pub(crate) enum QuietKeyboard {}

    impl QuietKeyboard {
        pub(crate) fn begin() -> Option<Self> {
            None
        }

        pub(crate) fn keep_quiet(&self) {}
    }

    pub(crate) fn restore_echo() {}
}
