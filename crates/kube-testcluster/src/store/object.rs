//! One version of an object, encoded once for all readers.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use bytes::Bytes;

use super::error::StoreError;
use super::line::Line;
use super::summary::Summary;
use kube_machinery::kinds::Resource;
use kube_machinery::kinds::custom_resource::Definition;
use kube_machinery::kinds::field_selector::Selectable;
use kube_machinery::value::{Value, write_field, write_fields};

/// `namespace/name`, or `name` for a kind without namespaces. Keys are ordered like upstream's storage keys, as whole
/// texts: `a-b/x` comes before `a/x`.
///
/// The copies share one text: storage, the watch cache, the history and the object itself have one each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(Arc<str>);

impl Key {
    pub(crate) fn new(namespace: Option<&str>, name: &str) -> Self {
        Self(namespace.map_or_else(|| name.into(), |namespace| [namespace, "/", name].concat().into()))
    }

    /// The start of a range; not necessarily the key of an object.
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

    /// Runs for each event and each watcher. Namespaces are short, so a plain loop is faster than an optimized search.
    fn slash(&self) -> Option<usize> {
        self.0.bytes().position(|byte| byte == b'/')
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An object in the state of one write. It never changes; a later write makes a new one.
///
/// It is kept as the bytes that readers are sent; a tree of values would take ten times the memory. Code that needs its
/// fields opens it.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) resource: &'static Resource,
    pub(crate) key: Key,
    /// The revision of the write; `metadata.resourceVersion` is its decimal text.
    pub(crate) revision: u64,
    pub(crate) summary: Summary,
    /// The line of an ADDED event. A get sends the object in it, and a list a part of that.
    added: Line,
    /// Where the part for a list begins: only custom resources have kind and apiVersion there, and none has the opening brace.
    item: u32,
    /// The decoded content, while anybody holds it.
    opened: Mutex<Weak<Opened>>,
    /// What was written, if its definition shows it in another form.
    written: Option<Arc<Written>>,
}

/// An object as it was written, though its definition shows it with other defaults, with less of it, or in another version.
#[derive(Debug)]
struct Written {
    resource: &'static Resource,
    value: Value,
}

/// An object that is encoded but for its revision, which the store knows only under its lock.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) resource: &'static Resource,
    pub(crate) key: Key,
    summary: Summary,
    /// As in [`Object`], with room for the revision.
    added: Vec<u8>,
    item: u32,
    /// Where the revision is put in.
    hole: usize,
    /// As in [`Object`].
    written: Option<Arc<Written>>,
}

#[cfg(test)]
thread_local! {
    /// How many objects this thread has decoded: the measure of work in tests.
    pub(crate) static OPENED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// What stands before and after the object in the line of an event.
const HEAD: &str = r#"{"type":"ADDED","object":"#;
const TAIL: &[u8] = b"}\n";

/// A buffer size, in bytes, that most objects fit into.
const USUAL: usize = 4096;

/// The most digits that a revision has. So many bytes are kept for it; some stay unused.
const DIGITS: usize = 20;

/// An object with its decoded content.
#[derive(Debug)]
pub(crate) struct Opened {
    object: Arc<Object>,
    /// The row in whose form the content is: that of the object, or another version of it.
    pub(crate) resource: &'static Resource,
    /// Without `kind` and `apiVersion`, which the resource has.
    pub(crate) value: Value,
}

impl Object {
    pub(crate) fn new(resource: &'static Resource, key: Key, revision: u64, mut value: Value) -> Self {
        Draft::new(resource, key, &mut value).at(revision)
    }

    /// An object that was not stored and has no resourceVersion: the response to a dry run of a creation.
    pub(crate) fn unwritten(resource: &'static Resource, key: Key, value: &Value) -> Self {
        let (added, item) = framed(resource, value, write_field);
        Draft { resource, key, summary: Summary::of(resource, value), added, item, hole: 0, written: None }
            .into_object(0)
    }

    /// Decodes the object. Those who have it open at the same time share what was decoded.
    ///
    /// # Errors
    /// `Unreadable` if the stored bytes cannot be read. That would be a mistake of this server; it ends one request only.
    pub(crate) fn open(self: &Arc<Self>) -> Result<Arc<Opened>, StoreError> {
        if let Some(opened) = self.opened.lock().unwrap_or_else(PoisonError::into_inner).upgrade() {
            return Ok(opened);
        }
        let opened = Arc::new(Opened { object: self.clone(), resource: self.resource, value: self.content()? });
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&opened);
        Ok(opened)
    }

    /// The object with its content: what it was encoded from a moment ago, but for the revision.
    pub(super) fn opened_as(self: &Arc<Self>, mut value: Value) -> Arc<Opened> {
        value["metadata"]["resourceVersion"] = self.revision.to_string().into();
        let opened = Arc::new(Opened { object: self.clone(), resource: self.resource, value });
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(&opened);
        opened
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

    fn unreadable(&self, error: &serde_json::Error) -> StoreError {
        let (kind, key, why) = (self.resource.qualified(), self.key.to_string(), error.to_string());
        tracing::error!(kind, key, why, "a stored object cannot be read");
        StoreError::Unreadable { kind, key, why }
    }

    /// The same state with another revision, as in a DELETED event.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) fn at(&self, revision: u64) -> Result<Self, StoreError> {
        Ok(Self::new(self.resource, self.key.clone(), revision, self.content()?))
    }

    /// The same state in the form that its definition says now. As upstream, what is stored stays as it was written: a default that
    /// the row before had, and a field that it did not have, count no more.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(super) fn in_form_of(&self, definition: &Definition) -> Result<Self, StoreError> {
        let written = match &self.written {
            Some(written) => written.clone(),
            None => Arc::new(Written { resource: self.resource, value: self.content()? }),
        };
        let resource = definition.keeps(written.resource.version);
        let shown = resource.in_shape(written.value.clone());
        let differs = shown != written.value || *written.resource != *definition.stored;
        let object = Self::new(resource, self.key.clone(), self.revision, shown);
        Ok(Self { written: differs.then_some(written), ..object })
    }

    /// Whether the same content, written once more, is a change for upstream: it compares what is stored.
    pub(crate) fn shows_more_than_written(&self) -> bool {
        self.written.is_some()
    }

    /// The object in a response to a get: a JSON object with kind and apiVersion.
    pub(crate) fn json(&self) -> Bytes {
        self.part_from(HEAD.len())
    }

    /// The object in a list, without the opening brace.
    pub(crate) fn item(&self) -> Bytes {
        self.part_from(self.item as usize)
    }

    /// The length of [`item`](Self::item), in bytes.
    pub(crate) fn item_length(&self) -> usize {
        self.length() - self.item as usize - TAIL.len()
    }

    fn part_from(&self, start: usize) -> Bytes {
        let line = self.added();
        line.slice(start..line.len() - TAIL.len())
    }

    /// The line of an ADDED event.
    pub(crate) fn added(&self) -> Bytes {
        self.added.text()
    }

    /// How long that line is, in bytes. No other text of the object is longer.
    pub(crate) fn length(&self) -> usize {
        self.added.length()
    }

    #[cfg(test)]
    pub(super) fn is_packed(&self) -> bool {
        self.added.is_packed()
    }

    /// Keeps the object in less memory, with another one of its kind as the dictionary. Each reading takes a little longer then.
    /// Returns `false` if it is too short for that, or too unlike the other one.
    pub(super) fn pack(&self, dictionary: &Bytes) -> bool {
        self.added.pack(dictionary)
    }
}

