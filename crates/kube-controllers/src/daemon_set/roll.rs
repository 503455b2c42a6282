//! Plans the rolling update of a DaemonSet: which old pods are deleted now, and which nodes get a new pod now. Each
//! sync does one step of the update, and only if no node lacks a pod or has one too many. Upstream: `rollingUpdate` in
//! `pkg/controller/daemon/update.go`.
//!
//! A pod is new if it was made from the current template, and old otherwise. With `maxUnavailable`, the old pod of a
//! node is deleted before the new one is created; with `maxSurge`, afterwards.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::manage::Plan;
use super::nodes::Decision;
use super::spec::Rolling;
use super::sync::DaemonSetSync;
use crate::shared::pods;

/// The new and the old pod of one node. Pods that are being deleted do not count.
#[derive(Debug, Default)]
struct Pair {
    new: Option<Arc<Pod>>,
    old: Option<Arc<Pod>>,
}

impl DaemonSetSync<'_> {
    /// Plans one step of an update by `maxUnavailable`. Returns all old pods that are unavailable, because deleting
    /// them makes no further node unavailable, and as many available old pods as `maxUnavailable` still allows.
    /// [`plan_pods`](Self::plan_pods) creates the new pods once the old ones are gone.
    pub(super) fn plan_replacements(&self, rolling: Rolling) -> Plan {
        let (mut unavailable, mut unavailable_old, mut candidates) = (0, Vec::new(), Vec::new());
        for node in self.relevant_nodes() {
            match self.new_and_old_pod(node) {
                Some(Pair { new: Some(new), old: None }) => unavailable += i64::from(!self.is_available(&new)),
                Some(Pair { new: None, old: Some(old) }) if self.is_available(&old) => candidates.push(old),
                Some(Pair { new: None, old: Some(old) }) => {
                    unavailable += 1;
                    unavailable_old.push(old);
                }
                // The node has only pods that are being deleted, or no pod, or more pods than it should.
                _ => unavailable += 1,
            }
        }
        candidates.truncate(usize::try_from(rolling.unavailable - unavailable).unwrap_or_default());
        unavailable_old.extend(candidates);
        (Vec::new(), unavailable_old) // this step creates no pods
    }

    /// Plans one step of an update by `maxSurge`. Returns the nodes that get a new pod beside the old one, and the old
    /// pods to delete: on nodes whose new pod is available, and on nodes that get no new pod.
    pub(super) fn plan_surge(&self, rolling: Rolling) -> Plan {
        // The number of nodes with an extra pod, and the number of nodes with an available pod.
        let (mut surging, mut available) = (0, 0);
        let (mut missing, mut surplus) = (Vec::new(), Vec::new());
        let (mut candidates, mut on_unwanted_nodes) = (Vec::new(), Vec::new());
        for node in self.relevant_nodes() {
            let Some(pair) = self.new_and_old_pod(node) else {
                surging += 1; // several new or several old pods
                continue;
            };
            let current = pair.old.as_ref().or(pair.new.as_ref());
            available += usize::from(current.is_some_and(|pod| self.is_available(pod)));
            let wanted = self.decisions.get(node) == Some(&Decision::Wanted);
            match (pair.old, pair.new) {
                (None, _) => {} // nothing to replace
                (Some(old), None) => match (self.is_available(&old), wanted) {
                    (false, false) => surplus.push(old),
                    (false, true) => missing.push(node.to_owned()), // regardless of the limit: the node has nothing to lose
                    (true, false) => on_unwanted_nodes.push(old),
                    (true, true) => candidates.push(node.to_owned()),
                },
                (Some(_), Some(new)) if !self.is_available(&new) => surging += 1,
                (Some(old), Some(_)) => surplus.push(old),
            }
        }
        // Keep a pod on an unwanted node until enough other pods are available.
        let desired = self.decisions.values().filter(|decision| **decision == Decision::Wanted).count();
        surplus.extend(on_unwanted_nodes.into_iter().take(available.saturating_sub(desired)));
        candidates.truncate(usize::try_from(rolling.surge - surging).unwrap_or_default());
        missing.extend(candidates);
        (missing, surplus)
    }

    /// Returns the new and the old pod of a node, or `None` if the node has several new or several old pods. Upstream:
    /// `findUpdatedPodsOnNode`.
    fn new_and_old_pod(&self, node: &str) -> Option<Pair> {
        let mut pair = Pair::default();
        for pod in self.pods_on(node).iter().filter(|pod| !pods::is_going(pod)) {
            let slot = if self.is_new(pod) { &mut pair.new } else { &mut pair.old };
            if slot.replace(pod.clone()).is_some() {
                return None;
            }
        }
        Some(pair)
    }
}
