//! One write of one object, as the watch cache keeps it. Each watch sees it through its filter, as a [`WatchEvent`].

use std::cell::OnceCell;
use std::sync::Arc;

use super::filter::Filter;
use super::object::Object;
use super::watch_event::{EventType, WatchEvent};

/// The effect of one write on one object.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) revision: u64,
    /// The state after the write; `None` after a deletion.
    pub(crate) current: Option<Arc<Object>>,
    /// The state before the write; `None` before a creation.
    pub(crate) previous: Option<Arc<Object>>,
}

/// The events that watches get for one write. Each is made for the first watch that needs it, and shared by the others.
/// They live only until the watches have sent the write: in the history, their encodings would double its size.
#[derive(Debug, Default)]
pub(crate) struct SharedEvents {
    added: OnceCell<Arc<WatchEvent>>,
    modified: OnceCell<Arc<WatchEvent>>,
    /// A MODIFIED event that also has the state before the write.
    changed: OnceCell<Arc<WatchEvent>>,
    deleted: OnceCell<Arc<WatchEvent>>,
}

impl Event {
    /// # Panics
    /// Panics if both states are `None`.
    pub(crate) fn new(revision: u64, previous: Option<Arc<Object>>, current: Option<Arc<Object>>) -> Self {
        assert!(previous.is_some() || current.is_some(), "a write has a state before or after it");
        Self { revision, current, previous }
    }

    /// Returns the state after the write; after a deletion, the last state.
    pub(crate) fn object(&self) -> &Arc<Object> {
        self.current.as_ref().or(self.previous.as_ref()).expect("a write has a state before or after it")
    }

    /// Returns true if the state before or after the change matches the filter, so a watcher with this filter gets an
    /// event.
    pub(crate) fn matches(&self, filter: &Filter) -> bool {
        [&self.previous, &self.current].into_iter().flatten().any(|object| filter.matches(object))
    }

    /// Returns the event for a watch with this filter. An object that begins to match is ADDED. An object that no
    /// longer matches is DELETED, with the state before the change and the revision of the change. An object that
    /// matches neither before nor after gives no event.
    pub(crate) fn seen_through(&self, filter: &Filter, shared: &SharedEvents) -> Option<Arc<WatchEvent>> {
        let selected = |object: &Option<Arc<Object>>| object.as_ref().filter(|object| filter.matches(object)).cloned();
        let event = match (selected(&self.previous), selected(&self.current)) {
            (None, None) => return None,
            (None, Some(current)) => once(&shared.added, || WatchEvent::stored(EventType::Added, current)),
            (Some(previous), Some(current)) if filter.needs_previous => {
                once(&shared.changed, || WatchEvent::changed(previous, current))
            }
            (Some(_), Some(current)) => once(&shared.modified, || WatchEvent::stored(EventType::Modified, current)),
            (Some(previous), None) => once(&shared.deleted, || deleted(previous, self.revision)),
        };
        Some(event)
    }
}

fn once(shared: &OnceCell<Arc<WatchEvent>>, make: impl FnOnce() -> WatchEvent) -> Arc<WatchEvent> {
    shared.get_or_init(|| Arc::new(make())).clone()
}

/// Returns the event of a removal: the last state, with the revision of the removal. A state that cannot be decoded
/// keeps its own revision, so that watchers get the event in any case.
fn deleted(last: Arc<Object>, revision: u64) -> WatchEvent {
    let last = last.with_revision(revision).map_or(last, Arc::new);
    WatchEvent::stored(EventType::Deleted, last)
}
