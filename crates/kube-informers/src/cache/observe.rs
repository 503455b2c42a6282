//! What the machinery tells whoever wants to know: one stream of typed events.
//!
//! Every part takes an [`Observer`]. Without one, an event costs a branch and is never built.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::cache::key::Object;

/// One thing that the machinery did. Serialises to `{"event": "queued", …}`.
///
/// Objects are named by key and resourceVersion only, so an event is small, the same in every run of one seed, and holds
/// no content of an object, which may be a Secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's text says what its fields are")]
pub enum Event {
    /// A LIST was answered, or a streaming list is complete.
    Listed { resource_version: String, objects: Vec<Versioned> },
    /// A LIST failed; the Reflector backs off and tries again.
    ListFailed { error: String },
    /// A WATCH was opened from this resourceVersion.
    Watching { resource_version: String },
    /// A WATCH could not be opened, or ended with an error.
    WatchFailed { error: String },
    /// A WATCH event came in.
    Watched { kind: &'static str, key: String, resource_version: String },
    /// The Reflector starts over with a LIST.
    Relisting { reason: String },
    /// A delta was queued; one of many objects has no key. A tombstone is a deletion whose final state is unknown.
    Queued {
        queue: QueueName,
        delta: &'static str,
        #[serde(serialize_with = "or_empty")]
        key: Option<String>,
        tombstone: bool,
        known_objects: bool,
    },
    /// A delta was merged into the one before it: two deletions in a row are one.
    Merged { key: String },
    /// A deletion was dropped: the key is neither queued nor among the known objects, if the queue has any.
    Dropped { key: String, known_objects: bool },
    /// Deltas were handed to the consumer: by DeltaFIFO everything queued under one key; RealFIFO has no keys.
    Popped {
        queue: QueueName,
        #[serde(serialize_with = "or_empty")]
        key: Option<String>,
        deltas: Vec<&'static str>,
        initial: bool,
    },
    /// An object was put into the store. `old` is the resourceVersion of the one that it replaces, if there was one.
    Stored { key: String, resource_version: String, old: Option<String>, indices: Vec<IndexSets> },
    /// A deletion reached the store. `old` is the resourceVersion of the object that it removed, if there was one.
    Removed { key: String, old: Option<String>, indices: Vec<IndexSets> },
    /// The store's whole content was replaced.
    Replaced { resource_version: String, objects: Vec<Versioned> },
    /// A listener was added, and is told of so many objects of the store first.
    Joined { listener: usize, coalesces: bool, existing: usize },
    /// A notification was given to a listener's buffer, in which so many wait now.
    Notified {
        listener: usize,
        notification: &'static str,
        key: String,
        resource_version: String,
        tombstone: bool,
        pending: usize,
    },
    /// A notification became one, or none, with what waited for the same object already.
    Coalesced {
        listener: usize,
        notification: &'static str,
        key: String,
        resource_version: String,
        tombstone: bool,
        pending: usize,
    },
    /// A notification was taken out of a listener's buffer: its handler is being called.
    Calling { listener: usize, notification: &'static str, key: String, pending: usize },
    /// A handler's callback returned.
    Called { listener: usize, notification: &'static str, key: String, pending: usize },
    /// The known objects are queued again for the handlers that asked for a resync. The deltas follow.
    Resynced,
    /// The first list has been handed out in full.
    Synced,
}

/// Which queue an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum QueueName {
    /// One slot a key.
    #[serde(rename = "DeltaFIFO")]
    DeltaFifo,
    /// One slot a change.
    #[serde(rename = "RealFIFO")]
    RealFifo,
}

/// An object, named by its key and its version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Versioned {
    /// The object's key.
    pub key: String,
    /// Its resourceVersion; empty if it has none.
    pub resource_version: String,
}

impl Versioned {
    pub(crate) fn of(key: String, object: &impl Object) -> Self {
        Self { key, resource_version: object.meta().resource_version.to_owned() }
    }
}

/// What a change of the store means for one index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IndexSets {
    /// The index.
    pub index: String,
    /// The sets that the object is in now.
    pub values: Vec<String>,
    /// The sets that it was in and is not any more.
    pub left: Vec<String>,
}

/// Every event has its key's member, so that readers of the stream need not know which queue it comes from.
fn or_empty<S: Serializer>(key: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(key.as_deref().unwrap_or_default())
}

/// Where events go: a function, or nowhere.
#[derive(Clone, Default)]
pub struct Observer(Option<Sink>);

type Sink = Arc<dyn Fn(&'static str, Event) + Send + Sync>;

impl Observer {
    /// An observer that hands every event to `sink`, on the thread where it happened and often under a lock:
    /// `sink` must be quick and must not call back into the machinery.
    pub fn new(sink: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self::by_type(move |_, event| sink(event))
    }

    /// The same, and `sink` is told too of which type the objects are, as [`std::any::type_name`] says it: an observer
    /// of several informers can tell their events apart.
    pub fn by_type(sink: impl Fn(&'static str, Event) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    /// Does anyone listen?
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Builds the event about objects of type `T` and hands it on, if anyone listens.
    pub(crate) fn tell<T: ?Sized>(&self, event: impl FnOnce() -> Event) {
        if let Some(sink) = &self.0 {
            sink(std::any::type_name::<T>(), event());
        }
    }
}

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(on)" } else { "Observer(off)" })
    }
}
