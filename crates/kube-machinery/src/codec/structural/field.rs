//! The paths of fields in causes. Upstream: `field.Path`.

/// The root itself.
pub(super) fn or_root(at: &str) -> &str {
    if at.is_empty() { "<nil>" } else { at }
}

/// A field with a name of its own.
pub(super) fn child(at: &str, name: &str) -> String {
    match (at, name) {
        (at, "") => format!("{at}[]"),
        ("", name) => name.into(),
        (at, name) => format!("{at}.{name}"),
    }
}

/// A field of a map.
pub(super) fn key(at: &str, name: &str) -> String {
    format!("{at}[{name}]")
}

/// An item.
pub(super) fn index(at: &str, index: usize) -> String {
    format!("{at}[{index}]")
}
