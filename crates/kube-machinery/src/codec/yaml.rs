//! Reads request bodies in YAML, and converts them to JSON as upstream's `sigs.k8s.io/yaml` does.
//!
//! Only the first document is read. Fields are sorted by name; of duplicate fields the last one wins, and each
//! duplicate is reported with its line.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
#[cfg(not(target_family = "wasm"))]
use std::{panic::resume_unwind, thread};

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;
use serde_saphyr::options::{DuplicateKeyPolicy, NonFiniteFloatPolicy};

use super::go_text::GoText;
use super::json::{Json, MOST_FAULTS};
use crate::conventions::quote::quote;
use crate::value::Number;

mod tabs;

#[derive(Debug, PartialEq)]
pub struct Read {
    pub json: Json,
    /// Upstream's messages about duplicate fields: `line 2: key "a" already set in map`.
    pub duplicates: Vec<String>,
}

/// The most parts of a text that its aliases repeat: a text of 300 bytes can ask for any number of them. Upstream stops
/// at about 400,000, of which the parser here would need seconds in a debug build.
const MOST_REPLAYED: usize = 100_000;

/// Reads the first document of a text.
///
/// # Errors
/// The parser's message.
pub fn read(text: &[u8]) -> Result<Read, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("yaml: {error}"))?;
    let text = first_document(text);
    if tabs::indents(text) {
        return Err("yaml: found character that cannot start any token".to_owned()); // serde-saphyr would accept tabs
    }
    on_a_large_stack(|| {
        let options = serde_saphyr::options! {
            duplicate_keys: DuplicateKeyPolicy::PassThrough,
            non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
            legacy_octal_numbers: true, // upstream reads YAML 1.1, in which 017 is 15
            alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MOST_REPLAYED },
        };
        let node: Node = serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| format!("yaml: {}", error.without_snippet()))?;
        let mut duplicates = Vec::new();
        let json = node.json(&mut duplicates)?;
        Ok(Read { json, duplicates })
    })
}

/// The stack for a text as deep as the parser takes: 64 levels of some 20 calls each, 40 KiB a level in a debug
/// build. That is 2.5 MiB; the rest is a reserve.
#[cfg(not(target_family = "wasm"))]
const STACK: usize = 16 << 20;

/// Runs the parser on a thread of its own, because a thread that serves requests may have too small a stack.
#[cfg(not(target_family = "wasm"))]
fn on_a_large_stack<T: Send>(read: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    thread::scope(|scope| {
        let reading = thread::Builder::new().name("yaml".to_owned()).stack_size(STACK).spawn_scoped(scope, read);
        let reading = reading.map_err(|error| format!("yaml: no thread to read it: {error}"))?;
        reading.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Runs the parser in place: WebAssembly has no threads, so the linker is set to give the only stack enough room.
#[cfg(target_family = "wasm")]
fn on_a_large_stack<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    read()
}

/// Returns the first document of a text, because upstream reads no further. A document in brackets ends at its closing
/// bracket, another one at a `---` or `...` line.
fn first_document(text: &str) -> &str {
    let text = up_to_mark(text);
    brackets_end(text).map_or(text, |end| &text[..end])
}

/// Returns where a text in brackets ends; `None` if the text begins with no bracket, or leaves one open.
fn brackets_end(text: &str) -> Option<usize> {
    text.trim_start().starts_with(['{', '[']).then_some(())?;
    // `quote` is the character that opened a quoted text, or `#` in a comment; `before` is the previous character.
    let (mut open, mut quote, mut before) = (0_usize, None, ' ');
    let mut chars = text.char_indices();
    while let Some((place, c)) = chars.next() {
        match (quote, c) {
            (Some('"'), '\\') => drop(chars.next()),
            (Some('#'), '\n') => quote = None,
            (Some(begun), c) if begun == c => quote = None,
            (Some(_), _) => {}
            (None, '#') if before.is_whitespace() => quote = Some('#'),
            // Inside of a word, quotes are ordinary characters.
            (None, '"' | '\'') if before.is_whitespace() || "{[,:".contains(before) => quote = Some(c),
            (None, '{' | '[') => open += 1,
            (None, '}' | ']') => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(place + 1);
                }
            }
            (None, _) => {}
        }
        before = c;
    }
    None
}

/// Returns the text before the first `---` or `...` line after the document's content.
fn up_to_mark(text: &str) -> &str {
    let mut begun = false;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        let is_mark = |mark: &str| line.strip_prefix(mark).is_some_and(|rest| rest.trim_start().len() < rest.len());
        if begun && (is_mark("---") || is_mark("...")) {
            return &text[..end];
        }
        let content = line.trim();
        begun |= !content.is_empty() && !content.starts_with(['#', '%']);
        end += line.len();
    }
    text
}

