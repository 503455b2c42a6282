//! What a reader types while the program prints.
//!
//! On a terminal the line that is being typed stays whole: it is the footer of the screen, and what is printed goes above it. The
//! system's own echo would write it where the cursor happens to be. From a pipe the lines come as they are.

use std::collections::VecDeque;
use std::io::{self, IsTerminal, Read};
use std::thread;

use tokio::sync::mpsc;

use super::line::Line;
use crate::trace::Printer;

const PROMPT: &str = "> ";

/// How many pieces are read ahead of the run: a pipe such as `yes |` waits for it.
const AHEAD: usize = 16;

/// How often a process in the background looks whether it is in front again, while others type.
#[cfg(unix)]
const BACKGROUND: std::time::Duration = std::time::Duration::from_millis(100);

/// Standard input, line by line, until it is dropped.
pub(crate) struct Typing {
    chunks: mpsc::Receiver<Vec<u8>>,
    line: Line,
    entered: VecDeque<String>,
    /// Shows what is typed; `None` if the system does, or nobody.
    screen: Option<(Printer, QuietKeyboard)>,
}

impl Typing {
    /// Begins to read. `None` if this process may not: the system stops a background process that reads from a terminal.
    pub(crate) fn begin(printer: &Printer) -> Option<Self> {
        if !is_ours() {
            return None;
        }
        // In `| tee` somebody else prints on the screen, and does not know of the line.
        let on_screen = io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
        let screen = on_screen.then(QuietKeyboard::begin).flatten().map(|keyboard| (printer.clone(), keyboard));
        let typing = Self { chunks: chunks(), line: Line::default(), entered: VecDeque::new(), screen };
        typing.show();
        Some(typing)
    }

    /// The next line; `None` when standard input has ended.
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
            keyboard.keep_quiet(); // a shell may have changed that, when the program was stopped and went on
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

/// Whether this process may read standard input, and change how its terminal behaves.
fn is_ours() -> bool {
    #[cfg(unix)]
    if io::stdin().is_terminal() {
        return rustix::termios::tcgetpgrp(io::stdin())
            .is_ok_and(|foreground| foreground == rustix::process::getpgrp());
    }
    true
}

/// Reads standard input on a separate thread, since a read cannot be cancelled.
fn chunks() -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    let read = move || {
        let mut bytes = [0; 1024];
        loop {
            wait_for_input();
            let Ok(count @ 1..) = io::stdin().lock().read(&mut bytes) else { break };
            if sender.blocking_send(bytes[..count].to_vec()).is_err() {
                break;
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("keyboard".into()).spawn(read) {
        tracing::warn!(%error, "what is typed is not read");
    }
    receiver
}

/// Waits until there is something to read for this process. A shell may have sent it to the background, where reading would stop it.
#[cfg(unix)]
fn wait_for_input() {
    use rustix::event::{PollFd, PollFlags, poll};
    let stdin = io::stdin();
    loop {
        match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], None) {
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) if !is_ours() => thread::sleep(BACKGROUND), // what is typed is somebody else's
            _ => return,
        }
    }
}

#[cfg(not(unix))]
fn wait_for_input() {}

#[cfg(unix)]
pub(crate) use unix::{QuietKeyboard, loud_again};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::sync::Mutex;

    use super::is_ours;
    use rustix::termios::{
        LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
    };

    /// The keyboard as it was, while it is quiet.
    static LOUD: Mutex<Option<Termios>> = Mutex::new(None);

    /// While it lives, the system neither echoes what is typed nor keeps it until Enter. Ctrl-C is a signal as before.
    pub(crate) struct QuietKeyboard(Termios);

    impl QuietKeyboard {
        /// `None` where that cannot be.
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

        /// The system stops a background process that changes the terminal, so that waits until this one is in front again.
        pub(crate) fn keep_quiet(&self) {
            if !is_ours() {
                return;
            }
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
        }

        /// Forgets what was typed and not read.
        pub(crate) fn forget(&self) {
            if is_ours() {
                let _ = tcflush(io::stdin(), QueueSelector::IFlush);
            }
        }
    }

    impl Drop for QuietKeyboard {
        fn drop(&mut self) {
            loud_again();
        }
    }

    /// Leaves the keyboard as it was. Whoever ends the process at once has to call this. For a process in the background the shell has
    /// done so.
    pub(crate) fn loud_again() {
        if !is_ours() {
            return;
        }
        if let Some(loud) = LOUD.lock().ok().and_then(|mut loud| loud.take()) {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &loud);
        }
    }
}

#[cfg(not(unix))]
pub(crate) use other::{QuietKeyboard, loud_again};

#[cfg(not(unix))]
mod other {
    /// Here the system echoes what is typed.
    pub(crate) enum QuietKeyboard {}

    impl QuietKeyboard {
        pub(crate) fn begin() -> Option<Self> {
            None
        }

        pub(crate) fn keep_quiet(&self) {}

        pub(crate) fn forget(&self) {}
    }

    pub(crate) fn loud_again() {}
}
