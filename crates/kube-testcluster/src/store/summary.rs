//! The fields of an object that are needed so often that the object must not be decoded for them.

use serde_json::Value;

use crate::kinds::Resource;
use crate::kinds::field_selector::text_at;

/// Extracted when an object is written. An empty list allocates nothing.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) uid: Box<str>,
    /// Whether it has a deletionTimestamp.
    pub(crate) is_deleting: bool,
    pub(crate) has_owners: bool,
    finalizers: Box<[Box<str>]>,
    labels: Box<[(Box<str>, Box<str>)]>,
    /// The texts of the fields that field selectors can use, in the order of the kind's row.
    fields: Box<[Option<Box<str>>]>,
}

impl Summary {
    pub(crate) fn of(resource: &Resource, value: &Value) -> Self {
        let metadata = &value["metadata"];
        let texts = |field: &str| metadata[field].as_array().into_iter().flatten().filter_map(Value::as_str);
        let labels = metadata["labels"].as_object().into_iter().flatten();
        let fields = resource.fields.iter().map(|(_, pointer, _)| text_at(value, pointer).map(Box::from));
        Self {
            uid: metadata["uid"].as_str().unwrap_or_default().into(),
            is_deleting: metadata["deletionTimestamp"].is_string(),
            has_owners: metadata["ownerReferences"].as_array().is_some_and(|owners| !owners.is_empty()),
            finalizers: texts("finalizers").map(Box::from).collect(),
            labels: labels.filter_map(|(key, value)| Some((Box::from(&**key), Box::from(value.as_str()?)))).collect(),
            fields: fields.collect(),
        }
    }

    pub(crate) fn label(&self, key: &str) -> Option<&str> {
        self.labels.iter().find(|(name, _)| **name == *key).map(|(_, value)| &**value)
    }

    /// The n-th field for field selectors.
    pub(crate) fn field(&self, n: usize) -> Option<&str> {
        self.fields.get(n)?.as_deref()
    }

    pub(crate) fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers.iter().any(|finalizer| **finalizer == *name)
    }
}