/// A YAML value, with its fields in the order of the text and duplicates included.
enum Node {
    Leaf(Json),
    /// NaN or an infinity, which JSON cannot express.
    NonFinite(f64),
    List(Vec<Node>),
    Map(Vec<(Key, Spanned<Node>)>),
}

struct Key {
    /// The key in JSON; `None` for null, which is no key of JSON.
    text: Option<String>,
    /// The key as Go prints it in messages.
    go_text: String,
}

impl Node {
    fn json(self, duplicates: &mut Vec<String>) -> Result<Json, String> {
        Ok(match self {
            Self::Leaf(json) => json,
            Self::NonFinite(float) => return Err(format!("json: unsupported value: {}", go_float(float))),
            Self::List(items) => {
                let items: Result<_, String> = items.into_iter().map(|item| item.json(duplicates)).collect();
                Json::Array(items?)
            }
            Self::Map(fields) => {
                let mut known = HashSet::new();
                let mut sorted = BTreeMap::new();
                for (key, value) in fields {
                    let line = value.referenced.line();
                    let json = value.value.json(duplicates)?;
                    if !known.insert(key.go_text.clone()) && duplicates.len() < MOST_FAULTS {
                        duplicates.push(format!("line {line}: key {} already set in map", key.go_text));
                    }
                    let text = key.text.ok_or_else(|| no_key(&json))?;
                    sorted.insert(text, json);
                }
                Json::Object(sorted.into_iter().map(|(name, value)| (name.into(), value)).collect())
            }
        })
    }
}

/// Returns NaN or an infinity as Go prints it.
fn go_float(float: f64) -> &'static str {
    match float {
        float if float.is_nan() => "NaN",
        float if float > 0.0 => "+Inf",
        _ => "-Inf",
    }
}

/// Returns the error for a null key. Upstream: `convertToJSONableObject` of `sigs.k8s.io/yaml`.
fn no_key(value: &Json) -> String {
    let value = match value {
        Json::Null => "<nil>".to_owned(),
        Json::String(text) => quote(text),
        other => crate::value::Value::from(other.clone()).to_string(),
    };
    format!("unsupported map key of type: %!s(<nil>), key: <nil>, value: {value}")
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AsWritten)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let key = Json::deserialize(deserializer)?;
        let text = match &key {
            Json::Null => return Ok(Self { text: None, go_text: "<nil>".to_owned() }),
            Json::Bool(value) => value.to_string(),
            Json::Number(number) => GoText(&number.clone().into()).to_string(),
            Json::String(text) => text.to_string(),
            Json::Array(_) | Json::Object(_) => {
                return Err(serde::de::Error::custom("invalid map key"));
            }
        };
        let go_text = if matches!(key, Json::String(_)) { format!("{text:?}") } else { text.clone() };
        Ok(Self { text: Some(text), go_text })
    }
}

/// Builds a [`Node`] from the parser's events.
struct AsWritten;

