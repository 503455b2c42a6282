//! Metrics show whether a queue's workers keep up. Upstream: `util/workqueue/metrics.go`.

use std::collections::HashMap;
use std::time::Duration;

use foldhash::fast::RandomState;
use tokio::time::Instant;

use super::key_table::Handle;

/// Receives a queue's measurements, for example for Prometheus (client-go's `MetricsProvider`).
///
/// The methods run under the queue's lock, so they must be quick and must not use the queue. Each does nothing by
/// default. A panic propagates to the caller of the queue, and the queue stays consistent. A key that is added again
/// before a worker takes it counts once.
#[doc(alias = "MetricsProvider")]
pub trait Metrics: Send {
    /// Called with the number of keys that are queued, or were added again while in progress (client-go's `depth`).
    fn depth(&mut self, _keys: usize) {}
    /// Called when a key was added (client-go's `adds_total`).
    fn added(&mut self) {}
    /// Called when a worker takes a key, with the time since the key was first added (client-go's
    /// `queue_duration_seconds`).
    fn latency(&mut self, _waited: Duration) {}
    /// Called when the work on a key ends, with the time since a worker took it (client-go's `work_duration_seconds`).
    fn work_duration(&mut self, _worked: Duration) {}
    /// Called when a key was added with a delay or rate limited (client-go's `retries_total`).
    fn retried(&mut self) {}
}

/// The age of the work in progress, measured when [`WorkQueue::unfinished`](super::WorkQueue::unfinished) is called.
/// Zero for a queue without [`Metrics`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unfinished {
    /// The sum, over all keys in progress, of the time since a worker took the key.
    pub total: Duration,
    /// The longest such time.
    pub longest: Duration,
}

/// Computes a queue's measurements and passes them to its [`Metrics`].
pub(super) struct Meter {
    metrics: Box<dyn Metrics>,
    /// The number of waiting keys, as it was last reported.
    depth: usize,
    /// The time at which each waiting key was first added.
    added: HashMap<Handle, Instant, RandomState>,
    /// The time at which a worker took each key in progress.
    started: HashMap<Handle, Instant, RandomState>,
}

impl Meter {
    pub fn new(metrics: Box<dyn Metrics>) -> Self {
        Self { metrics, depth: 0, added: HashMap::default(), started: HashMap::default() }
    }

    /// Records that a key began to wait, or was added again while a worker has it.
    pub fn added(&mut self, key: Handle, at: Instant) {
        self.metrics.added();
        self.metrics.depth(self.depth + 1);
        self.depth += 1;
        self.added.entry(key).or_insert(at);
    }

    pub fn taken(&mut self, key: Handle, now: Instant) {
        let depth = self.depth.saturating_sub(1); // `done` can queue a key again without an addition, so the depth may be 0
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

    /// Records that a key was added with a delay or rate limited.
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
