//! The reader's pager.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

/// Shows the text in the program that `PAGER` names, or in `less`. Says whether that was possible; an empty `PAGER` asks for
/// none.
pub(super) fn shows(text: &str) -> bool {
    let pager = env::var("PAGER").unwrap_or_else(|_| "less".to_owned());
    let mut words = pager.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::piped());
    if env::var_os("LESS").is_none() {
        command.env("LESS", "FRX"); // as git does: colours, and no pager for a page that fits the screen
    }
    if env::var_os("LESSCHARSET").is_none() {
        command.env("LESSCHARSET", "utf-8"); // the text is, also where the system lacks the locale that LANG names
    }
    let Ok(mut pager) = command.spawn() else { return false };
    if let Some(mut input) = pager.stdin.take() {
        let _ = input.write_all(text.as_bytes()); // the reader may leave before the end
    }
    pager.wait().is_ok()
}
