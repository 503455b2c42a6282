//! Helpers for the validation of all kinds. The validation works on JSON values, in which an absent field reads as
//! null; these functions read a field as its type, with Go's zero value for an absent one, and check rules that many
//! fields share. A check returns its causes, the errors that the client gets.

use std::fmt::{self, Display, Formatter};

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::value::{Array, Value};

/// Returns the items of a list; none if the list is absent.
pub(super) fn items<'a>(parent: &'a Value, field: &str) -> &'a [Value] {
    parent[field].as_array().map_or(&[], Array::as_slice)
}

/// The field path of a list item. It is formatted only for a cause.
#[derive(Clone, Copy)]
pub(super) struct ItemPath<'a> {
    parent: At<'a>,
    field: &'a str,
    index: usize,
}

impl Display for ItemPath<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { parent, field, index } = self;
        write!(f, "{parent}.{field}[{index}]")
    }
}

/// Returns the items of a list with their field paths.
pub(super) fn each<'v, 'p>(
    parent: &'v Value,
    field: &'p str,
    at: At<'p>,
) -> impl Iterator<Item = (ItemPath<'p>, &'v Value)> {
    let with_path = move |(index, item)| (ItemPath { parent: at, field, index }, item);
    items(parent, field).iter().enumerate().map(with_path)
}

/// Returns a string field; empty if it is absent.
pub(super) fn text<'a>(parent: &'a Value, field: &str) -> &'a str {
    parent[field].as_str().unwrap_or_default()
}

/// Returns an integer field; 0 if it is absent.
pub(super) fn number(parent: &Value, field: &str) -> i64 {
    parent[field].as_i64().unwrap_or_default()
}

/// Returns the entries of a map of strings; none if the map is absent.
pub(super) fn pairs<'a>(parent: &'a Value, field: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let map = parent[field].as_object().into_iter().flatten();
    map.map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}

/// Returns a cause if the field is absent or empty.
pub(super) fn required(parent: &Value, field: &str, at: At<'_>) -> Option<Cause> {
    let is_empty = match &parent[field] {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    is_empty.then(|| Cause::required(format_args!("{at}.{field}"), ""))
}

/// Returns a cause for each message.
pub(super) fn invalid<F: Display>(at: At<'_>, value: &str, messages: impl IntoIterator<Item = F>) -> Causes {
    messages.into_iter().map(|message| Cause::invalid(at, value, &message.to_string())).collect()
}

/// Returns a cause if the word is empty, or none of `words`.
pub(super) fn required_one_of(word: &str, words: &[&str], at: At<'_>) -> Option<Cause> {
    match word {
        "" => Some(Cause::required(at, "")),
        word => one_of(word, words, at),
    }
}

/// Returns a cause if the word is none of `words`. An empty word is an unsupported value too, not a missing one.
pub(super) fn one_of(word: &str, words: &[&str], at: At<'_>) -> Option<Cause> {
    (!words.contains(&word)).then(|| Cause::unsupported_text(at, word, words))
}

/// Returns a cause if the field is present, and is none of `words`.
pub(super) fn one_of_if_set(parent: &Value, field: &str, words: &[&str], at: At<'_>) -> Option<Cause> {
    one_of(parent[field].as_str()?, words, &format_args!("{at}.{field}"))
}

/// Returns a cause if the number in the field is negative.
pub(super) fn not_negative(parent: &Value, field: &str, at: At<'_>) -> Option<Cause> {
    let is_negative = parent[field].as_i64().is_some_and(|number| number < 0);
    let why = "must be greater than or equal to 0";
    is_negative.then(|| Cause::invalid_json(format_args!("{at}.{field}"), &parent[field], why))
}

/// Returns a cause unless the value is a valid port number.
pub(super) fn port_fault(port: &Value, at: At<'_>) -> Option<Cause> {
    let fits = port.as_i64().is_some_and(|port| (1..=65_535).contains(&port));
    let shown = port.as_i64().unwrap_or_default();
    (!fits).then(|| Cause::invalid_as(at, &shown.to_string(), "must be between 1 and 65535, inclusive"))
}

/// Returns the messages about an invalid port name. Upstream: `IsValidPortName`.
pub(super) fn port_name(name: &str) -> Vec<&'static str> {
    let is_letter = |c: char| c.is_ascii_lowercase();
    [
        (name.len() > 15, "must be no more than 15 characters"),
        (
            name.is_empty() || !name.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '-'),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (!name.contains(is_letter), "must contain at least one letter (a-z)"),
        (name.contains("--"), "must not contain consecutive hyphens"),
        (name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen"),
    ]
    .into_iter()
    .filter_map(|(is_wrong, why)| is_wrong.then_some(why))
    .collect()
}
