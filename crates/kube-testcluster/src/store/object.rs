//! A stored object in the state of one write. It is kept as the JSON that clients receive, encoded once for all
//! readers: gets, lists and watches send parts of the same bytes. An object has three forms: [`Draft`] before the
//! write, [`Object`] after it, and [`Opened`] when code needs its fields.

mod draft;
mod key;
mod opened;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;

pub(crate) use self::draft::Draft;
pub(crate) use self::key::Key;
pub(crate) use self::opened::Opened;
use super::error::StoreError;
use super::packed_text::PackableText;
use super::summary::Summary;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::custom_resource::Definition;
use kube_machinery::kinds::field_selector::Selectable;
use kube_machinery::value::Value;

/// An object in the state of one write, as the JSON that clients receive. A tree of values would take ten times the
/// memory, so code that needs the fields [opens](Self::open) the object.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) resource: Resource,
    pub(crate) key: Key,
    /// The revision of the write. `metadata.resourceVersion` is its decimal text.
    pub(crate) revision: u64,
    pub(crate) summary: Summary,
    /// The line of an ADDED event. The response to a get and the item of a list are parts of this line.
    added: PackableText,
    /// The offset in `added` where the list item begins. The item has no opening brace, and only custom resources have
    /// kind and apiVersion in it.
    item: u32,
    /// The decoded content, as long as another part of the program holds it.
    opened: Mutex<Weak<Opened>>,
    /// The object as it was written, if its definition shows it in another form.
    written: Option<Arc<Written>>,
}

/// A custom resource as it was written, kept because its definition shows it with other defaults, with fewer fields, or
/// in another version.
#[derive(Debug)]
struct Written {
    /// The version of the object. Its [`Resource`] is not kept, because it holds the definition of that time.
    version: String,
    value: Value,
}

/// The text of an object without its [`Resource`], which would keep the definition of a custom resource in memory.
#[derive(Debug)]
pub(super) struct ObjectText {
    pub(super) revision: u64,
    /// As in [`Object`].
    added: PackableText,
}

impl ObjectText {
    pub(super) fn json(&self) -> Bytes {
        part_of(&self.added.text(), HEAD.len())
    }
}

/// Cuts the end of the object, from the offset `start`, out of the line of an ADDED event.
fn part_of(line: &Bytes, start: usize) -> Bytes {
    line.slice(start..line.len() - TAIL.len())
}

