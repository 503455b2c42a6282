//! The CEL functions of strings. Indexes count characters, not bytes. Upstream: cel-go's `common/types/string.go` and
//! `ext/strings.go`.

use super::super::Error;
use super::{Meter, Outcome, Value, conversions, format};

pub(super) fn call(meter: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
    match (name, args) {
        // As upstream, a list whose first item is no string has no overload of `join`.
        ("join", [Value::List(items), ..]) if items.first().is_some_and(|item| !matches!(item, Value::String(_))) => {
            None
        }
        ("join", [Value::List(items)]) => Some(join(meter, items, "")),
        ("join", [Value::List(items), Value::String(between)]) => Some(join(meter, items, between)),
        ("strings.quote", [Value::String(text)]) => Some(worked(meter, text.len()).map(|()| Value::text(quote(text)))),
        (_, [Value::String(text), rest @ ..]) => call_on_string(meter, name, text, rest),
        _ => None,
    }
}

fn call_on_string(meter: &Meter, name: &str, text: &str, args: &[Value]) -> Option<Outcome> {
    if let Err(why) = worked(meter, text.len()) {
        return Some(Err(why));
    }
    Some(match (name, args) {
        ("contains", [Value::String(part)]) => Ok(Value::Bool(text.contains(part.as_ref()))),
        ("startsWith", [Value::String(part)]) => Ok(Value::Bool(text.starts_with(part.as_ref()))),
        ("endsWith", [Value::String(part)]) => Ok(Value::Bool(text.ends_with(part.as_ref()))),
        ("lowerAscii", []) => Ok(Value::text(text.to_ascii_lowercase())),
        ("upperAscii", []) => Ok(Value::text(text.to_ascii_uppercase())),
        ("trim", []) => Ok(Value::text(text.trim())),
        ("charAt", [Value::Int(at)]) => char_at(text, *at),
        ("substring", [Value::Int(start)]) => from_to(text, *start, None),
        ("substring", [Value::Int(start), Value::Int(end)]) => from_to(text, *start, Some(*end)),
        ("indexOf", [Value::String(part)]) => index_of(text, part, 0),
        ("indexOf", [Value::String(part), Value::Int(from)]) => index_of(text, part, *from),
        ("lastIndexOf", [Value::String(part)]) => last_index_of(text, part, None),
        ("lastIndexOf", [Value::String(part), Value::Int(from)]) => last_index_of(text, part, Some(*from)),
        ("replace", [Value::String(old), Value::String(new)]) => replace(meter, text, old, new, -1),
        ("replace", [Value::String(old), Value::String(new), Value::Int(most)]) => {
            replace(meter, text, old, new, *most)
        }
        ("split", [Value::String(between)]) => split(meter, text, between, -1),
        ("split", [Value::String(between), Value::Int(most)]) => split(meter, text, between, *most),
        ("format", [Value::List(args)]) => format::format(meter, text, args).map(Value::text),
        _ => return None,
    })
}

/// Counts the work of reading this many bytes.
fn worked(meter: &Meter, bytes: usize) -> Result<(), Error> {
    meter.work(bytes as u64 / 10)
}

fn out_of_range(at: i64) -> Error {
    Error::failed(format!("index out of range: {at}"))
}

/// Returns the byte offset of the character at an index. The index after the last character gives the end of the
/// text.
fn byte_offset(text: &str, at: i64) -> Option<usize> {
    let at = usize::try_from(at).ok()?;
    text.char_indices().map(|(offset, _)| offset).chain([text.len()]).nth(at)
}

fn char_at(text: &str, at: i64) -> Outcome {
    let offset = byte_offset(text, at).ok_or_else(|| out_of_range(at))?;
    Ok(Value::text(text[offset..].chars().next().map(String::from).unwrap_or_default()))
}

