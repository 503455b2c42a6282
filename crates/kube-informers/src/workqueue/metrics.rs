//! Metrics: what a queue tells about itself. Upstream: `util/workqueue/metrics.go`.

use std::collections::HashMap;
use std::time::Duration;

use foldhash::fast::RandomState;
use tokio::time::Instant;

use super::known::Handle;

/// Takes what a queue measures, say into Prometheus. Called under the queue's lock: it has to be short and must not call
/// the queue. Every method does nothing unless implemented. A panic of one of them reaches whoever called the queue, and
/// leaves the queue whole.
///
/// A key that is added again before it is handed out counts once.
#[doc(alias = "MetricsProvider")]
pub trait Metrics: Send {
    /// How many keys are to be worked on, whether queued or added again while somebody works on them.
    fn depth(&mut self, _keys: usize) {}
    /// A key was added.
    fn added(&mut self) {}
    /// A key is handed out, this long after it was first added.
    fn latency(&mut self, _waited: Duration) {}
    /// A worker was done with a key, this long after it was handed out.
    fn work_duration(&mut self, _worked: Duration) {}
    /// A key was added to come in later.
    fn retried(&mut self) {}
}

/// The work under way in a queue, measured when asked for. It is 0 in a queue without [`Metrics`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// The sum over all keys that are being worked on of how long that has taken so far.
    pub total: Duration,
    /// The longest of these.
    pub longest: Duration,
}

/// The times of a queue that is measured.
pub(super) struct Meter {
    metrics: Box<dyn Metrics>,
    depth: usize,
    /// Since when keys are to be worked on.
    added: HashMap<Handle, Instant, RandomState>,
    /// Since when keys are being worked on.
    started: HashMap<Handle, Instant, RandomState>,
}

impl Meter {
    pub fn new(metrics: Box<dyn Metrics>) -> Self {
        Self { metrics, depth: 0, added: HashMap::default(), started: HashMap::default() }
    }

    pub fn added(&mut self, key: Handle, at: Instant) {
        self.metrics.added();
        self.metrics.depth(self.depth + 1);
        self.depth += 1;
        self.added.entry(key).or_insert(at);
    }

    pub fn taken(&mut self, key: Handle, now: Instant) {
        let depth = self.depth.saturating_sub(1); // a key that is queued twice is taken twice
        self.metrics.depth(depth);
        if let Some(added) = self.added.get(&key) {
            self.metrics.latency(now - *added);
        }
        self.depth = depth;
        self.added.remove(&key);
        self.started.insert(key, now);
    }

    pub fn done(&mut self, key: Handle, now: Instant) {
        if let Some(started) = self.started.remove(&key) {
            self.metrics.work_duration(now - started);
        }
    }

    pub fn retried(&mut self) {
        self.metrics.retried();
    }

    pub fn unfinished(&self, now: Instant) -> Unfinished {
        self.started.values().map(|started| now - *started).fold(Unfinished::default(), |all, worked| Unfinished {
            total: all.total + worked,
            longest: all.longest.max(worked),
        })
    }
}
