//! What the containers have said. Upstream keeps it on the nodes, where the API server asks for it.

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

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its place among all lines of the cluster.
    pub(crate) number: u64,
    /// Which run of the container said it: how often it had been started again.
    pub(crate) run: u64,
    pub(crate) time: Timestamp,
    pub(crate) text: String,
}

impl Logs {
    /// Keeps a line of a run of a container. Of each container the present run and the one before are remembered.
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

    /// The lines of one run of a container that come after the one with a number.
    pub(crate) fn lines(&self, uid: &str, container: &str, run: u64, after: u64) -> Vec<Line> {
        let pods = self.lock();
        let Some(lines) = pods.get(uid).and_then(|containers| containers.get(container)) else { return Vec::new() };
        let new = lines.range(lines.partition_point(|line| line.number <= after)..);
        new.filter(|line| line.run == run).cloned().collect()
    }

    /// The pod is gone.
    pub(crate) fn forget(&self, uid: &str) {
        self.lock().remove(uid);
    }

    /// Tells of every line that comes from now on.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.last.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, BTreeMap<String, VecDeque<Line>>>> {
        self.pods.lock().expect("nothing panics under this lock")
    }
}
