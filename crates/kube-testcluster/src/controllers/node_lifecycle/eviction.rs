//! Gives nodes in trouble the `NoExecute` taints by which the taint eviction controller evicts their pods. Upstream:
//! `doNoExecuteTaintingPass`.

use tokio::time::Instant;

use super::taints::{self, Pods};
use super::{Housekeeping, WorkItem};
use crate::controllers::housekeeping::is_gone_or_changed;
use crate::http::status::ApiError;
use crate::store::Store;

/// Looks at all nodes.
pub(crate) async fn taint_no_execute(store: &Store, housekeeping: &Housekeeping) -> Result<(), ApiError> {
    let health = housekeeping.node_health();
    let Some(nodes) = health.candidates() else { return Ok(()) };
    let plan = health.zones().plan(nodes, Instant::now());
    if plan.recovers {
        health.probe_all();
    }
    if let Some(delay) = plan.again_after {
        housekeeping.add(WorkItem::TaintNoExecuteLater(delay));
    }
    let (evicted, spared) = (plan.evicted.iter(), plan.spared.iter());
    let all = evicted.map(|node| (node, Pods::Evicted)).chain(spared.map(|node| (node, Pods::Spared)));
    for (node, pods) in all {
        match taints::set_no_execute(store, node, pods).await {
            Err(error) if !is_gone_or_changed(&error) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
