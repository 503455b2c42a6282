//! The footer: the last line of the terminal, which shows the user's typing or what the program waits for.
//!
//! The footer is removed before other text is printed, and drawn again below that text. It never takes more than one
//! line of the screen.

use std::io::Write;

use unicode_width::UnicodeWidthChar;

use super::visible::visible;

/// Moves the cursor to the start of the line and clears the line.
const CLEAR: &[u8] = b"\r\x1b[K";

/// The footer's text, and whether it is on the screen at the moment.
pub(super) struct Footer {
    text: Option<String>,
    /// False while other text is printed.
    is_shown: bool,
    on_terminal: bool,
}

impl Footer {
    /// Creates an empty footer. Without a terminal it stays empty.
    pub(super) fn on(terminal: bool) -> Self {
        Self { text: None, is_shown: false, on_terminal: terminal }
    }

    /// Changes the text. The caller must have lifted the footer.
    pub(super) fn set(&mut self, text: Option<String>) {
        self.text = text.filter(|_| self.on_terminal);
    }

    /// Removes the footer from the screen.
    pub(super) fn lift(&mut self, screen: &mut impl Write) {
        if std::mem::take(&mut self.is_shown) {
            let _ = screen.write_all(CLEAR);
            let _ = screen.flush();
        }
    }

    /// Returns true if the footer has text that is not on the screen.
    pub(super) fn is_lifted(&self) -> bool {
        self.text.is_some() && !self.is_shown
    }

    /// Draws the footer on a screen of this width. Of a text that is too long, the end is shown, because the user types
    /// there.
    pub(super) fn put_back(&mut self, screen: &mut impl Write, width: usize) {
        let Some(text) = &self.text else { return };
        let _ = screen.write_all(end(&visible(text), width.saturating_sub(1)).as_bytes());
        let _ = screen.flush();
        self.is_shown = true;
    }
}

/// Returns the longest end of the text that fits the width.
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
    fn a_long_line_shows_its_end() {
        assert_eq!(end("run web", 80), "run web");
        assert_eq!(end("label web app=store", 9), "app=store");
        assert_eq!(end("运行 web", 5), " web");
    }

    #[test]
    fn the_footer_is_lifted_once_and_put_back_below_other_output() {
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
    fn a_pipe_has_no_footer() {
        let mut footer = Footer::on(false);
        footer.set(Some("> ".to_owned()));
        assert!(!footer.is_lifted());
    }
}
