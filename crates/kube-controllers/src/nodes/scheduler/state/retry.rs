//! After a change, tries again to schedule the waiting pods that may fit now.

use std::sync::Arc;

use super::State;
use crate::nodes::scheduler::cycle::Cycle;
use crate::nodes::scheduler::pod_info::PodInfo;
use crate::nodes::scheduler::preemption::can_preempt_on;
use crate::nodes::scheduler::queue::{Group, Outcome, Pending};

impl State {
    /// Tries to schedule all pods that wait, after a change of nodes or namespaces.
    pub(in crate::nodes::scheduler) fn retry_all(&mut self) {
        let placed = self.retry(|_, _| true);
        self.retry_dependents(placed);
    }

    /// Tries to schedule the pods that may fit on a node where something was freed, and the pods that
    /// [depend](PodInfo::depends_on) on one of `pods`: a rule, such as an anti-affinity, relates the two.
    pub(super) fn retry_on(&mut self, node: &str, pods: Vec<Arc<PodInfo>>) {
        let placed = self.retry(|state, pending| state.depends(pending, &pods) || state.may_fit_on(node, pending));
        self.retry_dependents(placed);
    }

    /// Tries to schedule the pods that depend on one of `pods`, and the pods that have lost their nominated node.
    /// Repeats this with the pods that were scheduled, until there are none.
    pub(super) fn retry_dependents(&mut self, mut pods: Vec<Arc<PodInfo>>) {
        while !(pods.is_empty() && self.displaced.is_empty()) {
            let displaced = std::mem::take(&mut self.displaced);
            pods = self.retry(|state, pending| displaced.contains(&pending.info.uid) || state.depends(pending, &pods));
        }
    }

    fn depends(&self, pending: &Pending, pods: &[Arc<PodInfo>]) -> bool {
        pods.iter().any(|pod| pending.info.depends_on(pod, &self.cache.namespaces))
    }

    /// Returns true if the pod fits on the node, or would fit once pods of a lower priority have ended there.
    fn may_fit_on(&self, name: &str, pending: &Pending) -> bool {
        let Some((node, info)) = self.cache.node(name) else { return false };
        let cycle = Cycle::begin(pending, &self.cache, &self.nominator);
        if cycle.refusal().is_some() {
            return false;
        }
        match cycle.filter_with_nominated(node, info) {
            None => true,
            Some(rejection) => rejection.is_resolvable && can_preempt_on(&cycle, node, info, &self.budgets),
        }
    }

    /// Tries to schedule the pods that may fit, in the order of the queue. A group is left once one of its pods does
    /// not fit and preempts no pod, because the others would do neither. Returns the pods that were scheduled.
    pub(super) fn retry(&mut self, may_fit: impl Fn(&Self, &Pending) -> bool) -> Vec<Arc<PodInfo>> {
        let mut placed = Vec::new();
        let mut groups = self.queue.groups();
        while let Some((_, group)) = groups.pop_first() {
            let Some((_, pending)) = self.queue.first_of(&group) else { continue };
            let pending = pending.clone();
            if !may_fit(self, &pending) || self.preemptors.postpones(&pending.uid) {
                continue;
            }
            let outcome = self.schedule_one(&pending);
            let is_nominated = self.nominator.node_of(&pending.uid).is_some();
            let is_over = outcome.is_err() && !is_nominated;
            placed.extend(outcome.iter().map(|_| pending.info.clone()));
            self.report(&pending.uid, outcome.clone());
            if is_over {
                self.report_to_group(&group, &outcome);
                continue;
            }
            if let Some((rank, _)) = self.queue.first_of(&group).filter(|(_, first)| first.uid != pending.uid) {
                groups.insert(rank, group);
            }
        }
        placed
    }

    fn report_to_group(&mut self, group: &Group, outcome: &Outcome) {
        for uid in self.queue.uids_of(group) {
            self.report(&uid, outcome.clone());
        }
    }

    /// Sends an outcome to the task of a waiting pod, unless it equals the last one. The task then has work to do.
    pub(super) fn report(&mut self, uid: &str, outcome: Outcome) {
        let Some(waiting) = self.queue.get_mut(uid) else { return };
        let is_scheduled = outcome.is_ok();
        if *waiting.outcome.borrow() != outcome {
            waiting.resting = None;
            drop(waiting.outcome.send_replace(outcome));
        }
        if is_scheduled {
            self.leave_queue(uid);
        }
    }
}
