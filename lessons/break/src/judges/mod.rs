//! The judges: for each program a setting, and what is to be seen in it.
//!
//! No judge reads a program. Each looks at what happened: what the API server was asked, what handlers were told, what changed outside.

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

use crate::journal::What;
use crate::say::Both;
use crate::seen::Seen;
use crate::verdict::Mistake;

/// Three pods without a node: a deletion removes them at once.
const THREE_PODS: &str = "
{metadata: {name: web-1}, spec: {containers: [{name: main, image: nginx}]}}
---
{metadata: {name: web-2}, spec: {containers: [{name: main, image: nginx}]}}
---
{metadata: {name: web-3}, spec: {containers: [{name: main, image: nginx}]}}
";

/// What a load balancer has to do with the pods in the cluster.
struct Backends {
    /// Backends that do not exist, sorted.
    ghosts: Vec<String>,
    /// Pods that are no backends, sorted.
    missing: Vec<String>,
}

impl Backends {
    /// Compares the backends with the pods as `wanted` names them.
    fn of(seen: &Seen, wanted: impl Iterator<Item = String>) -> Self {
        let (backends, wanted) = (seen.backends(), wanted.collect());
        Self {
            ghosts: backends.difference(&wanted).cloned().collect(),
            missing: wanted.difference(&backends).cloned().collect(),
        }
    }

    /// The mistake of a program that leaves out pods: none of the judges waits for it, but a mended program can make it.
    fn complete(&self, seen: &Seen) -> Result<(), Mistake> {
        let missing = self.missing.join(", ");
        if missing.is_empty() {
            return Ok(());
        }
        Err(Mistake {
            sentence: Both::new(
                format!("The load balancer sends no requests to a pod that exists: {missing}."),
                format!("Pod 存在，负载均衡器却不给它发请求：{missing}。"),
            ),
            evidence: seen.excerpt(|what| matches!(what, What::Step(_) | What::Balanced { .. })),
            look: Both::new(
                "An addition and an update both say that the pod exists.",
                "新增和更新都说明这个 Pod 存在。",
            ),
        })
    }
}
