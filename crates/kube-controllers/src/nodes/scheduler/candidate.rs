//! A node where a pod fits once some pods have ended there, and the choice between such nodes.

use std::cmp::Reverse;
use std::sync::Arc;

use super::pod_info::{PodInfo, StartTime};

/// Upstream: `Candidate`.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) node: String,
    /// The pods that end, the most important first. There is at least one.
    pub(super) victims: Vec<Arc<PodInfo>>,
    /// The number of victims whose end violates a budget.
    pub(super) violations: usize,
}

impl Candidate {
    /// Chooses the node where the preemption does the least harm. Upstream: `pickOneNodeForPreemption`.
    pub(super) fn pick(candidates: Vec<Self>) -> Option<Self> {
        candidates.into_iter().min_by(|one, other| one.harm().cmp(&other.harm()))
    }

    /// Compares candidates by the number of violated budgets, the highest priority, the sum of priorities, the number of
    /// victims, and then by how long the most important victims have run. The name decides between equals.
    fn harm(&self) -> impl Ord {
        let highest = self.victims.iter().map(|victim| victim.priority).max();
        // As upstream, every priority counts as positive, so that two pods do more harm than one.
        let sum: i64 = self.victims.iter().map(|victim| victim.priority + (1 << 31)).sum();
        let most_important = self.victims.iter().filter(|victim| Some(victim.priority) == highest);
        let earliest: Option<&StartTime> = most_important.map(|victim| &victim.start_time).min();
        (self.violations, highest, sum, self.victims.len(), Reverse(earliest.cloned()), self.node.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::scheduler::testing::pod;
    use kube_machinery::value::json;

    /// Returns a pod of a priority that started at a second of a minute.
    fn victim(priority: i64, second: u32) -> Arc<PodInfo> {
        let mut pod = pod("victim", json!({}), json!({"priority": priority}));
        pod["status"] = json!({"startTime": format!("2026-01-01T00:00:{second:02}Z")});
        Arc::new(PodInfo::of(&pod))
    }

    fn candidate(node: &str, violations: usize, victims: &[(i64, u32)]) -> Candidate {
        let victims = victims.iter().map(|(priority, second)| victim(*priority, *second)).collect();
        Candidate { node: node.to_owned(), victims, violations }
    }

    /// The cases are among those of `TestPickOneNodeForPreemption`.
    #[test]
    fn the_node_with_the_least_harm_is_picked() {
        for (why, candidates, expected) in [
            ("fewer violations", [(1, &[(0, 1)][..]), (0, &[(100, 1), (100, 1)])], "b"),
            ("a lower highest priority", [(0, &[(100, 1), (0, 1)]), (0, &[(50, 1), (50, 1), (50, 1)])], "b"),
            ("a smaller sum", [(0, &[(100, 1), (50, 1)]), (0, &[(100, 1), (0, 1)])], "b"),
            ("fewer pods of negative priority", [(0, &[(-100, 1), (-100, 1)]), (0, &[(-100, 1)])], "b"),
            ("fewer pods", [(0, &[(100, 1), (-100, 1), (-100, 1)]), (0, &[(100, 1), (0, 1)])], "b"),
            ("a later start", [(0, &[(100, 1), (100, 9)]), (0, &[(100, 5), (100, 6)])], "b"),
            ("the start of the most important", [(0, &[(100, 1), (0, 9)]), (0, &[(100, 5), (0, 0)])], "b"),
            ("the first name among equals", [(0, &[(0, 1)]), (0, &[(0, 1)])], "a"),
        ] {
            let [(first, ones), (second, others)] = candidates;
            let picked = Candidate::pick(vec![candidate("b", second, others), candidate("a", first, ones)]).unwrap();
            assert_eq!(picked.node, expected, "{why}");
        }
    }
}
