//! Prints maps and slices as Go does, for output that must equal the documents'.

use std::fmt::Display;

/// `[a b]`
pub(super) fn slice(items: impl IntoIterator<Item: Display>) -> String {
    format!("[{}]", joined(items))
}

/// `map[a:1 b:2]`; Go prints the entries sorted by key.
pub(super) fn map(entries: impl IntoIterator<Item = (impl Display, impl Display)>) -> String {
    format!("map[{}]", joined(entries.into_iter().map(|(key, value)| format!("{key}:{value}"))))
}

fn joined(items: impl IntoIterator<Item: Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}
