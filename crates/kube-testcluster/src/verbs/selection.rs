//! Field selectors of a request for custom resources that may be stored in another version. A field may have another
//! name or value in that version, so lists and watches match these selectors only after the conversion; all other
//! selectors are matched in the store. Upstream has a storage for each version, whose codec converts before `GetAttrs`
//! reads the fields.

use std::sync::Arc;

use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::object::Object;
use crate::store::watch_event::{EventType, WatchEvent};
use crate::webhook::conversion::in_version;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::field_selector::{Fields, ObjectContent};
use kube_machinery::value::Value;

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

    /// Returns the event that a watch with this selection receives, if any. `before` is the state before a change. Both
    /// states are converted already. If the change brings the object into the selection or out of it, the event becomes
    /// ADDED or DELETED.
    pub(super) fn event(&self, kind: EventType, before: Option<Value>, mut object: Value) -> Option<WatchEvent> {
        let is_selected = self.selects(&object);
        let Some(mut before) = before else { return is_selected.then(|| WatchEvent::made(kind, object)) };
        match (self.selects(&before), is_selected) {
            (false, false) => None,
            (true, true) => Some(WatchEvent::made(kind, object)),
            (false, true) => Some(WatchEvent::made(EventType::Added, object)),
            (true, false) => {
                before["metadata"]["resourceVersion"] = object["metadata"]["resourceVersion"].take();
                Some(WatchEvent::made(EventType::Deleted, before))
            }
        }
    }
}
