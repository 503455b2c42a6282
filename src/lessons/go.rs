//! Prints maps and slices as Go does, for output that must equal the documents'.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// `[a b]`
pub(super) fn slice(items: impl IntoIterator<Item: Display>) -> String {
    format!("[{}]", joined(items))
}

/// `map[a:1 b:2]`; Go prints the entries sorted by key.
pub(super) fn map(entries: impl IntoIterator<Item = (impl Display, impl Display)>) -> String {
    format!("map[{}]", joined(entries.into_iter().map(|(key, value)| format!("{key}:{value}"))))
}

/// An Indexer's `Indices`: by index and value, the set of keys. Go prints a set as a map of empty structs.
pub(super) fn indices(indices: &BTreeMap<String, BTreeMap<String, BTreeSet<String>>>) -> String {
    let set = |keys: &BTreeSet<String>| map(keys.iter().map(|key| (key.clone(), "{}")));
    let index = |values: &BTreeMap<_, _>| map(values.iter().map(|(value, keys)| (String::clone(value), set(keys))));
    map(indices.iter().map(|(name, values)| (name, index(values))))
}

fn joined(items: impl IntoIterator<Item: Display>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(" ")
}
