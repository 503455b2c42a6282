//! Reads single key presses, without Enter and without an echo, while the program prints or waits. The tour uses this.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use super::typing::{QuietKeyboard, read_input};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPress {
    Enter,
    Escape,
    Right,
    Left,
    Backspace,
    Letter(char),
}

/// The keyboard for single key presses. While this lives, typed keys are not echoed into the output.
pub(crate) struct Keys {
    chunks: Receiver<Vec<u8>>,
    /// `None` if the terminal's echo cannot be switched off. Then the terminal sends whole lines, each ended by Enter.
    keyboard: Option<QuietKeyboard>,
}

impl Keys {
    /// Starts reading keys.
    pub(crate) fn begin() -> Self {
        let keyboard = QuietKeyboard::begin();
        let (sender, chunks) = channel();
        read_input(move |chunk| sender.send(chunk).is_ok());
        Self { chunks, keyboard }
    }

    /// Waits for key presses, at most until this time. `None` if the input has ended.
    pub(crate) fn until(&self, end: Instant) -> Option<Vec<KeyPress>> {
        self.keep_quiet();
        match self.chunks.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(bytes) => Some(key_presses(&bytes)),
            Err(RecvTimeoutError::Timeout) => Some(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Switches the echo off again, because a shell may have switched it on while the program was stopped.
    fn keep_quiet(&self) {
        if let Some(keyboard) = &self.keyboard {
            keyboard.keep_quiet();
        }
    }
}

/// Decodes the bytes that a terminal sends for keys. Of the escape sequences, only the left and right arrows are known;
/// an escape without a sequence is the key Escape.
fn key_presses(bytes: &[u8]) -> Vec<KeyPress> {
    let text = String::from_utf8_lossy(bytes);
    let mut characters = text.chars().peekable();
    let mut keys = Vec::new();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            keys.extend(key(character));
            continue;
        }
        if characters.next_if(|next| matches!(next, '[' | 'O')).is_none() {
            keys.push(KeyPress::Escape);
            continue;
        }
        match characters.find(|last| matches!(last, '@'..='~')) {
            Some('C') => keys.push(KeyPress::Right),
            Some('D') => keys.push(KeyPress::Left),
            _ => {}
        }
    }
    keys
}

fn key(c: char) -> Option<KeyPress> {
    match c {
        '\r' | '\n' => Some(KeyPress::Enter),
        '\u{7f}' | '\u{8}' => Some(KeyPress::Backspace),
        c if c.is_control() => None,
        c => Some(KeyPress::Letter(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_arrows_and_escape_are_told_apart() {
        assert_eq!(key_presses(b"\x1b[C\x1b[D"), [KeyPress::Right, KeyPress::Left]);
        assert_eq!(key_presses(b"\x1b[A\x1b[1;5Bq"), [KeyPress::Letter('q')]);
        assert_eq!(key_presses(b"\x1b"), [KeyPress::Escape]);
        assert_eq!(
            key_presses(b"1\x7f2\r"),
            [KeyPress::Letter('1'), KeyPress::Backspace, KeyPress::Letter('2'), KeyPress::Enter]
        );
    }
}
