//! The log lines of containers. Upstream keeps them on the nodes, where the API server asks for them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard};

use jiff::Timestamp;
use tokio::sync::watch;

/// How many lines of a container are kept.
const LINES: usize = 10_000;

/// The lines of all containers, written by the kubelet and read by requests.
#[derive(Debug, Default)]
pub(crate) struct Logs {
    /// By the uid of the pod, then by the name of the container.
    pods: Mutex<BTreeMap<String, BTreeMap<String, VecDeque<Line>>>>,
    /// The number of the last line.
    last: watch::Sender<u64>,
}

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its number among all lines of the cluster.
    pub(crate) number: u64,
    /// The run of the container that wrote it: how often the container had been restarted before.
    pub(crate) run: u64,
    pub(crate) time: Timestamp,
    pub(crate) text: String,
}

impl Logs {
    /// Adds a line of a run of a container. The present run and the one before are kept.
    pub(crate) fn append(&self, uid: &str, container: &str, run: u64, time: Timestamp, text: String) {
        let mut pods = self.lock();
        let number = *self.last.borrow() + 1;
        let lines = pods.entry(uid.to_owned()).or_default().entry(container.to_owned()).or_default();
        lines.push_back(Line { number, run, time, text });
        while lines.len() > LINES || lines.front().is_some_and(|first| first.run + 1 < run) {
            lines.pop_front();
        }
        self.last.send_replace(number);
    }

    /// The lines of one run of a container whose numbers are greater than `after`.
    pub(crate) fn lines(&self, uid: &str, container: &str, run: u64, after: u64) -> Vec<Line> {
        let pods = self.lock();
        let Some(lines) = pods.get(uid).and_then(|containers| containers.get(container)) else { return Vec::new() };
        let new = lines.range(lines.partition_point(|line| line.number <= after)..);
        new.filter(|line| line.run == run).cloned().collect()
    }

    /// Forgets a pod that was deleted.
    pub(crate) fn forget(&self, uid: &str) {
        self.lock().remove(uid);
    }

    /// Changes with every new line.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, BTreeMap<String, VecDeque<Line>>>> {
        self.pods.lock().expect("nothing panics under this lock")
    }
}
