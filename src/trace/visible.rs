//! Makes text from outside safe to print on a terminal: an object's name or a server's message may contain control
//! characters, which would change the terminal.

/// Escapes control characters, so that no text from a cluster or a file can control the terminal or break a line.
pub(super) fn visible(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut visible, c| {
        if c.is_control() {
            visible.extend(c.escape_default());
        } else {
            visible.push(c);
        }
        visible
    })
}
