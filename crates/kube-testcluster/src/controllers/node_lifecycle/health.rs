//! The last heartbeats of all nodes, as the controller has seen them. Upstream: `nodeHealthMap`, `tryUpdateNodeHealth`.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::Ready;
use super::zones::Zones;
use kube_controllers::nodes::node::is_silent;
use kube_machinery::conventions::conditions;
use kube_machinery::value::Value;

/// The time between two looks at a node. Upstream: `--node-monitor-period`.
pub(crate) const MONITOR_PERIOD: Duration = Duration::from_secs(5);

/// The time after its last heartbeat when a node counts as unreachable. Upstream: `--node-monitor-grace-period`.
const GRACE_PERIOD: Duration = Duration::from_secs(50);

/// The health of all nodes, and the zones that they are in.
#[derive(Debug, Default)]
pub(crate) struct NodeHealth {
    /// By name. A node that was never written has no entry.
    nodes: Mutex<BTreeMap<String, Health>>,
    zones: Mutex<Zones>,
}

/// The health of one node.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Health {
    /// `renewTime` of the Lease.
    renewed: Option<String>,
    /// `lastHeartbeatTime` of the condition `Ready`.
    reported: Option<String>,
    /// Whether the Lease was renewed since the controller knows the node. Upstream watches every node; here, the
    /// kubelets may send no heartbeats at all.
    renews: bool,
    was_silent: bool,
    /// When the controller saw the last heartbeat.
    probed: Instant,
    ready: Option<Ready>,
}

/// What is to be done about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contact {
    /// The node has heartbeats, or has just fallen silent.
    Alive,
    Lost,
    /// The node sends no heartbeats, and is not silent on demand.
    Unmonitored,
}

impl Health {
    /// Returns true if the controller looks at the node at intervals.
    pub(super) fn is_monitored(&self, is_silent: bool) -> bool {
        self.renews || is_silent
    }
}

impl NodeHealth {
    /// Takes over a node and the `renewTime` of its Lease.
    pub(super) fn observe(&self, node: &Value, renewed: Option<&str>) -> Health {
        let name = node["metadata"]["name"].as_str().unwrap_or_default();
        let reported = conditions::find(node, "Ready").and_then(|ready| ready["lastHeartbeatTime"].as_str());
        let is_silent = is_silent(node);
        let (renewed, reported, now) =
            (renewed.map(ToOwned::to_owned), reported.map(ToOwned::to_owned), Instant::now());
        let mut nodes = self.lock();
        let health = nodes.entry(name.to_owned()).or_insert_with(|| Health {
            renewed: renewed.clone(),
            reported: reported.clone(),
            renews: false,
            was_silent: false,
            probed: now,
            ready: None,
        });
        let is_renewed = health.renewed.is_some() && renewed > health.renewed;
        // A node without heartbeats has worked until it falls silent.
        let falls_silent = is_silent && !health.was_silent && !health.renews;
        if is_renewed || falls_silent || reported != health.reported {
            health.probed = now;
        }
        (health.renewed, health.reported, health.was_silent) = (renewed, reported, is_silent);
        health.renews |= is_renewed;
        health.clone()
    }

    /// Returns true if the condition `Ready` of a node is not what it was when this was called before.
    pub(super) fn ready_has_changed(&self, name: &str, ready: Ready) -> bool {
        let mut nodes = self.lock();
        nodes.get_mut(name).is_some_and(|health| health.ready.replace(ready) != Some(ready))
    }

    pub(super) fn contact(&self, name: &str, is_silent: bool) -> Contact {
        match self.lock().get(name) {
            Some(health) if !health.is_monitored(is_silent) => Contact::Unmonitored,
            Some(health) if health.probed.elapsed() > GRACE_PERIOD => Contact::Lost,
            Some(_) => Contact::Alive,
            None => Contact::Unmonitored,
        }
    }

    /// Counts the grace period of all nodes anew.
    pub(super) fn probe_all(&self) {
        let now = Instant::now();
        self.lock().values_mut().for_each(|health| health.probed = now);
    }

    pub(super) fn forget(&self, name: &str) {
        self.lock().remove(name);
    }

    pub(super) fn zones(&self) -> MutexGuard<'_, Zones> {
        self.zones.lock().expect("nothing panics under this lock")
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Health>> {
        self.nodes.lock().expect("nothing panics under this lock")
    }
}
