//! A stream of typed events about the informer machinery, for debugging, tests and visualisation. client-go has no such
//! stream. Without an [`Observer`], no event is built, and the place of each event costs only a branch.

use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};

use crate::cache::key::Object;

/// One step of the informer machinery. Serialises to `{"event": "queued", …}`. An event names objects only by key and
/// resourceVersion, so it is small and free of an object's content, which may be secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's text says what its fields are")]
pub enum Event {
    /// A LIST succeeded, or a streaming list is complete.
    Listed { resource_version: String, objects: Vec<Versioned> },
    /// A LIST failed. The Reflector backs off and tries again.
    ListFailed { error: String },
    /// A WATCH was opened from this resourceVersion.
    Watching { resource_version: String },
    /// A WATCH could not be opened, or ended with an error.
    WatchFailed { error: String },
    /// The watch sent an event.
    Watched { kind: &'static str, key: String, resource_version: String },
    /// The Reflector starts over with a LIST.
    Relisting { reason: String },
    /// A delta was queued. `key` is `None` for a delta that is not about one object. `tombstone` marks a deletion whose
    /// final state is unknown. `known_objects` says whether the queue has known objects.
    Queued {
        queue: QueueName,
        delta: &'static str,
        #[serde(serialize_with = "or_empty")]
        key: Option<String>,
        tombstone: bool,
        known_objects: bool,
    },
    /// DeltaFIFO merged two deletions in a row of the same key.
    Merged { key: String },
    /// DeltaFIFO dropped a deletion, because the key is neither queued nor among the known objects. `known_objects`
    /// says whether the queue has known objects.
    Dropped { key: String, known_objects: bool },
    /// Deltas were popped. DeltaFIFO pops everything queued under one key; RealFIFO pops by position, so its `key` is
    /// `None`. `initial` marks deltas of the first list.
    Popped {
        queue: QueueName,
        #[serde(serialize_with = "or_empty")]
        key: Option<String>,
        deltas: Vec<&'static str>,
        initial: bool,
    },
    /// The store holds a new state of an object. `old` is the resourceVersion of the state that was replaced, if any.
    Stored { key: String, resource_version: String, old: Option<String>, indices: Vec<IndexSets> },
    /// A deletion reached the store. `old` is the resourceVersion of the removed object, if it was stored.
    Removed { key: String, old: Option<String>, indices: Vec<IndexSets> },
    /// The store's whole content was replaced.
    Replaced { resource_version: String, objects: Vec<Versioned> },
    /// A listener was added. It first gets an add of each of the `existing` objects. `coalesces` says whether its
    /// buffer merges notifications.
    Joined { listener: usize, coalesces: bool, existing: usize },
    /// A notification was added to a listener's buffer, which now holds `pending` notifications.
    Notified {
        listener: usize,
        notification: &'static str,
        key: String,
        resource_version: String,
        tombstone: bool,
        pending: usize,
    },
    /// A notification was merged with the pending notification of the same object, or both cancelled each other out.
    /// The listener's buffer now holds `pending` notifications.
    Coalesced {
        listener: usize,
        notification: &'static str,
        key: String,
        resource_version: String,
        tombstone: bool,
        pending: usize,
    },
    /// A notification was taken out of a listener's buffer, and the handler is about to be called.
    Calling { listener: usize, notification: &'static str, key: String, pending: usize },
    /// A handler's callback returned.
    Called { listener: usize, notification: &'static str, key: String, pending: usize },
    /// A resync begins: the known objects are queued again for the handlers that asked for it. The deltas follow.
    Resynced,
    /// The queue has synced: the first list has been popped in full.
    Synced,
}

/// The kind of queue that an event comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum QueueName {
    /// One slot for each key.
    #[serde(rename = "DeltaFIFO")]
    DeltaFifo,
    /// One slot for each change.
    #[serde(rename = "RealFIFO")]
    RealFifo,
}

/// An object's key and resourceVersion.
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

/// The effect of a change of the store on one index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IndexSets {
    /// The index's name.
    pub index: String,
    /// The index values under which the object is found now.
    pub values: Vec<String>,
    /// The index values under which the object was found before the change and no longer is.
    pub left: Vec<String>,
}

/// Writes a missing key as an empty string, because readers of the stream expect a `key` member from both queues.
fn or_empty<S: Serializer>(key: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(key.as_deref().unwrap_or_default())
}

/// The receiver of events: a function, or (by default) none.
#[derive(Clone, Default)]
pub struct Observer(Option<Sink>);

type Sink = Arc<dyn Fn(&'static str, Event) + Send + Sync>;

impl Observer {
    /// Makes an observer that passes every event to `sink`. The call happens on the thread of the event and often under
    /// a lock, so `sink` must be quick and must not call back into the informer.
    pub fn new(sink: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self::by_type(move |_, event| sink(event))
    }

    /// Makes an observer whose `sink` also gets the name of the objects' type ([`std::any::type_name`]).
    pub fn by_type(sink: impl Fn(&'static str, Event) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Builds the event and passes it on with the type name of `T`, if events are received.
    pub(crate) fn emit<T: ?Sized>(&self, event: impl FnOnce() -> Event) {
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
