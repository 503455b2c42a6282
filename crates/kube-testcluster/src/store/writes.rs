//! What the server stores, told to whoever observes the cluster.

use std::fmt;
use std::sync::Arc;

use super::event::Event;
use super::object::Object;
use super::storage::Storage;
use super::watch_cache::Audience;
use kube_machinery::kinds::{Catalog, Resource};

/// One write that the server has stored. It names the object and holds nothing of its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Write {
    /// What the write did.
    pub change: Change,
    /// The kind of the object, as in `Pod`.
    pub kind: &'static str,
    /// `NAMESPACE/NAME`, or the name alone.
    pub key: String,
    /// The resourceVersion of the object after the write; of a deletion, the deletion's.
    pub revision: u64,
    /// A fault hides the write from the watches of clients.
    pub hidden: bool,
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The object was there when the observer came.
    Existing,
    /// The object was created.
    Created,
    /// The object was changed.
    Updated,
    /// The object was removed.
    Deleted,
}

impl Write {
    pub(crate) fn existing(object: &Object) -> Self {
        Self::of(Change::Existing, object, object.revision, false)
    }

    pub(crate) fn new(event: &Event, audience: Audience) -> Self {
        let change = match (&event.previous, &event.current) {
            (_, None) => Change::Deleted,
            (None, Some(_)) => Change::Created,
            (Some(_), Some(_)) => Change::Updated,
        };
        Self::of(change, event.object(), event.revision, audience == Audience::Kubelet)
    }

    fn of(change: Change, object: &Object, revision: u64, hidden: bool) -> Self {
        Self { change, kind: object.resource.kind, key: object.key.to_string(), revision, hidden }
    }
}

/// Sees every write under the store's lock: it must be quick, and must not use the store.
pub(crate) trait WriteHook: fmt::Debug + Send + Sync {
    /// `storage` is what is stored after the write, `catalog` what is served.
    fn after_write(&self, event: &Event, storage: &Storage, catalog: &Catalog);

    /// `row` is the stored form of a kind that has got a definition, or has lost it.
    fn after_definition(&self, row: &'static Resource, storage: &Storage);
}

/// Where writes are told: a function, or nowhere.
#[derive(Clone, Default)]
pub(crate) struct WriteObserver(Option<Arc<dyn Fn(Write) + Send + Sync>>);

impl WriteObserver {
    pub(crate) fn new(sink: impl Fn(Write) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    pub(crate) fn tell(&self, write: impl FnOnce() -> Write) {
        if let Some(sink) = &self.0 {
            sink(write());
        }
    }
}

impl fmt::Debug for WriteObserver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "WriteObserver(on)" } else { "WriteObserver(off)" })
    }
}
