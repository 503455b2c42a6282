//! A change of one object, encoded once for all watchers.

use std::cell::OnceCell;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::filter::Filter;
use super::object::Object;

/// The effect of one write on one object.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) revision: u64,
    /// The state after the write; `None` after a deletion.
    pub(crate) current: Option<Arc<Object>>,
    /// The state before the write; `None` before a creation.
    pub(crate) previous: Option<Arc<Object>>,
    deleted: OnceLock<Bytes>,
}

/// The line that says of an event how the object has changed, once it was made. It is kept for as long as the event is being
/// sent: with one for each event in the history, it would be as large again.
#[derive(Debug, Default)]
pub(crate) struct Modified(OnceCell<Bytes>);

impl Event {
    /// # Panics
    /// If there is neither a state before nor one after.
    pub(crate) fn new(revision: u64, previous: Option<Arc<Object>>, current: Option<Arc<Object>>) -> Self {
        assert!(previous.is_some() || current.is_some(), "a write creates, changes or removes something");
        Self { revision, current, previous, deleted: OnceLock::new() }
    }

    /// The object that was written, or removed.
    pub(crate) fn object(&self) -> &Arc<Object> {
        self.current.as_ref().or(self.previous.as_ref()).expect("a write creates, changes or removes something")
    }

    /// Whether a watcher with this filter is told of it.
    pub(crate) fn matches(&self, filter: &Filter) -> bool {
        [&self.previous, &self.current].into_iter().flatten().any(|object| filter.matches(object))
    }

    /// The line for a watcher with this filter. An object that begins to match is ADDED. One that no longer
    /// matches is DELETED, with the state before the change and the revision of the change. An object that matches
    /// neither before nor after gives no line.
    pub(crate) fn line(&self, modified: &Modified, filter: &Filter) -> Option<Bytes> {
        let selected = |object: &Option<Arc<Object>>| object.as_ref().filter(|object| filter.matches(object)).cloned();
        match (selected(&self.previous), selected(&self.current)) {
            (None, None) => None,
            (None, Some(current)) => Some(current.added()),
            (Some(previous), Some(current)) if filter.tells_previous => Some(changed(&previous, &current)),
            (Some(_), Some(current)) => Some(modified.0.get_or_init(|| line("MODIFIED", &current)).clone()),
            (Some(previous), None) => Some(self.deleted.get_or_init(|| deleted(&previous, self.revision)).clone()),
        }
    }
}

/// The line of a removal: the last state, with the revision of the removal. A state that cannot be read keeps its own
/// revision, so that watchers learn of the removal in any case.
fn deleted(last: &Object, revision: u64) -> Bytes {
    last.at(revision).map_or_else(|_| line("DELETED", last), |last| line("DELETED", &last))
}

/// The line of a change, with the state before.
fn changed(previous: &Object, current: &Object) -> Bytes {
    let (previous, current) = (previous.json(), current.json());
    [br#"{"type":"MODIFIED","previous":"#, &*previous, br#","object":"#, &*current, b"}\n"].concat().into()
}

/// One line of a watch stream.
fn line(kind: &str, object: &Object) -> Bytes {
    let json = object.json();
    let mut line = Vec::with_capacity(json.len() + 40);
    line.extend_from_slice(br#"{"type":""#);
    line.extend_from_slice(kind.as_bytes());
    line.extend_from_slice(br#"","object":"#);
    line.extend_from_slice(&json);
    line.extend_from_slice(b"}\n");
    line.into()
}