fn from_to(text: &str, start: i64, end: Option<i64>) -> Outcome {
    if let Some(end) = end.filter(|end| start > *end) {
        return Err(Error::failed(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let from = byte_offset(text, start).ok_or_else(|| out_of_range(start))?;
    let to = match end {
        Some(end) => byte_offset(text, end).ok_or_else(|| out_of_range(end))?,
        None => text.len(),
    };
    Ok(Value::text(&text[from..to]))
}

/// Returns the index at which an empty part is found: the wanted one, but at most the end of the text.
fn at_most(index: i64, length: usize) -> Value {
    Value::Int(index.min(i64::try_from(length).unwrap_or(i64::MAX)))
}

/// Returns the index of the character at a byte offset, and -1 for `None`.
fn count_to(text: &str, offset: Option<usize>) -> Value {
    offset.map_or(Value::Int(-1), |offset| Value::count(text[..offset].chars().count()))
}

fn index_of(text: &str, part: &str, from: i64) -> Outcome {
    if from < 0 {
        return Err(out_of_range(from));
    }
    if part.is_empty() {
        return Ok(at_most(from, text.chars().count()));
    }
    let Some(start) = byte_offset(text, from) else { return Ok(Value::Int(-1)) };
    Ok(count_to(text, text[start..].find(part).map(|at| start + at)))
}

fn last_index_of(text: &str, part: &str, from: Option<i64>) -> Outcome {
    if let Some(from) = from.filter(|from| *from < 0) {
        return Err(out_of_range(from));
    }
    let length = text.chars().count();
    let Some(from) = from else {
        return Ok(if part.is_empty() { Value::count(length) } else { count_to(text, text.rfind(part)) });
    };
    if part.is_empty() {
        return Ok(at_most(from, length));
    }
    if usize::try_from(from).is_ok_and(|from| from >= length) {
        return Ok(Value::Int(-1));
    }
    // The match may begin at `from`, so the search ends where such a match ends, rounded up to a whole character.
    let end = byte_offset(text, from).map_or(text.len(), |start| text.len().min(start + part.len()));
    let end = (end..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    Ok(count_to(text, text[..end].rfind(part)))
}

/// Replaces at most `most` occurrences, or all if `most` is negative.
fn replace(meter: &Meter, text: &str, old: &str, new: &str, most: i64) -> Outcome {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let found = if old.is_empty() { text.chars().count() + 1 } else { text.matches(old).take(most).count() };
    let made = text.len().saturating_add(found.min(most).saturating_mul(new.len()));
    worked(meter, made)?;
    Ok(Value::text(text.replacen(old, new, most)))
}

/// Splits a text into at most `most` parts, or at each separator if `most` is negative.
fn split(meter: &Meter, text: &str, between: &str, most: i64) -> Outcome {
    let most = match usize::try_from(most) {
        Ok(0) => return Ok(Value::list(Vec::new())),
        Ok(most) => most,
        Err(_) => usize::MAX,
    };
    let parts: Vec<&str> =
        if between.is_empty() { characters(text, most) } else { text.splitn(most, between).collect() };
    meter.work(parts.len() as u64)?;
    Ok(Value::list(parts.into_iter().map(Value::text).collect()))
}

/// Splits a text into at most `most` parts of one character; the last part holds the rest. Upstream: Go's `explode`.
fn characters(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = if parts.len() + 1 == most { rest.len() } else { first.len_utf8() };
        let (part, after) = rest.split_at(length);
        parts.push(part);
        rest = after;
    }
    parts
}

fn join(meter: &Meter, items: &[Value], between: &str) -> Outcome {
    worked(meter, items.len().saturating_mul(between.len() + 10))?;
    let mut made = String::new();
    for (i, item) in items.iter().enumerate() {
        let Value::String(text) = item else {
            return Err(Error::failed(format!("join: invalid input: {}", conversions::printed(item))));
        };
        worked(meter, text.len())?;
        made.push_str(if i == 0 { "" } else { between });
        made.push_str(text);
    }
    Ok(Value::text(made))
}

/// Returns a text in quotes, with CEL's escapes.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            '\\' => quoted.push_str("\\\\"),
            '"' => quoted.push_str("\\\""),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
