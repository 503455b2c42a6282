//! The form of an object when code needs its fields. All users of an object at one time share its decoded content.

use std::ops::Deref;
use std::sync::{Arc, PoisonError, Weak};

use super::{Draft, Key, Object};
use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

/// An object with its decoded content.
#[derive(Debug)]
pub(crate) struct Opened {
    object: Arc<Object>,
    /// The version that `value` is in: the version of the object, or another one of the same kind.
    pub(crate) resource: Resource,
    /// Without `kind` and `apiVersion`, because the resource has them.
    pub(crate) value: Value,
}

impl Opened {
    /// Returns an object with the content that was decoded from it.
    pub(super) fn of(object: Arc<Object>, value: Value) -> Self {
        let resource = object.resource.clone();
        Self { object, resource, value }
    }

    pub(in crate::store) fn new(resource: &Resource, key: Key, revision: u64, mut value: Value) -> Arc<Self> {
        let object = Arc::new(Draft::new(resource, key, &mut value).with_revision(revision));
        object.open_with(value)
    }

    /// Returns the same object with its content in another version.
    pub(crate) fn in_version(&self, resource: &Resource, value: Value) -> Self {
        Self { object: self.object.clone(), resource: resource.clone(), value }
    }

    /// Returns true if the object was written with exactly this state, so that writing it again changes nothing.
    /// `state` must have the resourceVersion of the content. Upstream compares the stored bytes, so writing the shown
    /// content back is a change if the stored form differs from it.
    pub(in crate::store) fn was_written_as(&self, resource: &Resource, state: &Value) -> bool {
        let Some(written) = &self.written else { return *resource == self.resource && *state == self.value };
        let mut value = written.value.clone();
        value["metadata"]["resourceVersion"] = state["metadata"]["resourceVersion"].clone();
        resource.version() == written.version && *state == value
    }

    pub(crate) fn object(&self) -> &Arc<Object> {
        &self.object
    }

    pub(crate) fn text(&self, pointer: &str) -> Option<&str> {
        self.value.pointer(pointer).and_then(Value::as_str)
    }
}

impl Drop for Opened {
    /// Frees the memory of the decoded content. A dangling weak reference would keep it for as long as the object
    /// lives.
    fn drop(&mut self) {
        let mut opened = self.object.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.strong_count() == 0 {
            *opened = Weak::new();
        }
    }
}

impl AsRef<Value> for Opened {
    fn as_ref(&self) -> &Value {
        &self.value
    }
}

impl Deref for Opened {
    type Target = Object;

    fn deref(&self) -> &Object {
        &self.object
    }
}
