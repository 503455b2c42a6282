//! The rolling update of a DaemonSet: replaces old pods by new ones. Upstream: `rollingUpdate` in
//! `pkg/controller/daemon/update.go`.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::manage::Plan;
use super::nodes::Decision;
use super::spec::Rolling;
use super::sync::DaemonSetSync;
use crate::shared::pods;

/// The new and the old pod of a node. Pods that are being deleted do not count.
#[derive(Debug, Default)]
struct Pair {
    new: Option<Arc<Pod>>,
    old: Option<Arc<Pod>>,
}

impl DaemonSetSync<'_> {
    /// Returns the old pods to delete, as many as may be unavailable; [`plan_pods`](Self::plan_pods) creates the new
    /// ones.
    pub(super) fn plan_replacements(&self, rolling: Rolling) -> Plan {
        let (mut unavailable, mut lost, mut candidates) = (0, Vec::new(), Vec::new());
        for node in self.relevant_nodes() {
            match self.pair(node) {
                Some(Pair { new: Some(new), old: None }) => unavailable += i64::from(!self.is_available(&new)),
                Some(Pair { new: None, old: Some(old) }) if self.is_available(&old) => candidates.push(old),
                Some(Pair { new: None, old: Some(old) }) => {
                    unavailable += 1;
                    lost.push(old);
                }
                _ => unavailable += 1,
            }
        }
        candidates.truncate(usize::try_from(rolling.unavailable - unavailable).unwrap_or_default());
        lost.extend(candidates);
        (Vec::new(), lost)
    }

    /// Returns the nodes that get a new pod beside the old one, within the limit of the surge, and the old pods to
    /// delete because their new pod is available.
    pub(super) fn plan_surge(&self, rolling: Rolling) -> Plan {
        let (mut surging, mut available) = (0, 0);
        let (mut missing, mut surplus) = (Vec::new(), Vec::new());
        let (mut candidates, mut misplaced) = (Vec::new(), Vec::new());
        for node in self.relevant_nodes() {
            let Some(pair) = self.pair(node) else {
                surging += 1;
                continue;
            };
            let first = pair.old.as_ref().or(pair.new.as_ref());
            available += usize::from(first.is_some_and(|pod| self.is_available(pod)));
            let wanted = self.decisions.get(node) == Some(&Decision::Wanted);
            match (pair.old, pair.new) {
                (None, _) => {}
                (Some(old), None) => match (self.is_available(&old), wanted) {
                    (false, false) => surplus.push(old),
                    (false, true) => missing.push(node.to_owned()),
                    (true, false) => misplaced.push(old),
                    (true, true) => candidates.push(node.to_owned()),
                },
                (Some(_), Some(new)) if !self.is_available(&new) => surging += 1,
                (Some(old), Some(_)) => surplus.push(old),
            }
        }
        // Keep a pod on an unwanted node until enough other pods are available.
        let desired = self.decisions.values().filter(|decision| **decision == Decision::Wanted).count();
        surplus.extend(misplaced.into_iter().take(available.saturating_sub(desired)));
        candidates.truncate(usize::try_from(rolling.surge - surging).unwrap_or_default());
        missing.extend(candidates);
        (missing, surplus)
    }

    /// Returns the new and the old pod of a node, or `None` if there is more than one of either. Upstream:
    /// `findUpdatedPodsOnNode`.
    fn pair(&self, node: &str) -> Option<Pair> {
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
