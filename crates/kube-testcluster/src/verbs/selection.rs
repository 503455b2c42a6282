//! Field selectors of custom resources in a version that objects are not stored in. A field may have another name or
//! value there, so lists and watches match these selectors only after the conversion; all other selectors are matched
//! in the store. Upstream has a storage for each version, whose codec converts before `GetAttrs` reads the fields.

use std::sync::Arc;

use super::conversion::Conversion;
use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::object::Object;
use crate::webhook::conversion::in_version;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::field_selector::{Fields, ObjectContent};
use kube_machinery::value::{Value, json};

/// The field selectors, and the version that they are matched in.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    pub(super) fields: Fields,
    pub(super) version: Resource,
}

impl Selection {
    fn selects(&self, value: &Value) -> bool {
        self.fields.matches(&ObjectContent { resource: &self.version, value })
    }

    /// Returns the stored objects that match once they are converted to `version`.
    pub(super) async fn of(
        &self,
        store: &Store,
        objects: Vec<Arc<Object>>,
    ) -> Result<impl Iterator<Item = Arc<Object>>, ApiError> {
        let whole = |object: &Arc<Object>| object.open().map(|opened| object.resource.served_object(&opened.value));
        let values = objects.iter().map(whole).collect::<Result<_, _>>()?;
        let values = in_version(store, &self.version, values).await?;
        Ok(objects.into_iter().zip(values).filter(|(_, value)| self.selects(value)).map(|(object, _)| object))
    }

    /// Returns the event that a watch with this selection receives, if any. The caller has converted `object` already.
    /// The event of a change also has the state before (`previous`), which is converted here, by `rows`. If the change
    /// brings the object into the selection or out of it, the event becomes ADDED or DELETED.
    pub(super) async fn event(
        &self,
        store: &Store,
        rows: &Conversion,
        mut event: Value,
    ) -> Result<Option<Value>, ApiError> {
        let before = event.as_object_mut().and_then(|event| event.remove("previous"));
        let Some(before) = before else {
            return Ok(self.selects(&event["object"]).then_some(event));
        };
        let mut before = rows.of(store, before).await?;
        Ok(match (self.selects(&before), self.selects(&event["object"])) {
            (false, false) => None,
            (true, true) => Some(event),
            (false, true) => Some(json!({"type": "ADDED", "object": event["object"].take()})),
            (true, false) => {
                before["metadata"]["resourceVersion"] = event["object"]["metadata"]["resourceVersion"].take();
                Some(json!({"type": "DELETED", "object": before}))
            }
        })
    }
}
