//! Field selectors in a version in which objects are not stored: a field may have another name there, or another value. So they are
//! asked once an object is converted. Upstream: each version has a storage of its own, whose codec converts before `GetAttrs` looks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::conversion::Conversion;
use super::watcher::Start;
use crate::http::status::ApiError;
use crate::kinds::Resource;
use crate::kinds::field_selector::{Content, Fields};
use crate::store::Store;
use crate::store::filter::Filter;
use crate::store::object::{Key, Object};
use crate::value::{Value, json};
use crate::webhook::conversion::in_version;

/// The objects of some stored ones that match in the version of the request.
pub(super) async fn selected(
    store: &Store,
    rows: Conversion,
    fields: &Fields,
    objects: Vec<Arc<Object>>,
) -> Result<Vec<Arc<Object>>, ApiError> {
    let values = in_version(store, rows.served, contents(&objects)).await?;
    let pairs = objects.into_iter().zip(values);
    Ok(pairs.filter(|(_, value)| matches(fields, rows.served, value)).map(|(object, _)| object).collect())
}

fn contents(objects: &[Arc<Object>]) -> Vec<Value> {
    objects.iter().map(|object| serde_json::from_slice(object.json()).unwrap_or_default()).collect()
}

fn matches(fields: &Fields, resource: &Resource, value: &Value) -> bool {
    fields.matches(&Content { resource, value })
}

/// What a watch shows of the events that it gets: it has seen an object since it began to match.
#[derive(Clone)]
pub(super) struct Selection {
    fields: Fields,
    resource: &'static Resource,
    /// The objects from which the watch starts without telling of them, until they are converted.
    start: Vec<Arc<Object>>,
    /// The last states of the objects that match.
    shown: BTreeMap<Key, Value>,
}

impl Selection {
    /// That of a watch that is about to start; and where it starts.
    ///
    /// # Errors
    /// If the state is forgotten from which it starts.
    pub(super) fn of(
        store: &Store,
        rows: Conversion,
        fields: Fields,
        filter: &Filter,
        start: Start,
    ) -> Result<(Self, Start), ApiError> {
        let state = store.lock();
        let revision = match start {
            Start::State { .. } => None,
            Start::After(revision) => Some(revision),
            Start::Now => Some(state.storage.revision()),
        };
        let objects = match revision {
            None => Vec::new(),
            Some(revision) => {
                let (first, prefix) = filter.range();
                let objects = state
                    .storage
                    .range(rows.stored, first, Some(revision))
                    .map_err(|_| ApiError::expired("The resourceVersion for the provided watch is too old."))?;
                let objects = objects.take_while(|object| object.key.as_str().starts_with(&prefix));
                objects.filter(|object| filter.matches(object)).cloned().collect()
            }
        };
        let selection = Self { fields, resource: rows.served, start: objects, shown: BTreeMap::new() };
        Ok((selection, revision.map_or(start, Start::After)))
    }

    /// Makes of an event about a converted object what the watch shows: `false` for nothing.
    pub(super) async fn show(&mut self, store: &Store, event: &mut Value) -> Result<bool, ApiError> {
        for object in in_version(store, self.resource, contents(&std::mem::take(&mut self.start))).await? {
            if matches(&self.fields, self.resource, &object) {
                self.shown.insert(key(&object), object);
            }
        }
        Ok(self.shows(event))
    }

    fn shows(&mut self, event: &mut Value) -> bool {
        let object = &event["object"];
        let (key, is_gone) = (key(object), event["type"] == "DELETED");
        let is_selected = !is_gone && matches(&self.fields, self.resource, object);
        match (self.shown.remove(&key), is_selected) {
            (None, false) => return false,
            (None, true) => event["type"] = "ADDED".into(),
            (Some(mut last), false) if !is_gone => {
                last["metadata"]["resourceVersion"] = object["metadata"]["resourceVersion"].clone();
                *event = json!({"type": "DELETED", "object": last});
            }
            (Some(_), _) => {}
        }
        if is_selected {
            self.shown.insert(key, event["object"].clone());
        }
        true
    }
}

fn key(object: &Value) -> Key {
    let metadata = &object["metadata"];
    Key::new(metadata["namespace"].as_str(), metadata["name"].as_str().unwrap_or_default())
}
