//! Formatting of the field paths in validation causes. Upstream: `field.Path`.

/// Returns a path, or `<nil>` for the root.
pub(super) fn or_root(at: &str) -> &str {
    if at.is_empty() { "<nil>" } else { at }
}

/// Appends a field.
pub(super) fn child(at: &str, name: &str) -> String {
    match (at, name) {
        (at, "") => format!("{at}[]"),
        ("", name) => name.into(),
        (at, name) => format!("{at}.{name}"),
    }
}

/// Appends the key of a map.
pub(super) fn key(at: &str, name: &str) -> String {
    format!("{at}[{name}]")
}

/// Appends the index of a list item.
pub(super) fn index(at: &str, index: usize) -> String {
    format!("{at}[{index}]")
}
