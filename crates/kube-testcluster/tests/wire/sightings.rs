//! Finds the versions of objects in the responses of a file.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::placeholders::rvs;
use crate::recording::Recording;

/// One version of an object in a response.
#[derive(Clone, Debug)]
pub struct Version {
    pub path: String,
    pub object: Value,
    pub gone: bool,
    pub hidden: bool,
}

/// All versions that a file shows, by the number of their resourceVersion, and the last number that stands for one of
/// anything.
pub fn versions(file: &Recording) -> (BTreeMap<u32, Version>, u32) {
    let mut versions: BTreeMap<u32, Version> = BTreeMap::new();
    let mut last = 0;
    for record in &file.records {
        let response = &record["response"];
        for text in numbers(response) {
            last = last.max(text);
        }
        let (path, query) = request_path(record);
        let write = record["request"]["method"] != "GET" && !query.contains("dryRun");
        let mut found = Vec::new();
        sightings(&response["body"], "", &mut found);
        for event in response["events"].as_array().into_iter().flatten() {
            let (object, kind) = told(event);
            sightings(object, kind, &mut found);
        }
        let list = response["body"].get("items").is_some();
        for (object, event) in found {
            let Some(number) = rv(&object["metadata"]) else { continue };
            let made = if event.is_empty() { write && !list } else { acted(record, query, &object, &event) };
            let path = object_path(path, &object["metadata"]);
            let object = if query.contains("dryRun") && !list { identity(&object) } else { object };
            let version = Version { path, gone: event == "DELETED", hidden: !made, object };
            match versions.get_mut(&number) {
                None => drop(versions.insert(number, version)),
                Some(before) if before.object.get("spec").is_none() && version.object.get("spec").is_some() => {
                    before.object = version.object;
                }
                Some(_) => {}
            }
        }
    }
    (versions, last)
}

/// An object in an answer, and what an event says about it.
pub fn sightings(body: &Value, event: &str, found: &mut Vec<(Value, String)>) {
    let uid = |metadata: &Value| metadata["name"].is_string() && metadata["resourceVersion"].is_string();
    for item in body["items"].as_array().into_iter().flatten() {
        sightings(item, event, found);
    }
    for row in body["rows"].as_array().into_iter().flatten() {
        sightings(&row["object"], event, found);
    }
    if uid(&body["metadata"]) {
        found.push((body.clone(), event.to_owned()));
    } else if uid(body) {
        found.push((json!({"metadata": body}), event.to_owned())); // an answer cut to its metadata
    }
}

/// The object and the type of an event; a watch that the server took for a get has the object alone.
pub fn told(event: &Value) -> (&Value, &str) {
    event["type"].as_str().map_or((event, "MODIFIED"), |kind| (&event["object"], kind))
}

pub fn request_path(record: &Value) -> (&str, &str) {
    let path = record["request"]["path"].as_str().unwrap();
    path.split_once('?').unwrap_or((path, ""))
}

pub fn parameter<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// The path of an object that an answer to this path shows.
pub fn object_path(path: &str, metadata: &Value) -> String {
    let path = path.replace("/watch/", "/");
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    let root = if parts[0] == "api" { 2 } else { 3 };
    let (own, plural) = match &parts[root..] {
        ["namespaces", namespace, plural, ..] => (Some(*namespace), *plural),
        [plural, ..] => (None, *plural),
        [] => (None, ""),
    };
    let namespace =
        metadata["namespace"].as_str().or(own).map(|name| format!("/namespaces/{name}")).unwrap_or_default();
    format!("/{}{namespace}/{plural}/{}", parts[..root].join("/"), metadata["name"].as_str().unwrap())
}

/// What a dry run shows of an object that was there before.
pub fn identity(object: &Value) -> Value {
    let metadata = &object["metadata"];
    json!({"metadata": {"name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
        "resourceVersion": metadata["resourceVersion"]}})
}

pub fn rv(metadata: &Value) -> Option<u32> {
    rvs(metadata["resourceVersion"].as_str()?).first().copied()
}

/// Every number that stands as the resourceVersion of something in an answer.
pub fn numbers(value: &Value) -> Vec<u32> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value.as_str()) {
                ("resourceVersion", Some(text)) => rvs(text),
                _ => numbers(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(numbers).collect(),
        _ => Vec::new(),
    }
}

pub fn names(body: &Value) -> Option<Vec<String>> {
    if let Some(names) = body.get("items (names only)") {
        return Some(names.as_array()?.iter().map(|name| name.as_str().unwrap().to_owned()).collect());
    }
    let items = body.get("items")?.as_array()?;
    items.iter().map(|item| item["metadata"]["name"].as_str().map(ToOwned::to_owned)).collect()
}

/// Whether an event of a watch comes from what was done while it ran.
pub fn acted(record: &Value, query: &str, object: &Value, event: &str) -> bool {
    let name = object["metadata"]["name"].as_str().unwrap();
    let from = parameter(query, "resourceVersion").and_then(|text| rvs(text).pop());
    let actions = record["duringWatch"].as_array().map_or(&[][..], Vec::as_slice);
    actions.iter().filter_map(Value::as_str).any(|action| {
        let words: Vec<&str> = action.split([' ', ':']).collect();
        let named = words.contains(&name) || action == "POST event";
        let later = from.is_some_and(|from| rv(&object["metadata"]).is_some_and(|number| number > from));
        named && (later || event != "ADDED" || action.starts_with("POST"))
    })
}
