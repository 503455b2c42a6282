//! The node lifecycle controller: notices when the kubelet of a node falls silent, marks the node's pods as not ready,
//! and gives nodes the taints that their conditions ask for. Each write of a node or of its Lease queues this.
//! Upstream: `pkg/controller/nodelifecycle`.

mod eviction;
mod health;
mod lost_contact;
mod taints;
mod zones;

pub(crate) use self::eviction::taint_no_execute;
pub(crate) use self::health::{MONITOR_PERIOD, NodeHealth};
pub(crate) use self::lost_contact::monitor;

use super::housekeeping::{Housekeeping, WorkItem};
use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::object::Key;
use kube_controllers::nodes::node_lease;
use kube_machinery::conventions::conditions;
use kube_machinery::kinds::{LEASES, NODES};
use kube_machinery::value::Value;

/// Handles a write of a node or of its Lease, or the removal of the node.
pub(crate) async fn sync(store: &Store, housekeeping: &Housekeeping, name: &str) -> Result<(), ApiError> {
    let health = housekeeping.node_health();
    let Some(node) = store.get(NODES, &Key::new(None, name)) else {
        if health.forget(name) {
            housekeeping.add(WorkItem::TaintNoExecute);
        }
        return Ok(());
    };
    let node = node.open()?;
    taints::sync(store, name).await?;
    let lease = store.get(LEASES, &Key::new(Some(node_lease::NAMESPACE), name));
    let lease = lease.map(|lease| lease.open()).transpose()?;
    let renewed = lease.as_ref().and_then(|lease| lease.value["spec"]["renewTime"].as_str());
    let observed = health.observe(&node.value, renewed);
    if observed.is_monitored {
        housekeeping.add(WorkItem::MonitorNodeLater(name.to_owned()));
    }
    if observed.is_changed {
        housekeeping.add(WorkItem::TaintNoExecute);
    }
    Ok(())
}

/// What the condition `Ready` of a node says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ready {
    Yes,
    No,
    Unknown,
    /// The kubelet has never reported.
    Never,
}

impl Ready {
    fn of(node: &Value) -> Self {
        match conditions::find(node, "Ready").and_then(|ready| ready["status"].as_str()) {
            Some("True") => Self::Yes,
            Some("Unknown") => Self::Unknown,
            Some(_) => Self::No,
            None => Self::Never,
        }
    }
}
