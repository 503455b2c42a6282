//! Admits the pods that are bound to a node without the scheduler: because they name the node themselves, or because
//! another client has bound them. Each is compared with the pods that came to the node before it. Upstream:
//! `HandlePodAdditions` in `pkg/kubelet/kubelet.go`.

use std::collections::BTreeSet;

use foldhash::HashMap;

use super::State;
use crate::nodes::pod;
use crate::nodes::requests::Received;
use crate::nodes::scheduler::pod_info::PodInfo;
use crate::nodes::scheduler::predicate::{NotAdmitted, not_admitted};
use kube_machinery::value::{SmolStr, Value};

/// The decisions about pods that were not scheduled here.
#[derive(Default)]
pub(super) struct Admissions {
    /// The pods that may not run, by uid, until they have ended.
    rejected: HashMap<SmolStr, NotAdmitted>,
    /// The pods of nodes that do not exist yet, by node and uid.
    postponed: HashMap<String, HashMap<SmolStr, Received>>,
}

impl Admissions {
    pub(super) fn has_rejected(&self, uid: &str) -> bool {
        self.rejected.contains_key(uid)
    }

    fn postpone(&mut self, node: &str, pod: &Received) {
        self.postponed.entry(node.to_owned()).or_default().insert(pod::uid(pod).into(), pod.clone());
    }

    /// Takes note that a pod has started on a node, or is gone from there.
    pub(super) fn settle(&mut self, uid: &str, node: &str) {
        let Some(pods) = self.postponed.get_mut(node) else { return };
        pods.remove(uid);
        if pods.is_empty() {
            self.postponed.remove(node);
        }
    }

    /// Forgets the rejection of a pod that has ended.
    pub(super) fn forget(&mut self, uid: &str) {
        self.rejected.remove(uid);
    }

    /// Forgets the rejections of pods that are not among those that exist.
    pub(super) fn retain(&mut self, existing: &BTreeSet<String>) {
        self.rejected.retain(|uid, _| existing.contains(uid.as_str()));
    }
}

impl State {
    /// Decides about a pod that was bound to a node and has not started. Does nothing if the pod is counted on the node
    /// already.
    pub(in crate::nodes::scheduler) fn admit(&mut self, node: &str, pod: &Received) {
        let uid = pod::uid(pod);
        if self.cache.pod_on(node, uid).is_some() || self.admissions.has_rejected(uid) {
            return;
        }
        if !self.has(node) {
            self.admissions.postpone(node, pod);
        } else if let Some(answer) = self.answer(node, pod, &PodInfo::of(pod)) {
            self.reject(uid, node, answer);
        }
    }

    /// Decides about the pods that waited for a node, the oldest first.
    pub(super) fn admit_postponed(&mut self, node: &str) {
        if self.cache.node(node).is_none() {
            return;
        }
        let mut pods: Vec<_> = self.admissions.postponed.remove(node).into_iter().flatten().collect();
        pods.sort_by_cached_key(|(_, pod)| pod::age(pod));
        let taken: Vec<_> = pods.into_iter().filter_map(|(uid, pod)| Some((pod, self.cache.take(&uid)?))).collect();
        for (pod, placed) in taken {
            match self.answer(node, &pod, &placed.pod) {
                Some(answer) if placed.node == node => self.reject(&placed.pod.uid, node, answer),
                _ => drop(self.cache.put(&placed.node, placed.pod)),
            }
        }
    }

    /// Returns the reason why a pod may not run.
    pub(in crate::nodes::scheduler) fn not_admitted(&self, uid: &str) -> Option<&NotAdmitted> {
        self.admissions.rejected.get(uid)
    }

    fn answer(&self, node: &str, pod: &Value, info: &PodInfo) -> Option<NotAdmitted> {
        let (node, others) = self.cache.node(node)?;
        not_admitted(node, others, pod, info)
    }

    /// Takes note that a pod may not run. It counts for no node, and no longer waits for one.
    fn reject(&mut self, uid: &str, node: &str, answer: NotAdmitted) {
        self.admissions.rejected.insert(uid.into(), answer);
        self.report(uid, Ok(self.assignment(node)));
        if let Some(placed) = self.cache.take(uid) {
            self.retry_on(&placed.node, vec![placed.pod]);
        }
    }
}
