//! Finds the nodes that a pod fits on. If there is none, the error counts the reasons in the words of kube-scheduler,
//! which users see in the pod's status.

use std::collections::BTreeMap;

use super::KnownNodes;
use crate::nodes::constraints::{selects, tolerates};
use kube_machinery::value::Value;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("no nodes available to schedule pods")]
    NoNodes,
    /// The number of nodes, and how many of them each reason excludes.
    #[error("{}", sentence(*.0, .1))]
    Nowhere(usize, BTreeMap<&'static str, usize>),
}

/// The result of a waiting pod's earlier attempts: the reasons why it fits on no node. With it, the next attempt only
/// checks the nodes that have changed since.
#[derive(Debug, Default)]
pub(crate) struct Tried {
    /// The number of node changes that the pod has checked; `None` before the first attempt.
    seen: Option<u64>,
    /// The number of nodes that each reason excludes.
    reasons: BTreeMap<&'static str, usize>,
}

impl Tried {
    /// Returns the names of the nodes that the pod fits on.
    pub(super) fn fitting<'a>(&mut self, known: &'a KnownNodes, pod: &Value) -> Result<Vec<&'a String>, Unfit> {
        // If the pod has waited and all changes since are known, correct the counts by the changed nodes. Only if one
        // of them fits, or on the first attempt, look at all nodes.
        let seen = self.seen.replace(known.number);
        if let Some(changes) = seen.and_then(|seen| known.changes_after(seen)) {
            let mut fits = false;
            for change in changes {
                if let Some(reason) = change.before.as_ref().and_then(|node| reason_against(node, pod)) {
                    self.take_back(reason);
                }
                match change.after.as_ref().map(|node| reason_against(node, pod)) {
                    Some(Some(reason)) => *self.reasons.entry(reason).or_default() += 1,
                    Some(None) => fits = true,
                    None => {}
                }
            }
            if !fits {
                return Err(self.unfit(known));
            }
        }
        let mut fitting = Vec::new();
        self.reasons.clear();
        for (name, node) in &known.nodes {
            match reason_against(node, pod) {
                Some(reason) => *self.reasons.entry(reason).or_default() += 1,
                None => fitting.push(name),
            }
        }
        if fitting.is_empty() { Err(self.unfit(known)) } else { Ok(fitting) }
    }

    /// Counts one node less for a reason.
    fn take_back(&mut self, reason: &'static str) {
        if let Some(count) = self.reasons.get_mut(reason) {
            *count -= 1;
            if *count == 0 {
                self.reasons.remove(reason);
            }
        }
    }

    fn unfit(&self, known: &KnownNodes) -> Unfit {
        match known.nodes.len() {
            0 => Unfit::NoNodes,
            all => Unfit::Nowhere(all, self.reasons.clone()),
        }
    }
}

#[cfg(test)]
thread_local! {
    /// The number of nodes that this thread has checked for pods: the measure of work in tests.
    static TRIED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Returns the first reason against a node, in the order of upstream's filters.
fn reason_against(node: &Value, pod: &Value) -> Option<&'static str> {
    #[cfg(test)]
    TRIED.with(|tried| tried.set(tried.get() + 1));
    let spec = &pod["spec"];
    if node["spec"]["unschedulable"] == true && !tolerates(spec, "node.kubernetes.io/unschedulable", "", "NoSchedule") {
        return Some("node(s) were unschedulable");
    }
    fn text<'a>(value: &'a Value, field: &str) -> &'a str {
        value[field].as_str().unwrap_or_default()
    }
    let tolerated = |taint: &Value| {
        let effect = text(taint, "effect");
        !matches!(effect, "NoSchedule" | "NoExecute")
            || tolerates(spec, text(taint, "key"), text(taint, "value"), effect)
    };
    if !node["spec"]["taints"].as_array().is_none_or(|taints| taints.iter().all(tolerated)) {
        return Some("node(s) had untolerated taint(s)");
    }
    if !selects(spec, text(node, "name"), &node["labels"]) {
        return Some("node(s) didn't match Pod's node affinity/selector");
    }
    None
}

