//! The judges: for each exercise, a function that looks in a trial's outcome for the visible effect of the mistake.
//!
//! A judge never reads the program's source, so that any right program passes, in Rust and in Go. It looks at the
//! requests to the API server, the notifications of handlers, and the changes outside the program.

pub mod gap;
pub mod mutate;
pub mod recreated;
pub mod resync;
pub mod shared;
pub mod slow;
pub mod stale;
pub mod sync;
pub mod tombstone;
pub mod updates;

use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// Three pods without a node. Without a kubelet to wait for, a deletion removes them at once.
pub const THREE_PODS: &str = "
{metadata: {name: web-1}, spec: {containers: [{name: main, image: nginx}]}}
---
{metadata: {name: web-2}, spec: {containers: [{name: main, image: nginx}]}}
---
{metadata: {name: web-3}, spec: {containers: [{name: main, image: nginx}]}}
";

/// The difference between the load balancer's backends and the pods in the cluster.
struct Backends {
    /// The backends whose pods do not exist, sorted.
    extra: Vec<String>,
    /// Pods that are not backends, sorted.
    missing: Vec<String>,
}

impl Backends {
    /// Compares the backends at the end of the trial with the names in `wanted`.
    fn of(outcome: &Outcome, wanted: impl Iterator<Item = String>) -> Self {
        let (backends, wanted) = (outcome.backends(), wanted.collect());
        Self {
            extra: backends.difference(&wanted).cloned().collect(),
            missing: wanted.difference(&backends).cloned().collect(),
        }
    }

    /// Returns the mistake of the exercise, which names the extra backends, if there are any.
    ///
    /// Pods that are missing are another mistake: the exercises do not have it, but a learner's correction can introduce
    /// it.
    fn check(&self, outcome: &Outcome, mistake: impl FnOnce(&str) -> Mistake) -> Result<(), Mistake> {
        if !self.extra.is_empty() {
            return Err(mistake(&self.extra.join(", ")));
        }
        let missing = self.missing.join(", ");
        if missing.is_empty() {
            return Ok(());
        }
        Err(Mistake {
            sentence: Words::new(
                format!("The load balancer sends no requests to a pod that exists: {missing}."),
                format!("Pod 存在，负载均衡器却不给它发请求：{missing}。"),
            ),
            evidence: outcome.excerpt(|kind| matches!(kind, EntryKind::Step(_) | EntryKind::Balanced { .. })),
            hint: Words::new(
                "An addition and an update both say that the pod exists.",
                "新增和更新都说明这个 Pod 存在。",
            ),
        })
    }
}
