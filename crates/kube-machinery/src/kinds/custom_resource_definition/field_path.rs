//! Finds the schema of the field that a path names, such as `.spec.replicas` or `.spec['a-b']`: for the `fieldPath` of
//! a CEL rule and for `selectableFields`. Upstream: `ValidFieldPath` in `pkg/apiserver/schema/cel`.

use crate::value::Value;

/// The rule about steps of the form `['name']`. Selectable fields must not have them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    Allowed,
    Refused,
}

/// The schema that a path leads to.
pub(super) struct Found<'a> {
    /// The path in normal form, so that `.a` and `['a']` count as the same path.
    pub(super) path: String,
    /// The first step of the path.
    pub(super) root: String,
    pub(super) schema: &'a Value,
}

/// Follows a path through a schema.
///
/// # Errors
/// Upstream's message.
pub(super) fn follow<'a>(path: &str, schema: &'a Value, brackets: Brackets) -> Result<Found<'a>, String> {
    const END: &str = "unexpected end of JSON path";
    let mut found = Found { path: String::new(), root: String::new(), schema };
    let mut tokens = Tokens { rest: path };
    while let Some(token) = tokens.next() {
        match token {
            "[" if brackets == Brackets::Refused => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let token = tokens.next().ok_or(END)?;
                let quoted = token.strip_prefix('\'').and_then(|token| token.strip_suffix('\''));
                let quoted = quoted.ok_or_else(|| format!("expected single quoted string but got {token}"))?;
                let name = unescaped(quoted).map_err(|why| format!("invalid string literal: {why}"))?;
                found.step(&name)?;
                match tokens.next().ok_or(END)? {
                    "]" => {}
                    other => return Err(format!("expected ] but got {other}")),
                }
            }
            "." => found.step(tokens.next().ok_or(END)?)?,
            other => return Err(format!("expected [ or . but got: {other}")),
        }
    }
    Ok(found)
}

impl Found<'_> {
    /// Steps to a field of an object, or to the values of a map.
    fn step(&mut self, name: &str) -> Result<(), String> {
        const NO_FIELD: &str = "does not refer to a valid field";
        let named = self.schema["properties"].as_object().filter(|properties| !properties.is_empty());
        let (next, step) = match named {
            Some(properties) => (properties.get(name).ok_or(NO_FIELD)?, format!(".{name}")),
            None => (&self.schema["additionalProperties"], format!("[{name}]")),
        };
        if next.is_null() {
            return Err(NO_FIELD.to_owned());
        }
        if self.path.is_empty() {
            self.root = step.strip_prefix('.').unwrap_or(&step).to_owned();
        }
        self.path.push_str(&step);
        self.schema = next;
        Ok(())
    }
}

/// The tokens of a path: its delimiters, and the names between them. A quoted string is one token.
struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let bytes = self.rest.as_bytes();
        let end = if bytes[0] == b'\'' {
            (1..bytes.len()).find(|i| bytes[*i] == b'\'' && bytes[i - 1] != b'\\').map(|i| i + 1)
        } else {
            self.rest.find(['.', '[', ']']).map(|i| i.max(1))
        };
        let (token, rest) = self.rest.split_at(end.unwrap_or(bytes.len()));
        self.rest = rest;
        Some(token)
    }
}

/// Resolves the escapes in a quoted name. Upstream: `unescapeSingleQuote`.
fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('a') => out.push('\x07'),
            Some('b') => out.push('\x08'),
            Some('f') => out.push('\x0c'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('v') => out.push('\x0b'),
            Some(same @ ('\'' | '\\')) => out.push(same),
            Some(other) => return Err(format!("invalid escape char \\{other}")),
            None => out.push('\\'),
        }
    }
    Ok(out)
}
