//! What an expression sees of a request. Upstream: `admission/plugin/cel`.

use serde_json::Value;

use super::Attributes;
use crate::codec::expression::{self, value_of};
use crate::kinds::Resource;

/// `object`, `oldObject` and `request`. There is no `authorizer`.
pub(super) struct Variables {
    object: Value,
    old: Value,
    request: Value,
}

impl Variables {
    pub(super) fn of(attributes: &Attributes<'_>, row: &'static Resource) -> Self {
        let mut request = attributes.admission_request(row);
        let mut take = |field: &str| request[field].take();
        let (object, old) = (take("object"), take("oldObject"));
        if let Value::Object(fields) = &mut request {
            fields.retain(|name, _| !matches!(name.as_str(), "object" | "oldObject"));
            for text in ["subResource", "requestSubResource", "name", "namespace"] {
                fields.entry(text).or_insert_with(|| "".into());
            }
        }
        Self { object, old, request }
    }

    pub(super) fn all(&self) -> [(&'static str, expression::Value); 3] {
        [("object", value_of(&self.object)), ("oldObject", value_of(&self.old)), ("request", value_of(&self.request))]
    }

    /// What loops may go over.
    pub(super) fn objects(&self) -> [&Value; 3] {
        [&self.object, &self.old, &self.request]
    }
}
