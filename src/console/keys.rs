//! Reads single key presses, without Enter and without an echo. The tour waits for them between its stops.

use std::io::{self, BufRead, Read};

use super::typing::QuietKeyboard;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyPress {
    Enter,
    Right,
    Left,
    Backspace,
    Letter(char),
}

/// The keyboard for single key presses. While this lives, typed keys are not echoed into the output.
pub(crate) struct Keys(Option<QuietKeyboard>);

impl Keys {
    /// Starts reading keys. If the terminal's echo cannot be switched off, whole lines are read instead, each ended by
    /// Enter.
    pub(crate) fn begin() -> Self {
        Self(QuietKeyboard::begin())
    }

    /// Discards unread key presses, and switches the echo off again, because a shell may have switched it on while the
    /// program was stopped.
    pub(crate) fn forget(&self) {
        if let Some(keyboard) = &self.0 {
            keyboard.keep_quiet();
            keyboard.forget();
        }
    }

    /// Waits for key presses, and returns those that came together. `None` at the end of the input.
    pub(crate) fn next(&self) -> Option<Vec<KeyPress>> {
        let mut bytes = [0; 64];
        let read = match &self.0 {
            Some(_) => io::stdin().lock().read(&mut bytes).ok().map(|count| bytes[..count].to_vec()),
            None => {
                let mut line = Vec::new();
                io::stdin().lock().read_until(b'\n', &mut line).ok().map(|_| line)
            }
        };
        read.filter(|bytes| !bytes.is_empty()).map(|bytes| key_presses(&bytes))
    }
}

/// Decodes the bytes that a terminal sends for keys. Of the escape sequences, only the left and right arrows are known.
fn key_presses(bytes: &[u8]) -> Vec<KeyPress> {
    match bytes {
        b"\x1b[C" | b"\x1bOC" => vec![KeyPress::Right],
        b"\x1b[D" | b"\x1bOD" => vec![KeyPress::Left],
        [0x1b, ..] => Vec::new(),
        _ => String::from_utf8_lossy(bytes).chars().filter_map(key).collect(),
    }
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
    fn letters_and_arrows_are_told_apart() {
        assert_eq!(key_presses(b"\x1b[C"), [KeyPress::Right]);
        assert_eq!(key_presses(b"\x1b[A"), []);
        assert_eq!(
            key_presses(b"1\x7f2\r"),
            [KeyPress::Letter('1'), KeyPress::Backspace, KeyPress::Letter('2'), KeyPress::Enter]
        );
    }
}
