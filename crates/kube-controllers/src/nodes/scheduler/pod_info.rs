//! The scheduler's view of a pod: the resources and ports that the pod takes from its node. Upstream: `PodInfo`.

use crate::nodes::items::items;
use kube_machinery::kinds::pod_requests;
use kube_machinery::value::{SmolStr, Value};

/// The parts of a pod that count on its node.
#[derive(Debug, Default)]
pub(super) struct PodInfo {
    /// Rises with each change of the pod's spec.
    generation: i64,
    /// The resources by name, in the units of [`pod_requests`].
    pub(super) requests: Box<[(SmolStr, i64)]>,
    pub(super) ports: Box<[HostPort]>,
}

/// A port of the node that a container takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct HostPort {
    ip: SmolStr,
    protocol: SmolStr,
    number: i64,
}

/// The address that stands for all addresses of a node.
const ALL_ADDRESSES: &str = "0.0.0.0";

impl PodInfo {
    pub(super) fn of(pod: &Value) -> Self {
        let spec = &pod["spec"];
        let requests = pod_requests(spec).into_iter().filter(|(_, amount)| *amount > 0);
        Self {
            generation: generation(pod),
            requests: requests.map(|(name, amount)| (name.into(), amount)).collect(),
            ports: host_ports(spec).collect(),
        }
    }

    /// Returns true if the pod requests the same as before.
    pub(super) fn is_current(&self, pod: &Value) -> bool {
        self.generation == generation(pod)
    }
}

impl HostPort {
    /// Returns true if a node cannot give both ports. Upstream: `HostPortInfo.CheckConflict`.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        let same_address = self.ip == other.ip || self.ip == ALL_ADDRESSES || other.ip == ALL_ADDRESSES;
        self.number == other.number && self.protocol == other.protocol && same_address
    }
}

fn generation(pod: &Value) -> i64 {
    pod["metadata"]["generation"].as_i64().unwrap_or_default()
}

/// Returns the host ports of the containers and sidecars. Upstream: `GetHostPorts`.
fn host_ports(spec: &Value) -> impl Iterator<Item = HostPort> {
    let sidecars = items(&spec["initContainers"]).iter().filter(|container| container["restartPolicy"] == "Always");
    let containers = items(&spec["containers"]).iter().chain(sidecars);
    containers.flat_map(|container| items(&container["ports"])).filter_map(|port| {
        let number = port["hostPort"].as_i64().filter(|number| *number > 0)?;
        let text =
            |field: &str, default: &str| port[field].as_str().filter(|text| !text.is_empty()).unwrap_or(default).into();
        Some(HostPort { ip: text("hostIP", ALL_ADDRESSES), protocol: text("protocol", "TCP"), number })
    })
}
