//! Formats maps and slices as Go does. The lessons' traces must equal the output of the tutorials' Go programs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// Formats a slice: `[a b]`.
pub(super) fn slice(items: impl IntoIterator<Item: Display>) -> String {
    format!("[{}]", joined(items))
}

/// Formats a map: `map[a:1 b:2]`. Go sorts the entries by key.
pub(super) fn map(entries: impl IntoIterator<Item = (impl Display, impl Display)>) -> String {
    format!("map[{}]", joined(entries.into_iter().map(|(key, value)| format!("{key}:{value}"))))
}

/// Formats an Indexer's `Indices`: the set of keys by index name and value. Go prints a set as a map to empty structs.
pub(super) fn indices(indices: &BTreeMap<String, BTreeMap<String, BTreeSet<String>>>) -> String {
    let set = |keys: &BTreeSet<String>| map(keys.iter().map(|key| (key.clone(), "{}")));
    let index = |values: &BTreeMap<_, _>| map(values.iter().map(|(value, keys)| (String::clone(value), set(keys))));
    map(indices.iter().map(|(name, values)| (name, index(values))))
}

fn joined(items: impl IntoIterator<Item: Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}
