//! Tries on a copy of a node which pods have to end so that a pod fits there.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{Budgets, Candidate, Cycle, NO_VICTIMS, Node, NodeInfo, PodInfo, Rejection};
use crate::nodes::scheduler::budgets::Victims;

/// A copy of a node and of the filters' results, from which pods are taken.
struct DryRun<'a> {
    cycle: Cycle<'a>,
    node: &'a Node,
    info: NodeInfo,
}

/// Finds the pods that have to end so that the pod fits on the node. Takes all pods of a lower priority away, and then
/// reprieves as many as possible: first those whose end violates a budget, and of these, as of the others, the
/// important ones first. Returns the reason if the pod does not fit even without them. Upstream: `SelectVictimsOnNode`.
pub(super) fn select_victims_on_node<'a>(
    cycle: &Cycle<'a>,
    node: &'a Node,
    info: &NodeInfo,
    budgets: &Budgets,
) -> Result<Candidate, Rejection> {
    let mut potential: Vec<Arc<PodInfo>> =
        info.pods().filter(|victim| victim.priority < cycle.pod().priority).cloned().collect();
    if potential.is_empty() {
        return Err(Rejection::unresolvable(NO_VICTIMS));
    }
    let mut run = DryRun { cycle: cycle.clone(), node, info: info.clone() };
    potential.iter().for_each(|victim| run.remove(victim));
    if let Some(rejection) = run.cycle.filter_with_nominated(node, &run.info) {
        return Err(rejection);
    }
    sort_by_importance(&mut potential);
    let Victims { violating, non_violating } = budgets.group(&potential);
    let mut victims: Vec<_> = violating.into_iter().filter(|victim| !run.reprieve(victim)).collect();
    let violations = victims.len();
    victims.extend(non_violating.into_iter().filter(|victim| !run.reprieve(victim)));
    sort_by_importance(&mut victims);
    Ok(Candidate { node: node.name.clone(), victims, violations })
}

impl DryRun<'_> {
    fn remove(&mut self, pod: &Arc<PodInfo>) {
        self.info.remove(&pod.uid);
        self.cycle.update(pod, self.node, -1);
    }

    /// Puts a pod back if the incoming pod fits nevertheless. Returns true if it does.
    fn reprieve(&mut self, pod: &Arc<PodInfo>) -> bool {
        self.info.add(pod.clone());
        self.cycle.update(pod, self.node, 1);
        let fits = self.cycle.filter_with_nominated(self.node, &self.info).is_none();
        if !fits {
            self.remove(pod);
        }
        fits
    }
}

/// Sorts pods by priority and then by how long they have run. The name decides between equals. Upstream:
/// `MoreImportantVictim`.
fn sort_by_importance(pods: &mut [Arc<PodInfo>]) {
    pods.sort_by(|one, other| {
        let rank =
            |pod: &PodInfo| (Reverse(pod.priority), pod.start_time.clone(), pod.namespace.clone(), pod.name.clone());
        rank(one).cmp(&rank(other))
    });
}
