//! What the machinery tells whoever wants to know: one stream of typed events.
//!
//! Every part takes an [`Observer`]. Without one, an event costs a branch and is never built.

use std::sync::Arc;

use serde::{Serialize, Serializer};

/// One thing that the machinery did. Serialises to `{"event": "queued", …}`.
///
/// Objects are named by key and resourceVersion only, so an event is small and the same in every run of one seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[non_exhaustive]
#[expect(missing_docs, reason = "a variant's text says what its fields are")]
pub enum Event {
    /// A LIST was answered.
    Listed { resource_version: String, objects: usize },
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
    /// A delta was queued; one of many objects has no key.
    Queued {
        delta: &'static str,
        #[serde(serialize_with = "or_empty")]
        key: Option<String>,
    },
    /// A delta was merged into the one before it: two deletions in a row are one.
    Merged { key: String },
    /// A deletion was dropped: the key is neither queued nor among the known objects.
    Dropped { key: String },
    /// Deltas were handed to the consumer: by DeltaFIFO everything queued under one key; RealFIFO has no keys.
    Popped {
        #[serde(serialize_with = "or_empty")]
        key: Option<String>,
        deltas: Vec<&'static str>,
        initial: bool,
    },
    /// An object was put into the store.
    Stored { key: String },
    /// An object left the store.
    Removed { key: String },
    /// The store's whole content was replaced.
    Replaced { objects: usize },
    /// A notification was given to a listener's buffer.
    Notified { listener: usize, notification: &'static str, key: String },
    /// A notification became one with what waited for the same object already.
    Coalesced { listener: usize, notification: &'static str, key: String },
    /// A handler's callback returned.
    Called { listener: usize, notification: &'static str, key: String },
    /// The known objects were queued again for the handlers that asked for a resync.
    Resynced,
    /// The first list has been handed out in full.
    Synced,
}

/// Every event has its key's member, so that readers of the stream need not know which queue it comes from.
fn or_empty<S: Serializer>(key: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(key.as_deref().unwrap_or_default())
}

/// Where events go: a function, or nowhere.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<dyn Fn(Event) + Send + Sync>>);

impl Observer {
    /// An observer that hands every event to `sink`, on the thread where it happened and often under a lock:
    /// `sink` must be quick and must not call back into the machinery.
    pub fn new(sink: impl Fn(Event) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(sink)))
    }

    /// Does anyone listen?
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Builds the event and hands it on, if anyone listens.
    pub(crate) fn tell(&self, event: impl FnOnce() -> Event) {
        if let Some(sink) = &self.0 {
            sink(event());
        }
    }
}

impl std::fmt::Debug for Observer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Observer(on)" } else { "Observer(off)" })
    }
}
