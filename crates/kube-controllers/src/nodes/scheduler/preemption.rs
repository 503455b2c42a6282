//! Finds pods of a lower priority that can end so that a pod fits on their node. Upstream: `framework/preemption` and
//! the plugin `DefaultPreemption`.

mod dry_run;

use super::budgets::Budgets;
use super::cache::Cache;
use super::candidate::Candidate;
use super::cycle::Cycle;
use super::filters::Rejection;
use super::node_info::{Node, NodeInfo};
use super::pod_info::PodInfo;
use super::reasons::Reasons;
use super::unfit::Diagnosis;
use dry_run::select_victims_on_node;

/// A search may end once it has found this many candidates, or `CANDIDATES_PERCENT` of the potential nodes if that is
/// more. Upstream: `minCandidateNodesAbsolute`.
const MIN_CANDIDATES: usize = 100;

/// Upstream: `minCandidateNodesPercentage`.
const CANDIDATES_PERCENT: usize = 10;

/// The result of an attempt to preempt pods.
#[derive(Debug)]
pub(super) enum Preemption {
    /// The pod may not preempt pods now. Its nominated node stays.
    NotEligible(&'static str),
    /// No node fits even without the pods of a lower priority. The text says why.
    Unhelpful(String),
    /// The pod fits once these pods have ended.
    Nominated(Candidate),
}

impl Preemption {
    /// Returns the second part of the reason why the pod is not scheduled. Upstream: `PostFilterMsg`.
    pub(super) fn message(&self) -> String {
        match self {
            Self::NotEligible(why) => (*why).to_owned(),
            Self::Unhelpful(why) => why.clone(),
            Self::Nominated(Candidate { node, victims, .. }) => {
                let count = victims.len();
                format!("found a potential placement for pod on node {node}, preempting {count} victims")
            }
        }
    }
}

/// Chooses a node where the pod fits once other pods have ended. Upstream: `evaluate`.
pub(super) fn preempt(cycle: &Cycle<'_>, diagnosis: &Diagnosis<'_>, cache: &Cache, budgets: &Budgets) -> Preemption {
    if let Some(why) = ineligibility(cycle, diagnosis, cache) {
        return Preemption::NotEligible(why);
    }
    let (candidates, reasons) = find_candidates(cycle, diagnosis, cache, budgets);
    match Candidate::pick(candidates) {
        Some(candidate) => Preemption::Nominated(candidate),
        None => Preemption::Unhelpful(reasons.sentence()),
    }
}

/// Returns true if the pod fits on a node once other pods have ended there.
pub(super) fn can_preempt_on(cycle: &Cycle<'_>, node: &Node, info: &NodeInfo, budgets: &Budgets) -> bool {
    cycle.spec()["preemptionPolicy"] != "Never" && select_victims_on_node(cycle, node, info, budgets).is_ok()
}

/// Returns the reason why the pod may not preempt pods now. A pod that has done so waits until its victims have ended.
/// Upstream: `PodEligibleToPreemptOthers`.
fn ineligibility(cycle: &Cycle<'_>, diagnosis: &Diagnosis<'_>, cache: &Cache) -> Option<&'static str> {
    let pod = cycle.pod();
    if cycle.spec()["preemptionPolicy"] == "Never" {
        return Some("not eligible due to preemptionPolicy=Never.");
    }
    let nominated = cycle.nominated_node().filter(|node| diagnosis.potential.contains(node))?;
    let (_, info) = cache.node(nominated)?;
    let waits = info.pods().any(|victim| victim.priority < pod.priority && victim.is_preempted);
    waits.then_some("not eligible due to a terminating pod on the nominated node.")
}

/// Returns the candidates among the nodes where the end of other pods can help, and the reasons against the other
/// nodes. Upstream: `findCandidates` and `DryRunPreemption`.
fn find_candidates(
    cycle: &Cycle<'_>,
    diagnosis: &Diagnosis<'_>,
    cache: &Cache,
    budgets: &Budgets,
) -> (Vec<Candidate>, Reasons) {
    let potential = &diagnosis.potential;
    let wanted = (potential.len() * CANDIDATES_PERCENT / 100).max(MIN_CANDIDATES);
    let mut reasons = Reasons::of(diagnosis.reasons.nodes());
    reasons.add_many("Preemption is not helpful for scheduling", diagnosis.reasons.nodes() - potential.len());
    if !cache.has_pods_below(cycle.pod().priority) {
        reasons.add_many(NO_VICTIMS, potential.len());
        return (Vec::new(), reasons);
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for (node, info) in potential.iter().filter_map(|name| cache.node(name)) {
        match select_victims_on_node(cycle, node, info, budgets) {
            Ok(candidate) => candidates.push(candidate),
            Err(rejection) => rejection.reasons.into_iter().for_each(|reason| reasons.add(reason)),
        }
        if candidates.len() >= wanted && candidates.iter().any(|candidate| candidate.violations == 0) {
            break;
        }
    }
    (candidates, reasons)
}

const NO_VICTIMS: &str = "No preemption victims found for incoming pod";

#[cfg(test)]
mod tests;
