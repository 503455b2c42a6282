//! Makes the cluster's objects what a recording shows.

use serde_json::{Map, Value, json};

use crate::client::{Server, pod};
use crate::sightings::Version;

/// Whether what is shown of an object is this version of it.
pub fn is_version(shown: &Value, object: &Value) -> bool {
    let metadata = ["labels", "deletionTimestamp", "generation", "annotations", "finalizers"];
    let same = |place: String| shown.pointer(&place) == object.pointer(&place);
    let unknown = shown["metadata"].get("generation").is_none();
    (unknown || metadata.iter().all(|field| same(format!("/metadata/{field}"))))
        && (shown.get("spec").is_none() || same("/spec/nodeName".into()))
        && (shown.get("status").is_none() || same("/status/phase".into()))
}

/// Makes the cluster's object what a version shows; gives back the revision of the last write.
pub async fn apply(server: &Server, version: &Version) -> Option<u64> {
    let (path, object) = (&version.path, &version.object);
    let (collection, name) = path.rsplit_once('/').unwrap();
    let metadata = &object["metadata"];
    let dying = metadata["deletionTimestamp"].is_string();
    let period = metadata["deletionGracePeriodSeconds"].as_i64().unwrap_or_default();
    let current = server.get(path).await;
    if version.gone {
        current?;
        server.write("DELETE", &format!("{path}?gracePeriodSeconds=0"), &Value::Null).await;
        return None; // a watch will show the revision
    }
    if dying && period == 0 && metadata["finalizers"].is_null() {
        return None; // the first half of a deletion that is still to come
    }
    let current = match current {
        Some(current) => current,
        None => server.write("POST", collection, &fresh(collection, object)).await,
    };
    if metadata.get("creationTimestamp").is_some() {
        relabel(server, path, &current, metadata).await; // what is shown of it is all that there is
    }
    let is_pod = collection.ends_with("/pods");
    let node = object["spec"]["nodeName"].as_str();
    if let Some(node) = node.filter(|_| is_pod && current["spec"]["nodeName"].is_null()) {
        server.bind(name, node).await;
    }
    if object["status"]["phase"].as_str().is_some_and(|phase| current["status"]["phase"] != phase) {
        server.run(name).await;
    }
    if dying && current["metadata"]["deletionTimestamp"].is_null() {
        server.write("DELETE", &format!("{path}?gracePeriodSeconds={period}"), &Value::Null).await;
    }
    let now = server.get(path).await?;
    now["metadata"]["resourceVersion"].as_str()?.parse().ok()
}

/// A new object as a client sends it.
fn fresh(collection: &str, object: &Value) -> Value {
    let kept = |fields: &Map<String, Value>, keep: &[&str]| -> Map<String, Value> {
        fields.iter().filter(|(name, _)| keep.contains(&name.as_str())).map(|(k, v)| (k.clone(), v.clone())).collect()
    };
    let mut fresh = object.as_object().unwrap().clone();
    for field in ["kind", "apiVersion", "status"] {
        fresh.remove(field);
    }
    let metadata = object["metadata"].as_object().unwrap();
    fresh["metadata"] = kept(metadata, &["name", "labels", "annotations", "finalizers"]).into();
    if collection.ends_with("/pods") {
        let name = metadata["name"].as_str().unwrap();
        let spec = fresh.entry("spec").or_insert_with(|| json!({}));
        if spec["containers"].is_null() {
            *spec = pod(name, &Value::Null)["spec"].take();
        }
        spec.as_object_mut().unwrap().remove("nodeName");
    }
    fresh.into()
}

async fn relabel(server: &Server, path: &str, current: &Value, metadata: &Value) {
    let mut patch = Map::new();
    for field in ["labels", "annotations"] {
        let empty = Map::new();
        let (old, new) = (&current["metadata"][field], &metadata[field]);
        let (old, new) = (old.as_object().unwrap_or(&empty), new.as_object().unwrap_or(&empty));
        if old != new {
            let mut change: Map<String, Value> = old.keys().map(|key| (key.clone(), Value::Null)).collect();
            change.extend(new.clone());
            patch.insert(field.into(), change.into());
        }
    }
    if !patch.is_empty() {
        server.write("PATCH", path, &json!({"metadata": patch})).await;
    }
}
