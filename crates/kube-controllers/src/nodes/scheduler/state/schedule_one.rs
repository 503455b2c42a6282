//! One attempt to schedule a pod: chooses a node, or else pods to preempt. Upstream: `schedule_one.go`.

use super::State;
use crate::nodes::scheduler::Assignment;
use crate::nodes::scheduler::candidate::Candidate;
use crate::nodes::scheduler::cycle::Cycle;
use crate::nodes::scheduler::node_info::{Node, NodeInfo};
use crate::nodes::scheduler::preemption::{Preemption, preempt};
use crate::nodes::scheduler::queue::{Nomination, Outcome, Pending};
use crate::nodes::scheduler::unfit::{Diagnosis, Unfit, Victim};

/// The search for a node ends after this many fitting nodes, so that a pod costs the same in a cluster of any size. The
/// next search begins behind the last node. Upstream: `numFeasibleNodesToFind`.
const MOST_FEASIBLE: usize = 100;

/// The decision about a pod.
enum Decision {
    Place {
        /// The node, and what must be written for the pod's claims.
        assignment: Assignment,
        /// Where the next search begins.
        last: String,
    },
    Refuse(Refusal),
}

/// The reason why a pod gets no node.
enum Refusal {
    NoNodes,
    /// The pod fits nowhere. The text says why.
    Unfit(String, Preemption),
}

impl State {
    /// Chooses a node for a pod, and counts the pod there. If it fits nowhere, it may preempt other pods.
    pub(super) fn schedule_one(&mut self, pending: &Pending) -> Outcome {
        match self.decide(pending) {
            Decision::Place { assignment, last } => {
                self.last = last;
                if let Some(volumes) = &assignment.volumes {
                    self.reserve(pending, volumes, &assignment.node);
                }
                self.cache.put(&assignment.node, pending.info.clone());
                self.nominator.remove(&pending.uid);
                Ok(assignment)
            }
            Decision::Refuse(refusal) => Err(self.refuse(pending, refusal)),
        }
    }

    /// Refuses a pod on all nodes, for a reason that is not that of a node.
    pub(in crate::nodes::scheduler) fn refuse_on_all(&mut self, pending: &Pending, why: &str) -> Unfit {
        let refusal = self.refuse_all(&Cycle::begin(pending, &self.cache, &self.nominator), why);
        self.refuse(pending, refusal)
    }

    /// Tries the nominated node first, because it is probably the only one that fits. Upstream: `schedulePod`.
    fn decide(&self, pending: &Pending) -> Decision {
        let cycle = Cycle::begin(pending, &self.cache, &self.nominator);
        if let Some(why) = cycle.refusal() {
            return Decision::Refuse(self.refuse_all(&cycle, why));
        }
        if let Some(node) = self.nominated_that_fits(&cycle) {
            return self.place(&cycle, node, self.last.clone());
        }
        let mut diagnosis = Diagnosis::default();
        if let Some(decision) = self.find(&cycle, &mut diagnosis) {
            return decision;
        }
        if diagnosis.reasons.nodes() == 0 {
            return self.decide_without_nodes(&cycle);
        }
        Decision::Refuse(self.refusal(&cycle, &diagnosis))
    }

    /// Refuses all nodes before the filters.
    fn refuse_all(&self, cycle: &Cycle<'_>, why: &str) -> Refusal {
        let nodes = self.node_count();
        if nodes == 0 {
            return Refusal::NoNodes;
        }
        self.refusal(cycle, &Diagnosis::refused(why, nodes))
    }

    /// In a cluster that was created without nodes, chooses the first one, although no such Node object exists. Only
    /// the claims of the pod can refuse it.
    fn decide_without_nodes(&self, cycle: &Cycle<'_>) -> Decision {
        let Some(node) = self.first_without_nodes() else { return Decision::Refuse(Refusal::NoNodes) };
        let mut diagnosis = Diagnosis::default();
        let Some(rejection) = cycle.filter_by_volumes(&node, &NodeInfo::default()) else {
            return self.place(cycle, &node, self.last.clone());
        };
        diagnosis.add("", rejection);
        diagnosis.potential.clear(); // no pods are known there
        Decision::Refuse(self.refusal(cycle, &diagnosis))
    }

