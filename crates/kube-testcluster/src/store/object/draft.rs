//! The form of an object before its write: encoded without the store's lock, but for the revision.

use std::sync::{Arc, Mutex};

use super::{HEAD, Key, Object, TAIL, Written};
use crate::store::packed_text::PackableText;
use crate::store::summary::Summary;
use kube_machinery::kinds::Resource;
use kube_machinery::value::{Value, write_field, write_fields};

/// The size of the buffer for encoding, in bytes. Most objects fit into it without growing it.
const FIRST_SIZE: usize = 4096;

/// The most digits that a revision has. Each object reserves that many bytes; some stay unused.
const DIGITS: usize = 20;

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

    /// Encodes an object that is not stored, so it has no place for a revision.
    pub(super) fn unwritten(resource: &Resource, key: Key, value: &Value) -> Self {
        let (added, item) = framed(resource, value, write_field);
        let (resource, summary) = (resource.clone(), Summary::of(resource, value));
        Self { resource, key, summary, added, item, revision_offset: 0, written: None }
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

    pub(super) fn into_object(self, revision: u64) -> Object {
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
