//! Makes text from outside safe to print: control characters in it would change the terminal.

use std::io::{self, Write};

/// Returns true for a character that is not printed as it is: a control character, a separator of lines, and what
/// Unicode calls default ignorable, such as the marks that reverse the direction of a text. Variation selectors are
/// left, because they choose a form of the visible character before them.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Escapes the hidden characters of a text that is one line, line breaks too.
pub(crate) fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut visible, c| {
        if is_hidden(c) {
            visible.extend(c.escape_default());
        } else {
            visible.push(c);
        }
        visible
    })
}

/// Escapes the hidden characters of a text that this program has put together from lines. The line breaks stay.
pub(super) fn printable(text: &str) -> String {
    text.split('\n').map(visible).collect::<Vec<_>>().join("\n")
}

/// Writes the log, of which each event is one line, whatever its message contains. An event is written at once.
pub(super) struct VisibleLines<W>(pub(super) W);

impl<W: Write> Write for VisibleLines<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(event);
        let line = visible(text.strip_suffix('\n').unwrap_or(&text));
        self.0.write_all(format!("{line}\n").as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_a_terminal_or_cannot_be_seen_is_escaped_and_letters_of_all_scripts_are_not() {
        let hidden = [
            0..=0x1f,
            0x7f..=0x9f,
            0x61c..=0x61c,
            0x200b..=0x200f,
            0x2028..=0x2029,
            0x202a..=0x202e,
            0x2060..=0x2069,
            0xfeff..=0xfeff,
        ];
        for c in hidden.into_iter().flatten().filter_map(char::from_u32) {
            assert!(is_hidden(c), "{c:?}");
            assert!(!visible(&format!("a{c}b")).chars().any(is_hidden), "{c:?}");
        }
        let shown = "nettool-1 é e\u{301} 执行 नमस्ते สวัสดี עברית 👩 ❤\u{fe0f} │ … \u{a0}";
        assert_eq!(visible(shown), shown);
    }

    #[test]
    fn a_line_break_stays_only_in_a_text_of_lines() {
        assert_eq!(visible("a\r\nb\u{2028}c"), "a\\r\\nb\\u{2028}c");
        assert_eq!(printable("a\r\nb\u{2028}c\n"), "a\\r\nb\\u{2028}c\n");
    }

    #[test]
    fn an_event_of_the_log_is_one_line() {
        let mut log = Vec::new();
        VisibleLines(&mut log).write_all(b"WARN lab: a\r\nERROR forged\x1b[2J\n").unwrap();
        assert_eq!(String::from_utf8(log).unwrap(), "WARN lab: a\\r\\nERROR forged\\u{1b}[2J\n");
    }
}
