//! One write of one object, as the watch cache keeps it and sends it to watchers. In a watch stream, each event is a
//! line of JSON; thousands of watchers may receive the same event, so its lines are encoded once for all of them.

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
    /// The DELETED line, encoded for the first watcher that needs it.
    deleted: OnceLock<Bytes>,
}

/// The MODIFIED line of an event, encoded for the first watcher that needs it and shared by the rest. It lives only
/// while the event is sent: kept in the history, the lines would double its size.
#[derive(Debug, Default)]
pub(crate) struct Modified(OnceCell<Bytes>);

impl Event {
    /// # Panics
    /// Panics if both states are `None`.
    pub(crate) fn new(revision: u64, previous: Option<Arc<Object>>, current: Option<Arc<Object>>) -> Self {
        assert!(previous.is_some() || current.is_some(), "a write has a state before or after it");
        Self { revision, current, previous, deleted: OnceLock::new() }
    }

    /// The object that was written, or removed.
    pub(crate) fn object(&self) -> &Arc<Object> {
        self.current.as_ref().or(self.previous.as_ref()).expect("a write has a state before or after it")
    }

    /// Returns true if the state before or after the change matches the filter, so a watcher with this filter gets an
    /// event.
    pub(crate) fn matches(&self, filter: &Filter) -> bool {
        [&self.previous, &self.current].into_iter().flatten().any(|object| filter.matches(object))
    }

    /// Returns the line for a watcher with this filter. An object that begins to match is ADDED. An object that no
    /// longer matches is DELETED, with the state before the change and the revision of the change. An object that
    /// matches neither before nor after gives no line.
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

/// Returns the line of a removal: the last state, with the revision of the removal. A state that cannot be decoded
/// keeps its own revision, so that watchers learn of the removal in any case.
fn deleted(last: &Object, revision: u64) -> Bytes {
    last.with_revision(revision).map_or_else(|_| line("DELETED", last), |last| line("DELETED", &last))
}

/// Returns the line of a change, with the state before it.
fn changed(previous: &Object, current: &Object) -> Bytes {
    let (previous, current) = (previous.json(), current.json());
    [br#"{"type":"MODIFIED","previous":"#, &*previous, br#","object":"#, &*current, b"}\n"].concat().into()
}

/// Encodes one line of a watch stream.
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
