//! The pods that wait for a node, in the order in which they get one: the highest priority first, and the earliest
//! among equals. Upstream: the scheduling queue and the plugin `PrioritySort`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;
use tokio::sync::watch;

use super::pod_info::PodInfo;
use super::{Assignment, Unfit};
use crate::nodes::progress::Resting;
use crate::nodes::requests::Received;

/// The result of an attempt to schedule a pod.
pub(super) type Outcome = Result<Assignment, Unfit>;

/// A pod without a node.
#[derive(Clone)]
pub(super) struct Pending {
    pub(super) uid: Arc<str>,
    pub(super) pod: Received,
    pub(super) info: Arc<PodInfo>,
}

impl Pending {
    pub(super) fn new(uid: &str, pod: Received) -> Self {
        let info = Arc::new(PodInfo::of(&pod));
        Self { uid: uid.into(), pod, info }
    }
}

/// A pod that fits on no node at present.
pub(super) struct Waiting {
    pub(super) pending: Pending,
    /// Sends the latest outcome to the pod's task.
    pub(super) outcome: watch::Sender<Outcome>,
    /// Set while the pod's task only waits.
    pub(super) resting: Option<Resting>,
}

/// The place of a pod in the queue.
type Rank = (Reverse<i64>, u64);

#[derive(Default)]
pub(super) struct Queue {
    waiting: BTreeMap<Rank, Waiting>,
    ranks: HashMap<Arc<str>, Rank>,
    arrivals: u64,
}

impl Queue {
    pub(super) fn push(&mut self, waiting: Waiting) {
        self.arrivals += 1;
        let priority = waiting.pending.pod["spec"]["priority"].as_i64().unwrap_or_default();
        let rank = (Reverse(priority), self.arrivals);
        self.ranks.insert(waiting.pending.uid.clone(), rank);
        self.waiting.insert(rank, waiting);
    }

    pub(super) fn get_mut(&mut self, uid: &str) -> Option<&mut Waiting> {
        self.waiting.get_mut(self.ranks.get(uid)?)
    }

    pub(super) fn remove(&mut self, uid: &str) -> Option<Waiting> {
        self.waiting.remove(&self.ranks.remove(uid)?)
    }

    /// Returns the waiting pods, the first in the queue first.
    pub(super) fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.waiting.values().map(|waiting| &waiting.pending)
    }
}
