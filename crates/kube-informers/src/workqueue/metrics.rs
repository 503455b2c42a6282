//! Metrics: what a queue tells about itself. Upstream: `util/workqueue/metrics.go`.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use foldhash::fast::RandomState;

/// Takes what a queue measures, say into Prometheus. Called under the queue's lock: it has to be short and must not call
/// the queue. Every method does nothing unless implemented.
///
/// An item that is added again before it is handed out counts once.
pub trait Metrics: Send {
    /// How many items are to be worked on, whether queued or added again while somebody works on them.
    fn depth(&mut self, _items: usize) {}
    /// An item was added.
    fn added(&mut self) {}
    /// An item was handed out, this long after it was first added.
    fn latency(&mut self, _waited: Duration) {}
    /// A worker was done with an item, this long after it was handed out.
    fn work_duration(&mut self, _worked: Duration) {}
    /// An item was added to come in later.
    fn retried(&mut self) {}
}

/// The work under way in a queue, measured when asked for. It is 0 in a queue without [`Metrics`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// The sum over all items that are being worked on of how long that has taken so far.
    pub total: Duration,
    /// The longest of these.
    pub longest: Duration,
}

/// The times of a queue that is measured.
pub(super) struct Meter<T> {
    metrics: Box<dyn Metrics>,
    depth: usize,
    /// Since when items are to be worked on.
    added: HashMap<T, Instant, RandomState>,
    /// Since when items are being worked on.
    started: HashMap<T, Instant, RandomState>,
}

impl<T: Clone + Eq + Hash> Meter<T> {
    pub fn new(metrics: impl Metrics + 'static) -> Self {
        Self { metrics: Box::new(metrics), depth: 0, added: HashMap::default(), started: HashMap::default() }
    }

    pub fn added(&mut self, item: &T, at: Instant) {
        self.depth += 1;
        self.metrics.added();
        self.metrics.depth(self.depth);
        self.added.entry(item.clone()).or_insert(at);
    }

    pub fn taken(&mut self, item: &T, now: Instant) {
        self.depth = self.depth.saturating_sub(1); // an item that is queued twice is taken twice
        self.metrics.depth(self.depth);
        if let Some(added) = self.added.remove(item) {
            self.metrics.latency(now - added);
        }
        self.started.insert(item.clone(), now);
    }

    pub fn done(&mut self, item: &T, now: Instant) {
        if let Some(started) = self.started.remove(item) {
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
