//! The outcome of a trial, from which the judge decides: the journal, the pods that are left, and the way in which
//! the program ended.

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::observe::Event;
use kube_informers::cache::{Notification, meta_namespace_key};
use kube_testcluster::Write;

use super::journal::{Backend, Entry, EntryKind, Request};

/// The outcome of a trial.
pub struct Outcome {
    /// The journal, in the order of time.
    pub entries: Vec<Entry>,
    /// The pods in the cluster after the program ended.
    pub pods: Vec<Pod>,
    /// The way in which the program ended.
    pub end: End,
}

/// The way in which a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program returned after the trial stopped it, as it should.
    Stopped,
    /// The program returned at this time, before the trial stopped it.
    Early(Duration),
    /// The program returned this error.
    Failed(String),
    /// The program panicked with this message.
    Panicked(String),
    /// The program was still running long after the trial stopped it.
    Never,
}

/// The largest number of lines in an excerpt.
const LINES: usize = 14;

impl Outcome {
    /// Returns the events of the informers that the trial observed.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.entries.iter().filter_map(|entry| match &entry.kind {
            EntryKind::Event(event) => Some(event),
            _ => None,
        })
    }

    /// Returns the objects that existed at the start, and every write after that.
    pub fn writes(&self) -> impl Iterator<Item = &Write> {
        self.entries.iter().filter_map(|entry| match &entry.kind {
            EntryKind::Written(write) => Some(write),
            _ => None,
        })
    }

    /// Returns the requests that the program sent to the API server.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.entries.iter().filter_map(|entry| match &entry.kind {
            EntryKind::Request(request) => Some(request),
            _ => None,
        })
    }

    /// Returns the notifications that the handler of this name received.
    pub fn notifications<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Notification<Pod>> {
        self.entries.iter().filter_map(move |entry| match &entry.kind {
            EntryKind::Notified { handler, change } if handler == name => Some(change),
            _ => None,
        })
    }

    /// Returns the backends of the load balancer at the end of the trial.
    pub fn backends(&self) -> BTreeSet<String> {
        backends(&self.entries)
    }

    /// Returns the keys of the pods in the cluster at the end of the trial.
    pub fn keys(&self) -> BTreeSet<String> {
        self.pods.iter().map(meta_namespace_key).collect()
    }

    /// Returns the lines of the entries for which `matters` is true. If there are too many, the ones in the middle are left out.
    pub fn excerpt(&self, matters: impl Fn(&EntryKind) -> bool) -> Vec<String> {
        let mut lines: Vec<String> =
            self.entries.iter().filter(|entry| matters(&entry.kind)).map(ToString::to_string).collect();
        if lines.len() > LINES {
            let left_out = lines.len() - LINES + 1;
            let gap = format!("     …     ({left_out} more)");
            lines.splice(LINES / 2..LINES / 2 + left_out, [gap]);
        }
        lines
    }
}

/// Returns the backends of the load balancer after these entries.
pub fn backends(entries: &[Entry]) -> BTreeSet<String> {
    let mut backends = BTreeSet::new();
    for entry in entries {
        match &entry.kind {
            EntryKind::Balanced { backend, change: Backend::Added, refused: false } => {
                backends.insert(backend.clone());
            }
            EntryKind::Balanced { backend, change: Backend::Removed, refused: false } => {
                backends.remove(backend);
            }
            _ => {}
        }
    }
    backends
}