#[cfg(test)]
thread_local! {
    /// The number of objects that this thread has decoded, for tests that measure work.
    pub(crate) static OPENED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The text before and after the object in the line of an ADDED event.
const HEAD: &str = r#"{"type":"ADDED","object":"#;
const TAIL: &[u8] = b"}\n";

impl Object {
    pub(crate) fn new(resource: &Resource, key: Key, revision: u64, mut value: Value) -> Self {
        Draft::new(resource, key, &mut value).with_revision(revision)
    }

    /// Returns an object that is not stored and has no resourceVersion: the response to the dry run of a creation.
    pub(crate) fn unwritten(resource: &Resource, key: Key, value: &Value) -> Self {
        Draft::unwritten(resource, key, value).into_object(0)
    }

    /// Decodes the object. Callers that have it open at the same time share the decoded content. Fails with
    /// `Unreadable` if the stored bytes cannot be decoded. That would be a bug of this server; it fails only the one
    /// request.
    pub(crate) fn open(self: &Arc<Self>) -> Result<Arc<Opened>, StoreError> {
        if let Some(opened) = self.opened.lock().unwrap_or_else(PoisonError::into_inner).upgrade() {
            return Ok(opened);
        }
        let opened = Arc::new(Opened::of(self.clone(), self.content()?));
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&opened);
        Ok(opened)
    }

    /// Opens the object without decoding it. `value` is the content that it was just encoded from, except for the
    /// revision, which is set here.
    pub(super) fn open_with(self: &Arc<Self>, mut value: Value) -> Arc<Opened> {
        value["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let opened = Arc::new(Opened::of(self.clone(), value));
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&opened);
        opened
    }

    /// Decodes the object with kind and apiVersion, for a response in another form than JSON. Fails as
    /// [`open`](Self::open) does.
    pub(crate) fn value(&self) -> Result<Value, StoreError> {
        serde_json::from_slice(&self.json()).map_err(|error| self.unreadable(&error))
    }

    /// Decodes the object as the item of a list.
    pub(crate) fn item_value(&self) -> Result<Value, StoreError> {
        let text = [b"{", &*self.item()].concat();
        serde_json::from_slice(&text).map_err(|error| self.unreadable(&error))
    }

    fn content(&self) -> Result<Value, StoreError> {
        #[cfg(test)]
        OPENED.with(|opened| opened.set(opened.get() + 1));
        let mut value: Value = serde_json::from_slice(&self.json()).map_err(|error| self.unreadable(&error))?;
        if let Value::Object(fields) = &mut value {
            fields.remove("kind");
            fields.remove("apiVersion");
        }
        Ok(value)
    }

    pub(crate) fn unreadable(&self, error: &serde_json::Error) -> StoreError {
        let (kind, key, why) = (self.resource.qualified(), self.key.to_string(), error.to_string());
        tracing::error!(kind, key, why, "a stored object cannot be read");
        StoreError::Unreadable { kind, key, why }
    }

    /// Returns the same state with another revision, as a DELETED event needs it.
    pub(crate) fn with_revision(&self, revision: u64) -> Result<Self, StoreError> {
        Ok(Self::new(&self.resource, self.key.clone(), revision, self.content()?))
    }

    /// Returns the same state in the form that the definition asks for now. As in upstream, the stored object stays as
    /// it was written: defaults of the earlier definition are removed, and fields that it pruned come back.
    pub(super) fn in_form_of(&self, definition: &Definition) -> Result<Self, StoreError> {
        let written = match &self.written {
            Some(written) => written.clone(),
            None => Arc::new(Written { version: self.resource.version().to_owned(), value: self.content()? }),
        };
        let resource = definition.of_stored_version(&written.version);
        let shown = resource.coerce_and_default(written.value.clone());
        let differs = shown != written.value || written.version != definition.stored.version();
        let object = Self::new(resource, self.key.clone(), self.revision, shown);
        Ok(Self { written: differs.then_some(written), ..object })
    }

    /// Returns the object as in a response to a get: JSON with kind and apiVersion.
    pub(crate) fn json(&self) -> Bytes {
        self.part_from(HEAD.len())
    }

    /// Returns the object as in a list, without the opening brace.
    pub(crate) fn item(&self) -> Bytes {
        self.part_from(self.item as usize)
    }

    pub(crate) fn item_length(&self) -> usize {
        self.length() - self.item as usize - TAIL.len()
    }

    fn part_from(&self, start: usize) -> Bytes {
        part_of(&self.added(), start)
    }

    /// Returns the text without the rest of the object. Both share the bytes.
    pub(super) fn text_alone(&self) -> ObjectText {
        ObjectText { revision: self.revision, added: self.added.clone() }
    }

    pub(crate) fn added(&self) -> Bytes {
        self.added.text()
    }

    /// Returns the length of the ADDED line, in bytes. No other text of the object is longer.
    pub(crate) fn length(&self) -> usize {
        self.added.length()
    }

    #[cfg(test)]
    pub(super) fn is_packed(&self) -> bool {
        self.added.is_packed()
    }

    /// Compresses the object, with the text of another object of its kind as the dictionary. Reading it takes a little
    /// longer then. Returns false if the object is too short or too unlike the dictionary.
    pub(super) fn pack(&self, dictionary: &Bytes) -> bool {
        self.added.pack(dictionary)
    }
}

impl Selectable for Object {
    fn name(&self) -> &str {
        self.key.name()
    }

    fn namespace(&self) -> Option<&str> {
        self.key.namespace()
    }

    fn field(&self, n: usize) -> Option<Cow<'_, str>> {
        self.summary.field(n).map(Cow::Borrowed)
    }
}
