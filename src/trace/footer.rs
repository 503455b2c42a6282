//! The line below everything that is printed on a terminal: what the reader is typing, or what the program waits for.
//!
//! It is lifted before something is printed, and put back below it. It never takes more than one line of the screen.

use std::io::Write;

use unicode_width::UnicodeWidthChar;

use super::visible::visible;

/// To the beginning of the line, and everything behind it away.
const CLEAR: &[u8] = b"\r\x1b[K";

/// The line, and whether it is on the screen.
pub(super) struct Footer {
    text: Option<String>,
    is_shown: bool,
    on_terminal: bool,
}

impl Footer {
    /// No line yet. Elsewhere than on a terminal there never is one.
    pub(super) fn on(terminal: bool) -> Self {
        Self { text: None, is_shown: false, on_terminal: terminal }
    }

    /// Changes the line, which must have been lifted.
    pub(super) fn set(&mut self, text: Option<String>) {
        self.text = text.filter(|_| self.on_terminal);
    }

    /// Takes the line from the screen.
    pub(super) fn lift(&mut self, screen: &mut impl Write) {
        if std::mem::take(&mut self.is_shown) {
            let _ = screen.write_all(CLEAR);
            let _ = screen.flush();
        }
    }

    /// Is there a line that is not on the screen?
    pub(super) fn is_lifted(&self) -> bool {
        self.text.is_some() && !self.is_shown
    }

    /// Puts it back on a screen of this width. Of a line that is too long the end is shown, where the reader types.
    pub(super) fn put_back(&mut self, screen: &mut impl Write, width: usize) {
        let Some(text) = &self.text else { return };
        let _ = screen.write_all(end(&visible(text), width.saturating_sub(1)).as_bytes());
        let _ = screen.flush();
        self.is_shown = true;
    }
}

/// As much of the end of a text as fits the width.
fn end(text: &str, width: usize) -> &str {
    let mut room = width;
    for (at, c) in text.char_indices().rev() {
        let needs = c.width().unwrap_or_default();
        if needs > room {
            return &text[at + c.len_utf8()..];
        }
        room -= needs;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_the_end_is_shown() {
        assert_eq!(end("run web", 80), "run web");
        assert_eq!(end("label web app=store", 9), "app=store");
        assert_eq!(end("运行 web", 5), " web");
    }

    #[test]
    fn it_is_lifted_once_and_put_back_below() {
        let mut footer = Footer::on(true);
        let mut screen = Vec::new();
        footer.set(Some("> run we".to_owned()));
        footer.put_back(&mut screen, 80);
        footer.lift(&mut screen);
        footer.lift(&mut screen);
        screen.extend(b"Added : nettool\n");
        assert!(footer.is_lifted());
        footer.put_back(&mut screen, 80);
        assert_eq!(screen, b"> run we\r\x1b[KAdded : nettool\n> run we");
    }

    #[test]
    fn in_a_pipe_there_is_none() {
        let mut footer = Footer::on(false);
        footer.set(Some("> ".to_owned()));
        assert!(!footer.is_lifted());
    }
}