    /// Looks for pods to preempt.
    fn refusal(&self, cycle: &Cycle<'_>, diagnosis: &Diagnosis<'_>) -> Refusal {
        let preemption = preempt(cycle, diagnosis, &self.cache, &self.budgets);
        Refusal::Unfit(diagnosis.message(&preemption), preemption)
    }

    fn place(&self, cycle: &Cycle<'_>, node: &Node, last: String) -> Decision {
        let (name, address, volumes) = (node.name.clone(), node.address.clone(), cycle.pod_volumes(node));
        Decision::Place { assignment: Assignment { node: name, address, volumes }, last }
    }

    /// Upstream: `evaluateNominatedNode`.
    fn nominated_that_fits(&self, cycle: &Cycle<'_>) -> Option<&Node> {
        let (node, info) = self.cache.node(cycle.nominated_node()?)?;
        cycle.filter_with_nominated(node, info).is_none().then_some(node)
    }

    /// Finds the node with the fewest pods of those where the pod fits, and the first by name among equals. Upstream
    /// scores the nodes by more than that.
    fn find<'a>(&'a self, cycle: &Cycle<'a>, diagnosis: &mut Diagnosis<'a>) -> Option<Decision> {
        let (mut best, mut feasible, mut last) = (None, 0, String::new());
        for (name, info) in self.cache.nodes_behind(&self.last) {
            let Some(node) = &info.node else { continue };
            if let Some(rejection) = cycle.filter_with_nominated(node, info) {
                diagnosis.add(name, rejection);
                continue;
            }
            let rank = (info.pod_count(), name, node);
            best = best.filter(|(count, first, _)| (*count, *first) < (rank.0, rank.1)).or(Some(rank));
            feasible += 1;
            if feasible == MOST_FEASIBLE {
                last.clone_from(name);
                break;
            }
        }
        let (_, _, node) = best?;
        Some(self.place(cycle, node, last))
    }

    /// Nominates a node if pods are to be preempted there. Upstream: `handleSchedulingFailure`.
    fn refuse(&mut self, pending: &Pending, refusal: Refusal) -> Unfit {
        let Refusal::Unfit(message, preemption) = refusal else {
            self.nominate(pending, None);
            return Unfit::no_nodes();
        };
        let mut victims = Vec::new();
        match preemption {
            Preemption::NotEligible(_) => {}
            Preemption::Unhelpful(_) => self.nominate(pending, None),
            Preemption::Nominated(candidate) => {
                victims =
                    candidate.victims.iter().filter(|pod| !pod.is_terminating).map(|pod| Victim::of(pod)).collect();
                self.preemptors.add(&pending.info.uid, victims.iter().map(|victim| victim.uid.clone()));
                self.nominate(pending, Some(candidate));
            }
        }
        let nominated_node = self.nominator.node_of(&pending.uid).map(Into::into);
        Unfit { message: message.into(), nominated_node, victims: victims.into() }
    }

    /// Nominates the node of a candidate, or none. Pods of a lower priority lose this node, because they may no longer
    /// fit there. Upstream: `getLowerPriorityNominatedPods`.
    fn nominate(&mut self, pending: &Pending, candidate: Option<Candidate>) {
        let uid = &pending.uid;
        self.nominator.remove(uid);
        self.queue.set_nomination(uid, candidate.as_ref().map_or(Nomination::None, |_| Nomination::Made));
        let Some(Candidate { node, .. }) = candidate else { return };
        let is_lower = |priority: i64| priority < pending.info.priority;
        let lower: Vec<_> = self.nominator.pods_for(&node).filter(|pod| is_lower(pod.priority)).cloned().collect();
        for pod in lower {
            self.nominator.remove(&pod.uid);
            self.queue.set_nomination(&pod.uid, Nomination::None);
            self.displaced.push(pod.uid.clone());
        }
        self.nominator.set(&node, pending.info.clone());
    }
}