impl<'de> Visitor<'de> for AsWritten {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a YAML value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Leaf(Json::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Leaf(Json::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Leaf(Json::Number(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Leaf(Json::Number(value.into())))
    }

    /// Reads a float without a fraction as an integer, as Go's JSON writes it.
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and fits")]
    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        const END: f64 = 9_223_372_036_854_775_808.0;
        if value.fract() == 0.0 && (-END..END).contains(&value) {
            return Ok(Node::Leaf(Json::Number((value as i64).into())));
        }
        Ok(Number::from_f64(value).map_or(Node::NonFinite(value), |number| Node::Leaf(Json::Number(number))))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Leaf(Json::String(value.into())))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Leaf(Json::String(value.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(field) = fields.next_entry()? {
            list.push(field);
        }
        Ok(Node::Map(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_json(text: &str) -> (String, Vec<String>) {
        let Read { json, duplicates } = read(text.as_bytes()).unwrap();
        (crate::value::Value::from(json).to_string(), duplicates)
    }

    #[test]
    fn text_after_the_first_document_is_not_read() {
        for behind in ["{\"b\": 2}", " [", "\n---\n{", "\n...\n]", " # {", "x: {"] {
            assert_eq!(
                to_json(&format!("{{\"a\": [1, \"}}\\\"{{\"], b: it's, # }}\n c: '}}'}}{behind}")).0,
                r#"{"a":[1,"}\"{"],"b":"it's","c":"}"}"#
            );
        }
        assert!(read(b"{a: 1").is_err());
    }

    /// Upstream: `setMapIndex` in `go.yaml.in/yaml/v2`.
    #[test]
    fn the_last_of_duplicate_keys_wins_and_its_line_is_reported() {
        let (json, duplicates) = to_json("b: 1\na:\n  x: 1\n  x: 2\nb: 3\na:\n  z: 4\n1: yes\n");
        assert_eq!(json, r#"{"1":true,"a":{"z":4},"b":3}"#);
        assert_eq!(
            duplicates,
            [
                "line 4: key \"x\" already set in map",
                "line 5: key \"b\" already set in map",
                "line 7: key \"a\" already set in map",
            ]
        );
    }

    #[test]
    fn duplicate_keys_that_are_numbers_are_reported_too() {
        let (json, duplicates) = to_json("5: a\n5: b\nyes: 1\ntrue: 2\n1.5: a\n1.5: b\n0xB: 1\n11: 2\n");
        assert_eq!(json, r#"{"1.5":"b","11":2,"5":"b","true":2}"#);
        let key = |line: usize, key: &str| format!("line {line}: key {key} already set in map");
        assert_eq!(duplicates, [key(2, "5"), key(4, "true"), key(6, "1.5"), key(8, "11")]);
        let refused = read(b"a: 1\n~: x\n").unwrap_err();
        assert_eq!(refused, "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"x\"");
    }

    /// Each result is that of `sigs.k8s.io/yaml`, which reads YAML 1.1.
    #[test]
    fn scalars_have_the_types_of_yaml_1_1() {
        for (text, json) in [
            ("0x1F", "31"),
            ("1_000", "1000"),
            ("0o17", "15"),
            ("017", "15"),
            ("0b11", "3"),
            ("+5", "5"),
            ("1e3", "1000"),
            ("5.0", "5"),
            ("018", "18"),
            (".5", "0.5"),
            ("~", "null"),
            ("2001-01-01", r#""2001-01-01""#),
            ("12:30", r#""12:30""#),
            ("y", "true"),
            ("on", "true"),
            ("No", "false"),
            ("!!binary aGk=", r#""hi""#),
            ("!!str 5", r#""5""#),
            ("'5'", r#""5""#),
        ] {
            assert_eq!(to_json(&format!("a: {text}")).0, format!(r#"{{"a":{json}}}"#), "{text}");
        }
        assert_eq!(to_json("y: 1\nn: 2").0, r#"{"false":2,"true":1}"#);
        assert_eq!(to_json("1e3: 1\n1e7: 2").0, r#"{"1000":1,"1e+07":2}"#);
        for (text, number) in [(".inf", "+Inf"), ("-.inf", "-Inf"), (".nan", "NaN")] {
            assert_eq!(read(format!("a: {text}").as_bytes()), Err(format!("json: unsupported value: {number}")));
        }
    }

    #[test]
    fn deeply_nested_yaml_is_read_on_a_thread_with_a_small_stack() {
        let deep = |levels: usize| format!("{}1{}", "{a: ".repeat(levels), "}".repeat(levels));
        let caller = thread::Builder::new().stack_size(256 << 10);
        let depths = caller.spawn(move || [60, 1000].map(|levels| read(deep(levels).as_bytes()).is_ok())).unwrap();
        assert_eq!(depths.join().unwrap(), [true, false]);
    }

    #[test]
    fn aliases_of_aliases_end() {
        let list = |each: usize, of: &str| vec![of; each].join(",");
        assert_eq!(to_json(&format!("a: &a [x]\nb: [{}]", list(90, "*a"))).1, [""; 0]);
        let doubled = |text: String, n: usize| format!("{text}a{n}: &a{n} [*a{0},*a{0}]\n", n - 1);
        let refused = read((1..17).fold("a0: &a0 [x]\n".to_owned(), doubled).as_bytes()).unwrap_err();
        assert!(refused.starts_with("yaml: ") && refused.contains("alias"), "{refused}");
    }

    #[test]
    fn a_text_that_begins_with_a_tab_is_refused() {
        for text in ["\ta: 1", "\n\t{}", "\t# comment"] {
            assert_eq!(read(text.as_bytes()), Err("yaml: found character that cannot start any token".to_owned()));
        }
    }

    #[test]
    fn only_the_first_document_counts() {
        for text in [
            "a: 1\n---\na: 2\n",
            "---\na: 1\n---\n",
            "# c\n---\na: 1\n...\n}{",
            "a: 1\n--- {b\n",
            "%YAML 1.1\n---\na: 1",
        ] {
            assert_eq!(to_json(text).0, r#"{"a":1}"#, "{text}");
        }
        assert_eq!(to_json("a: ---\nb: '--- '").0, r#"{"a":"---","b":"--- "}"#);
        assert_eq!(to_json("---\n---\na: 1\n").0, "null");
    }
}
