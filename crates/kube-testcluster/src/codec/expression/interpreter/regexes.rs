//! Regular expressions, each compiled once for all expressions that have a budget together. Upstream: cel-go's `matches`, and
//! `pkg/cel/library/regex.go`.

use std::collections::HashMap;
use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use super::meter::of_text;
use super::{Error, Meter, Outcome, Value};

/// How large a compiled one can be.
const MOST_BYTES: usize = 1 << 20;
/// What it costs to compile one, whatever it says.
const OF_COMPILING: u64 = 100_000;

/// By their texts; an error is what is wrong with one.
pub(super) type Regexes = HashMap<String, Result<Regex, String>>;

/// `matches`, `find` and `findAll`; `None` if this is none of them.
pub(super) fn call(meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
    let limit = match (name, args) {
        ("findAll", [_, _, Value::Int(limit)]) => usize::try_from(*limit).ok(),
        ("matches" | "find" | "findAll", [_, _]) => None,
        _ => return None,
    };
    let [Value::String(text), Value::String(pattern), ..] = args else { return None };
    Some(regex(meter, pattern).and_then(|regex| {
        meter.charge((of_text(text.len()) + 1) * (pattern.len() as u64 / 4 + 1))?;
        let found = |text: &str| Value::String(Arc::new(text.to_owned()));
        Ok(match name {
            "matches" => Value::Bool(regex.is_match(text)),
            "find" => found(regex.find(text).map_or("", |found| found.as_str())),
            _ => {
                let mut all = Vec::new();
                for one in regex.find_iter(text).take(limit.unwrap_or(usize::MAX)) {
                    meter.charge(1)?;
                    all.push(found(one.as_str()));
                }
                Value::List(Arc::new(all))
            }
        })
    }))
}

fn regex(meter: &Meter, pattern: &str) -> Result<Regex, Error> {
    if let Some(known) = meter.regexes.borrow().get(pattern) {
        return known.clone().map_err(Error::Failed);
    }
    meter.charge(OF_COMPILING)?;
    let compiled = RegexBuilder::new(pattern).size_limit(MOST_BYTES).dfa_size_limit(MOST_BYTES).build();
    let compiled = compiled.map_err(|why| format!("error parsing regexp: {why}"));
    meter.regexes.borrow_mut().insert(pattern.to_owned(), compiled.clone());
    compiled.map_err(Error::Failed)
}
