//! The Lease of a node, by whose renewals its kubelet shows that it works. Upstream:
//! `k8s.io/component-helpers/apimachinery/lease`.

use std::time::Duration;

use crate::clock::Clock;
use crate::nodes::requests::ObjectRef;
use kube_machinery::kinds::LEASES;
use kube_machinery::value::{Value, json};

/// The namespace of the Leases of nodes. Upstream: `NamespaceNodeLease`.
pub const NAMESPACE: &str = "kube-node-lease";

/// In seconds. Upstream: `NodeLeaseDurationSeconds`.
const DURATION: u64 = 40;

/// The time between two renewals. Upstream: `nodeLeaseRenewIntervalFraction`.
pub(super) const RENEW_INTERVAL: Duration = Duration::from_secs(DURATION / 4);

/// Returns the Lease of a node, renewed now.
pub fn lease(node: &Value, clock: Clock) -> Value {
    let metadata = &node["metadata"];
    let owner = json!({"apiVersion": "v1", "kind": "Node", "name": metadata["name"], "uid": metadata["uid"]});
    let mut lease = json!({
        "metadata": {"name": metadata["name"], "namespace": NAMESPACE, "ownerReferences": [owner]},
        "spec": renewed(clock)["spec"],
    });
    lease["spec"]["holderIdentity"] = metadata["name"].clone();
    lease
}

/// Returns the merge patch that renews a Lease.
pub(super) fn renewed(clock: Clock) -> Value {
    json!({"spec": {"leaseDurationSeconds": DURATION, "renewTime": clock.now_micro()}})
}

pub(super) fn reference(node: &str) -> ObjectRef {
    ObjectRef { resource: LEASES, namespace: NAMESPACE.to_owned(), name: node.to_owned() }
}
