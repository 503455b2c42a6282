//! Stores the log lines that the kubelet writes for simulated containers, until `kubectl logs` reads them. A run of a
//! container is the time from one start to the next; its number is the number of restarts before it. Upstream keeps
//! logs on the nodes, where the API server fetches them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use jiff::Timestamp;
use tokio::sync::watch;

/// The number of lines of a container that are kept, so that a container that logs for long does not fill the memory.
const LINES: usize = 10_000;

/// The lines of all containers, written by the kubelet and read by requests.
#[derive(Debug, Default)]
pub struct Logs {
    /// By the uid of the pod.
    pods: Mutex<BTreeMap<String, PodLogs>>,
    /// The number of the last line.
    last: AtomicU64,
}

#[derive(Debug, Default)]
struct PodLogs {
    /// By the name of the container.
    containers: BTreeMap<String, VecDeque<Line>>,
    /// Wakes the requests that follow the log.
    written: watch::Sender<()>,
}

/// One line of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The line's number among all lines of the cluster.
    pub number: u64,
    /// The run of the container that wrote the line: the number of restarts before it.
    pub run: u64,
    /// The time at which the container wrote it.
    pub time: Timestamp,
    /// The text, without a line break.
    pub text: String,
}

impl Logs {
    /// Adds a line for a run of a container. Only the lines of this run and of the run before are kept, because
    /// `kubectl logs --previous` reads the run before.
    pub(crate) fn append(&self, uid: &str, container: &str, run: u64, time: Timestamp, text: String) {
        let mut pods = self.lock();
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1; // in order, as the lock is held
        let pod = pods.entry(uid.to_owned()).or_default();
        let lines = pod.containers.entry(container.to_owned()).or_default();
        lines.push_back(Line { number, run, time, text });
        while lines.len() > LINES || lines.front().is_some_and(|first| first.run + 1 < run) {
            lines.pop_front();
        }
        pod.written.send_replace(());
    }

    /// Returns the lines of one run of a container whose numbers are greater than `after`.
    pub fn lines(&self, uid: &str, container: &str, run: u64, after: u64) -> Vec<Line> {
        let pods = self.lock();
        let Some(lines) = pods.get(uid).and_then(|pod| pod.containers.get(container)) else { return Vec::new() };
        let new = lines.range(lines.partition_point(|line| line.number <= after)..);
        new.filter(|line| line.run == run).cloned().collect()
    }

    pub(crate) fn forget(&self, uid: &str) {
        self.lock().remove(uid);
    }

    /// Returns a receiver that changes with every new line of a pod, and is closed once the pod is forgotten.
    pub fn changes(&self, uid: &str) -> watch::Receiver<()> {
        self.lock().entry(uid.to_owned()).or_default().written.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, PodLogs>> {
        self.pods.lock().expect("nothing panics under this lock")
    }
}
