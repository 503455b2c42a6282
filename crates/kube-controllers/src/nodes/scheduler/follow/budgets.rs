//! Takes over the PodDisruptionBudgets. They do not decide whether a pod fits, so no waiting pod is tried again.

use kube_client::api::DynamicObject;
use kube_machinery::kinds::{POD_DISRUPTION_BUDGETS, Resource};

use super::{Change, Follow};
use crate::nodes::scheduler::Scheduler;

pub(in crate::nodes::scheduler) struct FollowBudgets(pub(in crate::nodes::scheduler) Scheduler);

impl Follow for FollowBudgets {
    const RESOURCE: &'static Resource = POD_DISRUPTION_BUDGETS;

    fn replace(&self, list: &[DynamicObject]) {
        self.0.lock().budgets.replace(list);
    }

    fn change(&self, changes: &[Change]) {
        let mut state = self.0.lock();
        for change in changes {
            match change {
                Change::Written(budget) => state.budgets.set(budget),
                Change::Removed(budget) => state.budgets.remove(budget),
            }
        }
    }
}
