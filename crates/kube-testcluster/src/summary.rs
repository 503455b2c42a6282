//! What is asked of an object so often that it is not opened for it.

use serde_json::Value;

use super::resource::Resource;

/// Drawn from an object when it is written. Empty lists take no memory of their own.
#[derive(Debug)]
pub(crate) struct Summary {
    pub(crate) uid: Box<str>,
    /// It has a deletionTimestamp.
    pub(crate) is_deleting: bool,
    pub(crate) has_owners: bool,
    finalizers: Box<[Box<str>]>,
    labels: Box<[(Box<str>, Box<str>)]>,
    /// The text of each field that the kind has a selector for, in the order of its row.
    fields: Box<[Option<Box<str>>]>,
}

impl Summary {
    pub(crate) fn of(resource: &Resource, value: &Value) -> Self {
        let metadata = &value["metadata"];
        let texts = |field: &str| metadata[field].as_array().into_iter().flatten().filter_map(Value::as_str);
        let labels = metadata["labels"].as_object().into_iter().flatten();
        let fields = resource.fields.iter().map(|(_, pointer, _)| at(value, pointer).and_then(text));
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

    /// The n-th of the fields that the kind has selectors for.
    pub(crate) fn field(&self, n: usize) -> Option<&str> {
        self.fields.get(n)?.as_deref()
    }

    pub(crate) fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers.iter().any(|finalizer| **finalizer == *name)
    }
}

/// What stands at a pointer of a row. None of those has an escape, which [`Value::pointer`] looks for in every word.
fn at<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    pointer.split('/').skip(1).try_fold(value, |value, field| value.get(field))
}

/// What a selector compares a field with.
fn text(value: &Value) -> Option<Box<str>> {
    match value {
        Value::String(text) => Some(text.as_str().into()),
        Value::Bool(value) => Some(if *value { "true".into() } else { "false".into() }),
        Value::Number(number) => Some(number.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
