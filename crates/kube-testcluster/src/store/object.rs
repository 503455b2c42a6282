//! A stored object in the state of one write. It is kept as the JSON that clients receive, encoded once for all
//! readers: gets, lists and watches send parts of the same bytes. An object has three forms: [`Draft`] before the
//! write, [`Object`] after it, and [`Opened`] when code needs its fields.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;

use super::error::StoreError;
use super::packed_text::PackableText;
use super::summary::Summary;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::custom_resource::Definition;
use kube_machinery::kinds::field_selector::Selectable;
use kube_machinery::value::{Value, write_field, write_fields};

/// `namespace/name`, or `name` for a cluster-scoped kind. Keys are ordered like upstream's storage keys, as whole
/// texts: `a-b/x` comes before `a/x`.
///
/// Clones share one text, because storage, the watch cache, the history and the object each keep the key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(Arc<str>);

impl Key {
    pub(crate) fn new(namespace: Option<&str>, name: &str) -> Self {
        Self(namespace.map_or_else(|| name.into(), |namespace| [namespace, "/", name].concat().into()))
    }

    /// Makes the start of a range, which need not be the key of an object.
    pub(crate) fn from_start(start: String) -> Self {
        Self(start.into())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn namespace(&self) -> Option<&str> {
        self.slash().map(|slash| &self.0[..slash])
    }

    pub(crate) fn name(&self) -> &str {
        self.slash().map_or(&self.0, |slash| &self.0[slash + 1..])
    }

    /// Finds the slash. It runs for each event and each watcher. Namespaces are short, so a plain loop is faster than
    /// an optimized search.
    fn slash(&self) -> Option<usize> {
        self.0.bytes().position(|byte| byte == b'/')
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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

/// An object that is encoded except for its revision, which is known only under the store's lock.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) resource: Resource,
    pub(crate) key: Key,
    summary: Summary,
    /// As in [`Object`], with spare capacity for the revision.
    added: Vec<u8>,
    /// As in [`Object`].
    item: u32,
    /// The offset in `added` where the revision is inserted.
    revision_offset: usize,
    /// As in [`Object`].
    written: Option<Arc<Written>>,
}

#[cfg(test)]
thread_local! {
    /// The number of objects that this thread has decoded, for tests that measure work.
    pub(crate) static OPENED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The text before and after the object in the line of an ADDED event.
const HEAD: &str = r#"{"type":"ADDED","object":"#;
const TAIL: &[u8] = b"}\n";

/// The size of the buffer for encoding, in bytes. Most objects fit into it without growing it.
const FIRST_SIZE: usize = 4096;

/// The most digits that a revision has. Each object reserves that many bytes; some stay unused.
const DIGITS: usize = 20;

/// An object with its decoded content.
#[derive(Debug)]
pub(crate) struct Opened {
    object: Arc<Object>,
    /// The version that `value` is in: the version of the object, or another one of the same kind.
    pub(crate) resource: Resource,
    /// Without `kind` and `apiVersion`, because the resource has them.
    pub(crate) value: Value,
}

impl Object {
    pub(crate) fn new(resource: &Resource, key: Key, revision: u64, mut value: Value) -> Self {
        Draft::new(resource, key, &mut value).with_revision(revision)
    }

    /// Returns an object that is not stored and has no resourceVersion: the response to the dry run of a creation.
    pub(crate) fn unwritten(resource: &Resource, key: Key, value: &Value) -> Self {
        let (added, item) = framed(resource, value, write_field);
        let (resource, summary) = (resource.clone(), Summary::of(resource, value));
        Draft { resource, key, summary, added, item, revision_offset: 0, written: None }.into_object(0)
    }

    /// Decodes the object. Callers that have it open at the same time share the decoded content. Fails with
    /// `Unreadable` if the stored bytes cannot be decoded. That would be a bug of this server; it fails only the one
    /// request.
    pub(crate) fn open(self: &Arc<Self>) -> Result<Arc<Opened>, StoreError> {
        if let Some(opened) = self.opened.lock().unwrap_or_else(PoisonError::into_inner).upgrade() {
            return Ok(opened);
        }
        let opened = Arc::new(Opened { object: self.clone(), resource: self.resource.clone(), value: self.content()? });
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&opened);
        Ok(opened)
    }

    /// Opens the object without decoding it. `value` is the content that it was just encoded from, except for the
    /// revision, which is set here.
    pub(super) fn open_with(self: &Arc<Self>, mut value: Value) -> Arc<Opened> {
        value["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let opened = Arc::new(Opened { object: self.clone(), resource: self.resource.clone(), value });
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

impl Draft {
    /// Encodes an object. Empties its `metadata.resourceVersion`.
    pub(crate) fn new(resource: &Resource, key: Key, value: &mut Value) -> Self {
        value["metadata"]["resourceVersion"] = "".into();
        let mut revision_offset = 0;
        let (added, item) = framed(resource, value, |line, name, value| match value {
            Value::Object(metadata) if name == "metadata" => {
                line.extend_from_slice(br#""metadata":{"#);
                write_fields(line, metadata, |line, name, value| {
                    write_field(line, name, value);
                    if name == "resourceVersion" {
                        revision_offset = line.len() - 1;
                    }
                });
                line.push(b'}');
            }
            _ => write_field(line, name, value),
        });
        let (resource, summary) = (resource.clone(), Summary::of(resource, value));
        Self { resource, key, summary, added, item, revision_offset, written: None }
    }

    /// Encodes an object that is to be stored. A custom resource gets the form that its definition shows, for example
    /// with defaults; if that differs, the written form is kept, too.
    pub(crate) fn of_written(resource: &Resource, key: Key, value: &mut Value) -> Self {
        let written = resource.as_read_back(value).map(|read| std::mem::replace(value, read));
        let written = written.map(|value| Arc::new(Written { version: resource.version().to_owned(), value }));
        Self { written, ..Self::new(resource, key, value) }
    }

    /// Returns the object at its revision. This runs under the store's lock, so it only moves the bytes behind the
    /// revision.
    pub(crate) fn with_revision(mut self, revision: u64) -> Object {
        self.added.splice(self.revision_offset..self.revision_offset, revision.to_string().into_bytes());
        self.into_object(revision)
    }

    fn into_object(self, revision: u64) -> Object {
        let Self { resource, key, summary, added, item, written, .. } = self;
        Object {
            resource,
            key,
            revision,
            summary,
            added: PackableText::new(added),
            item,
            opened: Mutex::default(),
            written,
        }
    }
}

/// Encodes the line of an ADDED event; `write` encodes each field of the object. Also returns the offset where the list
/// item begins.
fn framed(resource: &Resource, value: &Value, write: impl FnMut(&mut Vec<u8>, &str, &Value)) -> (Vec<u8>, u32) {
    let mut line = Vec::with_capacity(FIRST_SIZE);
    for piece in [HEAD, r#"{"kind":""#, resource.kind(), r#"","apiVersion":""#, &resource.api_version(), r#"","#] {
        line.extend_from_slice(piece.as_bytes());
    }
    // In a list, the items that upstream holds as Go structs have no kind and apiVersion.
    let item = if resource.is_unstructured() { HEAD.len() + "{".len() } else { line.len() } as u32; // the names of kinds are short
    if let Value::Object(fields) = value {
        write_fields(&mut line, fields, write);
    }
    line.push(b'}');
    line.extend_from_slice(TAIL);
    // The buffer is kept for as long as the object, so copy it to one with room for a revision only.
    let mut kept = Vec::with_capacity(line.len() + DIGITS);
    kept.extend_from_slice(&line);
    (kept, item)
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

impl Opened {
    pub(super) fn new(resource: &Resource, key: Key, revision: u64, mut value: Value) -> Arc<Self> {
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
    pub(super) fn was_written_as(&self, resource: &Resource, state: &Value) -> bool {
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
