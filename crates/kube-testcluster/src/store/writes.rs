//! The two interfaces that report every write, immediately and in order: [`WriteObserver`] for a program that observes
//! the cluster (the tutorial prints each [`Write`]), and [`WriteHook`] for the built-in controllers.

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
    /// The kind of change.
    pub change: Change,
    /// The kind of the object, as in `Pod`.
    pub kind: String,
    /// `NAMESPACE/NAME`, or the name alone for a cluster-scoped kind.
    pub key: String,
    /// The resourceVersion of the object after the write; for a deletion, the revision of the deletion.
    pub revision: u64,
    /// True if a fault hides the write from the watches of clients.
    pub hidden: bool,
}

/// The kind of change that a write made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The object existed when the observer was added.
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
        let is_hidden = false;
        Self::of(Change::Existing, object, object.revision, is_hidden)
    }

    pub(crate) fn new(event: &Event, audience: Audience) -> Self {
        let change = match (&event.previous, &event.current) {
            (_, None) => Change::Deleted,
            (None, Some(_)) => Change::Created,
            (Some(_), Some(_)) => Change::Updated,
        };
        Self::of(change, event.object(), event.revision, audience == Audience::ClusterOnly)
    }

    fn of(change: Change, object: &Object, revision: u64, hidden: bool) -> Self {
        Self { change, kind: object.resource.kind().to_owned(), key: object.key.to_string(), revision, hidden }
    }
}

/// A hook that is called after every write, under the store's lock: it must be quick, and must not use the store.
pub(crate) trait WriteHook: fmt::Debug + Send + Sync {
    /// Called after a write. `storage` has the state after the write, `catalog` the kinds that are served.
    fn after_write(&self, event: &Event, storage: &Storage, catalog: &Catalog);

    /// Called when a kind has got a definition or has lost it. `row` is the kind in its storage version.
    fn after_definition(&self, row: &Resource, storage: &Storage);
}

#[derive(Clone, Default)]
pub(crate) struct WriteObserver(Option<Arc<dyn Fn(Write) + Send + Sync>>);

impl WriteObserver {
    pub(crate) fn new(sink: impl Fn(Write) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    pub(crate) fn notify(&self, write: impl FnOnce() -> Write) {
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
