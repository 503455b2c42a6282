//! A line that the user is typing during a live run. It carries out backspace and the other editing keys itself,
//! because the terminal's own line editing is switched off (see `typing.rs`).

/// The largest number of bytes in a line. The rest of a longer line is ignored; every command is far shorter.
const LONGEST: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct TypedLine {
    bytes: Vec<u8>,
    escape: Escape,
}

/// The position in an escape sequence, which a terminal sends for a key without a character, such as an arrow.
#[derive(Debug, Default)]
enum Escape {
    #[default]
    Outside,
    Begun,
    Inside,
}

impl TypedLine {
    /// Takes a byte. Returns the line if the byte ends it.
    pub(super) fn feed(&mut self, byte: u8) -> Option<String> {
        match (&self.escape, byte) {
            (Escape::Outside, 0x1b) => self.escape = Escape::Begun,
            (Escape::Begun, b'[' | b'O') => self.escape = Escape::Inside,
            // A byte from `@` to `~` is the last one of a sequence.
            (Escape::Begun, _) | (Escape::Inside, 0x40..=0x7e) => self.escape = Escape::Outside,
            (Escape::Inside, _) => {}
            (Escape::Outside, b'\n' | b'\r') => return Some(self.take()),
            (Escape::Outside, 0x08 | 0x7f) => self.erase(),
            (Escape::Outside, 0x15) => self.bytes.clear(), // Ctrl-U
            (Escape::Outside, 0x17) => self.erase_word(),  // Ctrl-W
            (Escape::Outside, b'\t') => self.bytes.push(b' '),
            (Escape::Outside, 0..=0x1f) => {}
            (Escape::Outside, _) if self.bytes.len() == LONGEST => {} // a line that is too long, or endless input
            (Escape::Outside, _) => self.bytes.push(byte),
        }
        None
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Returns the text of an unfinished line, if there is any, at the end of the input.
    pub(super) fn take_rest(&mut self) -> Option<String> {
        Some(self.take()).filter(|line| !line.is_empty())
    }

    fn take(&mut self) -> String {
        let line = self.text();
        self.bytes.clear();
        line
    }

    /// Erases the last character, which may have several bytes.
    fn erase(&mut self) {
        while self.bytes.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
    }

    fn erase_word(&mut self) {
        let kept = self.text();
        let kept = kept.trim_end().rsplit_once(' ').map_or(0, |(before, _)| before.len() + 1);
        self.bytes.truncate(kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &str) -> TypedLine {
        let mut line = TypedLine::default();
        assert!(keys.bytes().all(|byte| line.feed(byte).is_none()));
        line
    }

    #[test]
    fn characters_words_and_the_line_can_be_erased() {
        assert_eq!(typed("run wec\u{7f}b").text(), "run web");
        assert_eq!(typed("a 运行\u{8}").text(), "a 运");
        assert_eq!(typed("label web app=x\u{17}").text(), "label web ");
        assert_eq!(typed("cut\u{15}heal").text(), "heal");
        assert_eq!(typed("\u{7f}\u{17}a").text(), "a");
    }

    #[test]
    fn only_the_beginning_of_a_line_that_is_too_long_is_kept() {
        let mut line = typed(&"a".repeat(LONGEST + 1));
        assert_eq!(line.feed(b'\n').map(|line| line.len()), Some(LONGEST));
    }

    #[test]
    fn keys_without_a_character_change_nothing() {
        assert_eq!(typed("ru\u{1b}[A\u{1b}[1;5Cn\u{1b}OP").text(), "run");
        assert_eq!(typed("run\tweb\u{1}").text(), "run web");
    }

    #[test]
    fn enter_gives_the_line_and_begins_another() {
        let mut line = typed("cut");
        assert_eq!(line.feed(b'\n').as_deref(), Some("cut"));
        assert_eq!(line.text(), "");
        assert_eq!(line.take_rest(), None);
    }
}
