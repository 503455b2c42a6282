//! What was seen of a program: the evidence for its judge.

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_informers::cache::observe::Event;
use kube_informers::cache::{Notification, meta_namespace_key};

use crate::journal::{Backend, Entry, Request, What};

/// What was seen of a program.
pub struct Seen {
    pub entries: Vec<Entry>,
    /// The pods in the cluster when the program had ended.
    pub pods: Vec<Pod>,
    pub end: End,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// After it was told to stop.
    Stopped,
    /// Before.
    Early(Duration),
    Failed(String),
    Panicked(String),
    /// It did not, long after the stop.
    Never,
}

/// The most lines that are shown as evidence.
const LINES: usize = 14;

impl Seen {
    /// What the informers did.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            What::Event(event) => Some(event),
            _ => None,
        })
    }

    /// What the program asked the API server.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.entries.iter().filter_map(|entry| match &entry.what {
            What::Request(request) => Some(request),
            _ => None,
        })
    }

    /// What a handler of the trial was told.
    pub fn told<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Notification<Pod>> {
        self.entries.iter().filter_map(move |entry| match &entry.what {
            What::Told { handler, change } if *handler == name => Some(change),
            _ => None,
        })
    }

    /// The backends that the load balancer has at the end.
    pub fn backends(&self) -> BTreeSet<String> {
        let mut backends = BTreeSet::new();
        for entry in &self.entries {
            match &entry.what {
                What::Balanced { backend, change: Backend::Added, refused: false } => {
                    backends.insert(backend.clone());
                }
                What::Balanced { backend, change: Backend::Removed, refused: false } => {
                    backends.remove(backend);
                }
                _ => {}
            }
        }
        backends
    }

    /// The keys of the pods in the cluster.
    pub fn keys(&self) -> BTreeSet<String> {
        self.pods.iter().map(meta_namespace_key).collect()
    }

    /// The entries that matter, as lines. Of many, the first ones and the last ones.
    pub fn excerpt(&self, matters: impl Fn(&What) -> bool) -> Vec<String> {
        let mut lines: Vec<String> =
            self.entries.iter().filter(|entry| matters(&entry.what)).map(ToString::to_string).collect();
        if lines.len() > LINES {
            let left_out = lines.len() - LINES + 1;
            let gap = format!("     …     ({left_out} more)");
            lines.splice(LINES / 2..LINES / 2 + left_out, [gap]);
        }
        lines
    }
}
