//! The CEL functions that match regular expressions. CEL expressions that share a cost budget also share the compiled
//! regular expressions, so that each is compiled once.
//!
//! Upstream: cel-go's `matches`, and `pkg/cel/library/regex.go`.

use std::collections::HashMap;

use regex::bytes::Regex;

use super::super::Error;
use super::{Meter, Outcome, Value};
use crate::codec::structural::pattern;

/// The largest size of a compiled regular expression, in bytes: a short one with nested repetitions compiles to a very
/// large form.
const MOST_BYTES: usize = 1 << 20;
/// The work charged for compiling any regular expression.
const COMPILING: u64 = 100_000;

/// The compiled regular expressions, or the compiler's error, by their text.
pub(in super::super) type Regexes = HashMap<String, Result<Regex, String>>;

/// Calls `matches`, `find` or `findAll`; returns `None` for other functions.
pub(super) fn call(meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
    let limit = match (name, args) {
        ("findAll", [_, _, Value::Int(limit)]) => usize::try_from(*limit).unwrap_or(usize::MAX),
        ("matches" | "find" | "findAll", [_, _]) => usize::MAX,
        _ => return None,
    };
    let [Value::String(text), Value::String(pattern), ..] = args else { return None };
    let found = |found: &[u8]| Value::text(String::from_utf8_lossy(found).as_ref());
    Some(regex(meter, pattern).map_err(|why| in_words_of(name, why)).and_then(|regex| {
        meter.work((text.len() as u64 / 10 + 1) * (pattern.len() as u64 / 4 + 1))?;
        Ok(match name {
            "matches" => Value::Bool(regex.is_match(text.as_bytes())),
            "find" => found(regex.find(text.as_bytes()).map_or(b"", |found| found.as_bytes())),
            _ => {
                let mut all = Vec::new();
                // An empty match can lie inside of a character, because the text is matched as bytes.
                let at_characters = |found: &regex::bytes::Match<'_>| text.is_char_boundary(found.start());
                for one in regex.find_iter(text.as_bytes()).filter(at_characters).take(limit) {
                    meter.work(1)?;
                    all.push(found(one.as_bytes()));
                }
                Value::list(all)
            }
        })
    }))
}

/// Adds the prefix that `find` and `findAll` give to the compiler's error.
fn in_words_of(name: &str, why: Error) -> Error {
    match why {
        Error::Failed(why) if name != "matches" => Error::Failed(format!("Illegal regex: {why}")),
        why => why,
    }
}

/// Returns a compiled regular expression, which the meter caches.
fn regex(meter: &Meter, text: &str) -> Result<Regex, Error> {
    if let Some(known) = meter.regexes.borrow().get(text) {
        return known.clone().map_err(Error::Failed);
    }
    meter.work(COMPILING)?;
    let compiled = pattern::compile_within(text, MOST_BYTES);
    meter.regexes.borrow_mut().insert(text.to_owned(), compiled.clone());
    compiled.map_err(Error::Failed)
}
