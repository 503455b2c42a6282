//! Makes text from outside safe to print: control characters in it would change the terminal.

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