/// Returns kube-scheduler's message for a pod that fits on none of `all` nodes.
fn sentence(all: usize, reasons: &BTreeMap<&'static str, usize>) -> String {
    let mut counted: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    counted.sort_unstable();
    format!(
        "0/{all} nodes are available: {}. preemption: 0/{all} nodes are available: {all} Preemption is not helpful for \
         scheduling.",
        counted.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::value::json;

    fn nodes() -> KnownNodes {
        let mut known = KnownNodes::default();
        known.set("a", Some(json!({"labels": {"disk": "ssd"}, "spec": {"unschedulable": true}})));
        let taint = json!({"key": "k", "value": "v", "effect": "NoSchedule"});
        known.set("b", Some(json!({"labels": {}, "spec": {"taints": [taint]}})));
        known.set("c", Some(json!({"labels": {}, "spec": {}})));
        known
    }

    fn fitting<'a>(known: &'a KnownNodes, pod: &Value) -> Result<Vec<&'a String>, Unfit> {
        Tried::default().fitting(known, pod)
    }

    #[test]
    fn a_pod_that_waits_looks_only_at_the_nodes_that_change() {
        let pod = json!({"spec": {"nodeSelector": {"disk": "tape"}}});
        let (mut known, mut tried) = (nodes(), Tried::default());
        assert!(tried.fitting(&known, &pod).is_err());
        let before = TRIED.get();
        for n in 0..500 {
            let unschedulable = n % 3 == 0;
            known.set(&format!("n{}", n % 60), Some(json!({"labels": {}, "spec": {"unschedulable": unschedulable}})));
            if n % 7 == 0 {
                known.set(&format!("n{}", n % 50), None);
            }
            let waits = tried.fitting(&known, &pod).unwrap_err();
            let tries = TRIED.get();
            assert_eq!(waits, fitting(&known, &pod).unwrap_err(), "change {n}");
            TRIED.set(tries); // the comparison does not count
        }
        // There are at most 600 changes, and for each the nodes before and after it are checked.
        assert!(TRIED.get() - before <= 2 * 600, "{} tries", TRIED.get() - before);
        known.set("late", Some(json!({"labels": {"disk": "tape"}, "spec": {}})));
        assert_eq!(tried.fitting(&known, &pod).unwrap(), ["late"]);
    }

    #[test]
    fn a_pod_that_has_missed_changes_looks_at_all_nodes() {
        let pod = json!({"spec": {"nodeSelector": {"disk": "tape"}}});
        let (mut known, mut tried) = (nodes(), Tried::default());
        assert!(tried.fitting(&known, &pod).is_err());
        known.set("late", Some(json!({"labels": {"disk": "tape"}, "spec": {}})));
        // These are more changes than `KnownNodes` remembers.
        (0..2_000).for_each(|_| known.set("c", Some(json!({"labels": {}, "spec": {}}))));
        assert_eq!(tried.fitting(&known, &pod).unwrap(), ["late"]);
    }

    #[test]
    fn a_pod_fits_on_nodes_whose_taints_it_tolerates() {
        assert_eq!(fitting(&nodes(), &json!({"spec": {}})).unwrap(), ["c"]);
        let tolerant = json!({"spec": {"tolerations": [{"key": "k", "operator": "Equal", "value": "v"}]}});
        assert_eq!(fitting(&nodes(), &tolerant).unwrap(), ["b", "c"]);
        let anything = json!({"spec": {"tolerations": [{"operator": "Exists"}]}});
        assert_eq!(fitting(&nodes(), &anything).unwrap(), ["a", "b", "c"]);
    }

    #[test]
    fn the_error_counts_the_nodes_that_each_reason_excludes() {
        let pod = json!({"spec": {"nodeSelector": {"disk": "ssd"}}});
        assert_eq!(
            fitting(&nodes(), &pod).unwrap_err().to_string(),
            "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated \
             taint(s), 1 node(s) were unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for \
             scheduling."
        );
        assert_eq!(fitting(&KnownNodes::default(), &pod), Err(Unfit::NoNodes));
    }
}