impl Draft {
    /// Encodes an object. Its `metadata.resourceVersion` is emptied.
    pub(crate) fn new(resource: &'static Resource, key: Key, value: &mut Value) -> Self {
        value["metadata"]["resourceVersion"] = "".into();
        let mut hole = 0;
        let (added, item) = framed(resource, value, |line, name, value| match value {
            Value::Object(metadata) if name == "metadata" => {
                line.extend_from_slice(br#""metadata":{"#);
                write_fields(line, metadata, |line, name, value| {
                    write_field(line, name, value);
                    if name == "resourceVersion" {
                        hole = line.len() - 1;
                    }
                });
                line.push(b'}');
            }
            _ => write_field(line, name, value),
        });
        Self { resource, key, summary: Summary::of(resource, value), added, item, hole, written: None }
    }

    /// Encodes an object that is to be stored. What its definition adds when it is read is added.
    pub(crate) fn of_written(resource: &'static Resource, key: Key, value: &mut Value) -> Self {
        let written = resource.as_read_back(value).map(|read| std::mem::replace(value, read));
        let written = written.map(|value| Arc::new(Written { resource, value }));
        Self { written, ..Self::new(resource, key, value) }
    }

    /// The object at its revision. It runs under the store's lock, so it copies nothing but what stands behind the revision.
    pub(crate) fn at(mut self, revision: u64) -> Object {
        self.added.splice(self.hole..self.hole, revision.to_string().into_bytes());
        self.into_object(revision)
    }

    fn into_object(self, revision: u64) -> Object {
        let Self { resource, key, summary, added, item, written, .. } = self;
        Object { resource, key, revision, summary, added: Line::new(added), item, opened: Mutex::default(), written }
    }
}

/// The line of an ADDED event with an object whose fields are written by this function, and where its part for a list begins.
fn framed(resource: &Resource, value: &Value, write: impl FnMut(&mut Vec<u8>, &str, &Value)) -> (Vec<u8>, u32) {
    let mut line = Vec::with_capacity(USUAL);
    for piece in [HEAD, r#"{"kind":""#, resource.kind, r#"","apiVersion":""#, &resource.api_version(), r#"","#] {
        line.extend_from_slice(piece.as_bytes());
    }
    let is_whole = resource.custom.is_some();
    let item = if is_whole { HEAD.len() + "{".len() } else { line.len() } as u32; // the names of kinds are short
    if let Value::Object(fields) = value {
        write_fields(&mut line, fields, write);
    }
    line.push(b'}');
    line.extend_from_slice(TAIL);
    // A copy that has room for a revision and for nothing else: it is kept.
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
    /// An object in the state of a write, with its content.
    pub(super) fn new(resource: &'static Resource, key: Key, revision: u64, mut value: Value) -> Arc<Self> {
        let object = Arc::new(Draft::new(resource, key, &mut value).at(revision));
        object.opened_as(value)
    }

    /// The same object with its content in the form of another version.
    pub(crate) fn in_version(&self, resource: &'static Resource, value: Value) -> Self {
        Self { object: self.object.clone(), resource, value }
    }

    pub(crate) fn object(&self) -> &Arc<Object> {
        &self.object
    }

    /// The text at a JSON pointer, if there is one.
    pub(crate) fn text(&self, pointer: &str) -> Option<&str> {
        self.value.pointer(pointer).and_then(Value::as_str)
    }
}

impl Drop for Opened {
    /// Frees the place of this value, which a weak reference would keep for as long as the object lives.
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
