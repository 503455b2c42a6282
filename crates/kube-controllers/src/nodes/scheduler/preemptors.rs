//! The waiting pods whose victims have not begun to end. Until they have, such a pod is not tried again, because it
//! would preempt others. Upstream: `Executor.preempting` and `PreEnqueue`.

use std::collections::{BTreeMap, BTreeSet};

use kube_machinery::value::SmolStr;

#[derive(Default)]
pub(super) struct Preemptors(BTreeMap<SmolStr, Preempting>);

struct Preempting {
    victims: BTreeSet<SmolStr>,
    /// Whether the pod would have been tried in the meantime.
    is_due: bool,
}

impl Preemptors {
    pub(super) fn add(&mut self, uid: &SmolStr, victims: impl Iterator<Item = SmolStr>) {
        let victims: BTreeSet<SmolStr> = victims.collect();
        if !victims.is_empty() {
            self.0.insert(uid.clone(), Preempting { victims, is_due: false });
        }
    }

    pub(super) fn remove(&mut self, uid: &str) {
        self.0.remove(uid);
    }

    /// Returns true if the pod must not be tried now. It is tried later instead.
    pub(super) fn postpones(&mut self, uid: &str) -> bool {
        self.0.get_mut(uid).map(|preempting| preempting.is_due = true).is_some()
    }

    /// Takes note that a pod ends. Returns the pods that are to be tried now.
    pub(super) fn victim_ends(&mut self, victim: &str) -> Vec<SmolStr> {
        for preempting in self.0.values_mut() {
            preempting.victims.remove(victim);
        }
        let is_ready = |preempting: &Preempting| preempting.victims.is_empty();
        let due = self.0.iter().filter(|(_, preempting)| is_ready(preempting) && preempting.is_due);
        let due = due.map(|(uid, _)| uid.clone()).collect();
        self.0.retain(|_, preempting| !is_ready(preempting));
        due
    }
}
