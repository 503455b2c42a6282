//! Text that others wrote, made harmless for a terminal.

/// The text with control characters escaped, so that nothing a cluster or a file says can drive the terminal or break a line.
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
