//! Bodies in YAML, as `sigs.k8s.io/yaml` turns them into JSON: the first document, its fields in the order of their names,
//! and of fields with one name the last. What is there twice is told with its line.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::panic::resume_unwind;
use std::thread;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Number;
use serde_saphyr::Spanned;
use serde_saphyr::options::DuplicateKeyPolicy;

use super::json::{Json, MOST_FAULTS};

/// What a text says.
#[derive(Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) json: Json,
    /// `line 2: key "a" already set in map`
    pub(crate) duplicates: Vec<String>,
}

/// Reads the first document of a text.
///
/// # Errors
/// The parser's message.
pub(crate) fn read(text: &[u8]) -> Result<Read, String> {
    let text = std::str::from_utf8(text).map_err(|error| format!("yaml: {error}"))?;
    if text.lines().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with('\t')) {
        return Err("yaml: found character that cannot start any token".to_owned()); // the parser here takes tabs
    }
    on_a_large_stack(|| {
        let options = serde_saphyr::options! { duplicate_keys: DuplicateKeyPolicy::LastWins };
        let node: Node = serde_saphyr::from_str_with_options(first_document(text), options)
            .map_err(|error| format!("yaml: {}", error.without_snippet()))?;
        let mut duplicates = Vec::new();
        let json = node.json(&mut duplicates);
        Ok(Read { json, duplicates })
    })
}

/// The stack for a text as deep as the parser takes: 64 levels, each of some 20 calls, which take 40 KiB in a debug build.
const STACK: usize = 16 << 20;

/// Does this on a thread of its own: the stack of a thread that serves requests may be too small for it.
fn on_a_large_stack<T: Send>(read: impl FnOnce() -> Result<T, String> + Send) -> Result<T, String> {
    thread::scope(|scope| {
        let reading = thread::Builder::new().name("yaml".to_owned()).stack_size(STACK).spawn_scoped(scope, read);
        let reading = reading.map_err(|error| format!("yaml: no thread to read it: {error}"))?;
        reading.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// The text up to the mark that begins a second document, or that ends the first.
fn first_document(text: &str) -> &str {
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

/// YAML as it was written.
enum Node {
    Leaf(Json),
    List(Vec<Node>),
    Map(Vec<(Key, Spanned<Node>)>),
}

/// The key of a field: as text, as JSON has it, and as Go prints it.
struct Key {
    text: String,
    told: String,
}

impl Node {
    fn json(self, duplicates: &mut Vec<String>) -> Json {
        match self {
            Self::Leaf(json) => json,
            Self::List(items) => Json::Array(items.into_iter().map(|item| item.json(duplicates)).collect()),
            Self::Map(fields) => {
                let mut known = HashSet::new();
                let mut sorted = BTreeMap::new();
                for (key, value) in fields {
                    let line = value.referenced.line();
                    let json = value.value.json(duplicates);
                    if !known.insert(key.told.clone()) && duplicates.len() < MOST_FAULTS {
                        duplicates.push(format!("line {line}: key {} already set in map", key.told));
                    }
                    sorted.insert(key.text, json);
                }
                Json::Object(sorted.into_iter().collect())
            }
        }
    }
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
            Json::Null => "null".to_owned(),
            Json::Bool(value) => value.to_string(),
            Json::Number(number) => number.to_string(),
            Json::String(text) => text.clone(),
            Json::Array(_) | Json::Object(_) => {
                return Err(serde::de::Error::custom("invalid map key"));
            }
        };
        let told = if matches!(key, Json::String(_)) { format!("{text:?}") } else { text.clone() };
        Ok(Self { text, told })
    }
}

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

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Leaf(Number::from_f64(value).map_or(Json::Null, Json::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Leaf(Json::String(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Leaf(Json::String(value)))
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

    fn told(text: &str) -> (String, Vec<String>) {
        let Read { json, duplicates } = read(text.as_bytes()).unwrap();
        (serde_json::Value::from(json).to_string(), duplicates)
    }

    /// Upstream: `setMapIndex` in `go.yaml.in/yaml/v2`.
    #[test]
    fn of_a_key_that_is_there_twice_the_last_counts_and_its_line_is_told() {
        let (json, duplicates) = told("b: 1\na:\n  x: 1\n  x: 2\nb: 3\na:\n  z: 4\n1: yes\n");
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
    fn a_text_as_deep_as_the_parser_takes_needs_no_stack_of_the_caller() {
        let deep = |levels: usize| format!("{}1{}", "{a: ".repeat(levels), "}".repeat(levels));
        let caller = thread::Builder::new().stack_size(256 << 10);
        let depths = caller.spawn(move || [60, 1000].map(|levels| read(deep(levels).as_bytes()).is_ok())).unwrap();
        assert_eq!(depths.join().unwrap(), [true, false]);
    }

    #[test]
    fn a_text_does_not_begin_with_a_tab() {
        for text in ["\ta: 1", "\n\t{}", "\t# comment"] {
            assert_eq!(read(text.as_bytes()), Err("yaml: found character that cannot start any token".to_owned()));
        }
    }

    #[test]
    fn the_first_document_counts() {
        for text in [
            "a: 1\n---\na: 2\n",
            "---\na: 1\n---\n",
            "# c\n---\na: 1\n...\n}{",
            "a: 1\n--- {b\n",
            "%YAML 1.1\n---\na: 1",
        ] {
            assert_eq!(told(text).0, r#"{"a":1}"#, "{text}");
        }
        assert_eq!(told("a: ---\nb: '--- '").0, r#"{"a":"---","b":"--- "}"#);
        assert_eq!(told("---\n---\na: 1\n").0, "null");
    }
}
