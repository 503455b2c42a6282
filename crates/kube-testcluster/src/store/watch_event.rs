//! An event as a watch sends it: what the write did to the object, seen through the filter of the watch. Watches
//! for which the event is the same share it and its encodings: the first watch of each form encodes it, and the others
//! send the same bytes. Upstream: `watch.Event`, and `cachingObject` of `k8s.io/apiserver/pkg/storage/cacher`.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::error::StoreError;
use super::object::Object;
use kube_machinery::value::Value;

/// The type of an event, as the API names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventType {
    Added,
    Modified,
    Deleted,
    Bookmark,
    Error,
}

impl EventType {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
            Self::Bookmark => "BOOKMARK",
            Self::Error => "ERROR",
        }
    }
}

/// The name of a form that an encoder makes. In forms of the same name, an event has the same bytes. Upstream:
/// `runtime.Identifier`.
pub(crate) type Identifier = Arc<str>;

#[derive(Debug)]
pub(crate) struct WatchEvent {
    pub(crate) kind: EventType,
    pub(crate) object: EventObject,
    /// The state before a change, for a watch whose selector is matched after the conversion of the object.
    pub(crate) previous: Option<Arc<Object>>,
    /// The encodings so far. They are freed with the event once all watches have sent it, because the history keeps no
    /// `WatchEvent`.
    encodings: Mutex<Vec<(Identifier, Bytes)>>,
}

/// The object of an event.
#[derive(Debug)]
pub(crate) enum EventObject {
    Stored(Arc<Object>),
    /// A value that is not stored: a bookmark, a Status, or an object that is converted to another version.
    Made(Value),
}

impl WatchEvent {
    fn new(kind: EventType, object: EventObject, previous: Option<Arc<Object>>) -> Self {
        Self { kind, object, previous, encodings: Mutex::default() }
    }

    pub(super) fn stored(kind: EventType, object: Arc<Object>) -> Self {
        Self::new(kind, EventObject::Stored(object), None)
    }

    /// Returns the event of a change that also has the state before it.
    pub(super) fn changed(previous: Arc<Object>, current: Arc<Object>) -> Self {
        Self::new(EventType::Modified, EventObject::Stored(current), Some(previous))
    }

    /// Returns an event of a value, which must have kind and apiVersion.
    pub(crate) fn made(kind: EventType, object: Value) -> Self {
        Self::new(kind, EventObject::Made(object), None)
    }

    /// Returns the object with kind and apiVersion. Fails if a stored object cannot be decoded.
    pub(crate) fn value(&self) -> Result<Value, StoreError> {
        match &self.object {
            EventObject::Stored(object) => object.value(),
            EventObject::Made(value) => Ok(value.clone()),
        }
    }

    /// Returns about how many bytes the event takes as JSON; 0 for a value that is not stored, which is small or is
    /// made for one watch only.
    pub(crate) fn length(&self) -> u64 {
        match &self.object {
            EventObject::Stored(object) => object.length() as u64,
            EventObject::Made(_) => 0,
        }
    }

    /// Returns the event in the form of an encoder. Runs `encode` for the first watch that asks for this form. Returns
    /// `None` if the object has no such form.
    pub(crate) fn encoded(&self, form: &Identifier, encode: impl FnOnce() -> Option<Bytes>) -> Option<Bytes> {
        let mut encodings = self.encodings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, bytes)) = encodings.iter().find(|(of, _)| of == form) {
            return Some(bytes.clone());
        }
        let bytes = encode()?;
        encodings.push((form.clone(), bytes.clone()));
        Some(bytes)
    }
}
