//! Compares an answer with the recorded one.

use serde_json::{Map, Value, json};

use crate::placeholders::Bindings;

/// A comparison of two answers, with a list of the differences and their paths.
pub struct Comparison<'a> {
    pub bindings: &'a mut Bindings,
    /// Returns true for a permitted difference. Its parameters are the path and the text of the difference.
    pub permitted: &'a mut dyn FnMut(&str, &str) -> bool,
    pub problems: Vec<String>,
}

impl Comparison<'_> {
    pub fn compare(&mut self, at: &str, expected: &Value, actual: &Value) {
        match (expected, actual) {
            (Value::Object(expected), Value::Object(actual)) => self.fields(at, expected, actual),
            (Value::Array(expected), Value::Array(actual)) if is_catalogue(at, expected) => {
                self.catalogue(at, expected, actual);
            }
            (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
                for (i, (expected, actual)) in expected.iter().zip(actual).enumerate() {
                    self.compare(&format!("{at}/{i}"), expected, actual);
                }
            }
            (Value::String(template), Value::String(text)) => {
                if !self.bindings.matches(template, text) {
                    let known: Vec<String> = crate::placeholders::rvs(template)
                        .iter()
                        .filter_map(|rv| Some(format!("rv{rv}={}", self.bindings.rvs.get(rv)?)))
                        .collect();
                    self.differ(at, format!("{template:?} {known:?} but {text:?}"));
                }
            }
            _ if expected == actual => {}
            _ => self.differ(at, format!("{expected} but {actual}")),
        }
    }

    fn fields(&mut self, at: &str, expected: &Map<String, Value>, actual: &Map<String, Value>) {
        for (name, value) in expected {
            let at = format!("{at}/{name}");
            match actual.get(name) {
                Some(actual) => self.compare(&at, value, actual),
                None => self.differ(&at, format!("{value} but nothing")),
            }
        }
        for (name, value) in actual.iter().filter(|(name, _)| !expected.contains_key(*name)) {
            self.differ(&format!("{at}/{name}"), format!("nothing but {value}"));
        }
    }

    /// Compares two lists of discovery: the actual list may have more entries than the recorded one.
    fn catalogue(&mut self, at: &str, expected: &[Value], actual: &[Value]) {
        for entry in expected {
            let same = |other: &&Value| name(other) == name(entry);
            match actual.iter().find(same) {
                Some(found) => self.compare(&format!("{at}/{}", name(entry)), entry, found),
                None => self.differ(at, format!("{entry} but nothing")),
            }
        }
    }

    pub fn differ(&mut self, at: &str, what: String) {
        if !(self.permitted)(at, &what) {
            self.problems.push(format!("{at}: {}", what.chars().take(600).collect::<String>()));
        }
    }
}

/// Returns true for a discovery list: kinds, groups, subresources or paths.
fn is_catalogue(at: &str, entries: &[Value]) -> bool {
    let lists = ["/resources", "/groups", "/subresources"];
    let groups = at == "/items" && entries.iter().all(|entry| entry.get("versions").is_some());
    let paths = at == "/paths" && entries.iter().all(Value::is_string);
    groups || paths || lists.iter().any(|list| at.ends_with(list)) && entries.iter().all(Value::is_object)
}

fn name(entry: &Value) -> &str {
    let names = ["name", "resource", "subresource"].iter().find_map(|field| entry[*field].as_str());
    entry.as_str().or(names).or(entry["metadata"]["name"].as_str()).unwrap_or_default()
}

/// Shortens an OpenAPI document as the recording program did.
fn outline(document: &Value) -> Value {
    let keys = |value: &Value| -> Vec<String> { value.as_object().into_iter().flat_map(Map::keys).cloned().collect() };
    let mut members = keys(document);
    members.sort_unstable();
    let mut outline = json!({"keys": members, "paths": keys(&document["paths"])});
    for (name, schemas) in [("schemas", &document["components"]["schemas"]), ("definitions", &document["definitions"])]
    {
        if let Some(schemas) = schemas.as_object() {
            outline[name] = schemas.len().into();
        }
    }
    outline
}

/// Shortens an answer as the recording program did. The form of the recorded answer, `expected`, shows how.
pub fn cut(expected: &Value, actual: Value) -> Value {
    let keep = |actual: &Value, names: Vec<&String>| -> Value {
        names
            .into_iter()
            .filter_map(|name| Some((name.clone(), actual.get(name)?.clone())))
            .collect::<Map<_, _>>()
            .into()
    };
    match expected {
        // The beginning of a long text.
        Value::String(text) if text.ends_with(" ...") => {
            let text = text.trim_end_matches(" ...");
            let start: String = actual.as_str().unwrap_or_default().chars().take(text.chars().count()).collect();
            format!("{start} ...").into()
        }
        // The abbreviation for an object that an earlier record shows.
        Value::Object(fields)
            if fields.get("status").is_some_and(|status| status == "as created") && actual["kind"] != "Status" =>
        {
            expected.clone()
        }
        // Only the kind of an object.
        Value::String(_) if actual.get("kind").is_some() => actual["kind"].clone(),
        // Only the rows of a table.
        Value::Array(_) if actual.get("rows").is_some() => actual["rows"].clone(),
        Value::Object(fields) if fields.contains_key("keys") && fields.contains_key("paths") => outline(&actual),
        Value::Object(fields) if fields.contains_key("items (names only)") => {
            let mut short = actual.clone();
            let items = short.as_object_mut().and_then(|fields| fields.remove("items")).unwrap_or_default();
            let names = items.as_array().into_iter().flatten().map(|item| item["metadata"]["name"].clone()).collect();
            short["items (names only)"] = names;
            short
        }
        // Some fields of a table, with the number of its rows.
        Value::Object(fields) if fields.get("rows").is_some_and(Value::is_number) => {
            let mut short = keep(&actual, fields.keys().collect());
            short["rows"] = actual["rows"].as_array().map_or(0, Vec::len).into();
            short
        }
        // Some fields of a table.
        Value::Object(fields) if actual.get("rows").is_some() => keep(&actual, fields.keys().collect()),
        // The metadata, the status or some fields of an object.
        Value::Object(fields) if !fields.contains_key("kind") && actual.get("kind").is_some() => {
            if fields.contains_key("uid") {
                return actual["metadata"].clone();
            }
            if fields.contains_key("phase") || fields.contains_key("conditions") {
                return actual["status"].clone();
            }
            let mut short = keep(&actual, fields.keys().collect());
            if let Some(metadata) = fields.get("metadata").and_then(Value::as_object) {
                short["metadata"] = keep(&actual["metadata"], metadata.keys().collect());
            }
            short
        }
        _ => actual,
    }
}
