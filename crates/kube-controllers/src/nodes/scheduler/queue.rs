//! The pods that wait for a node, in the order in which they get one: the highest priority first, and the earliest
//! among equals. Pods with equal signatures form a group, of which only the first pod is tried while it fits nowhere.
//! Upstream: the scheduling queue, the plugin `PrioritySort` and the batches of pods with equal signatures.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use foldhash::HashMap;
use tokio::sync::watch;

use super::pod_info::PodInfo;
use super::signature::Signature;
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
    pub(super) nomination: Nomination,
}

/// The place of a pod in the queue.
pub(super) type Rank = (Reverse<i64>, u64);

/// The pods that get the same outcome if one of them fits nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Group {
    /// The pods that have this signature.
    Equals(Arc<Signature>),
    /// The one pod of this uid, for which a node is nominated.
    Nominated(Arc<str>),
}

/// Whether a node is nominated for a waiting pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nomination {
    None,
    Made,
}

#[derive(Default)]
pub(super) struct Queue {
    waiting: BTreeMap<Rank, (Group, Waiting)>,
    ranks: HashMap<Arc<str>, Rank>,
    /// The pods of each group; no group is empty.
    groups: HashMap<Group, BTreeSet<Rank>>,
    arrivals: u64,
}

impl Queue {
    pub(super) fn push(&mut self, waiting: Waiting) {
        self.arrivals += 1;
        let priority = waiting.pending.pod["spec"]["priority"].as_i64().unwrap_or_default();
        self.insert((Reverse(priority), self.arrivals), waiting);
    }

    fn insert(&mut self, rank: Rank, waiting: Waiting) {
        let Pending { uid, pod, info } = &waiting.pending;
        let group = match waiting.nomination {
            Nomination::None => Group::Equals(Arc::new(Signature::of(pod, info))),
            Nomination::Made => Group::Nominated(uid.clone()),
        };
        self.ranks.insert(waiting.pending.uid.clone(), rank);
        self.groups.entry(group.clone()).or_default().insert(rank);
        self.waiting.insert(rank, (group, waiting));
    }

    pub(super) fn get_mut(&mut self, uid: &str) -> Option<&mut Waiting> {
        self.waiting.get_mut(self.ranks.get(uid)?).map(|(_, waiting)| waiting)
    }

    pub(super) fn remove(&mut self, uid: &str) -> Option<Waiting> {
        let rank = self.ranks.remove(uid)?;
        let (group, waiting) = self.waiting.remove(&rank)?;
        if let Some(ranks) = self.groups.get_mut(&group) {
            ranks.remove(&rank);
            if ranks.is_empty() {
                self.groups.remove(&group);
            }
        }
        Some(waiting)
    }

    /// Replaces a pod by a later state of the pod, which keeps its place.
    pub(super) fn replace(&mut self, pending: Pending) {
        let Some(rank) = self.ranks.get(&pending.uid).copied() else { return };
        if let Some(waiting) = self.remove(&pending.uid) {
            self.insert(rank, Waiting { pending, ..waiting });
        }
    }

    /// Moves a pod into the group that it belongs to from now on.
    pub(super) fn set_nomination(&mut self, uid: &str, nomination: Nomination) {
        let is_changed = self.get_mut(uid).is_some_and(|waiting| waiting.nomination != nomination);
        let Some(rank) = self.ranks.get(uid).copied().filter(|_| is_changed) else { return };
        if let Some(waiting) = self.remove(uid) {
            self.insert(rank, Waiting { nomination, ..waiting });
        }
    }

    /// Returns the groups by the places of their first pods.
    pub(super) fn groups(&self) -> BTreeMap<Rank, Group> {
        let first = |(group, ranks): (&Group, &BTreeSet<Rank>)| ranks.first().map(|rank| (*rank, group.clone()));
        self.groups.iter().filter_map(first).collect()
    }

    /// Returns the first pod of a group, with its place.
    pub(super) fn first_of(&self, group: &Group) -> Option<(Rank, &Pending)> {
        let rank = self.groups.get(group)?.first()?;
        self.waiting.get(rank).map(|(_, waiting)| (*rank, &waiting.pending))
    }

    /// Returns the uids of the pods of a group.
    pub(super) fn uids_of(&self, group: &Group) -> Vec<Arc<str>> {
        let ranks = self.groups.get(group).into_iter().flatten();
        ranks.filter_map(|rank| self.waiting.get(rank)).map(|(_, waiting)| waiting.pending.uid.clone()).collect()
    }
}
