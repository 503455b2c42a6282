//! The last heartbeats of all nodes, as the controller has seen them. Upstream: `nodeHealthMap`, `tryUpdateNodeHealth`.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use super::zones::{Candidate, Zones};
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
#[derive(Debug)]
struct Health {
    uid: String,
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
    /// The facts that decide about the eviction of the node's pods.
    candidate: Candidate,
}

/// The result of a look at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    /// True if the controller looks at the node at intervals.
    pub(super) is_monitored: bool,
    /// True if the node is new, or if something has changed that decides about evictions.
    pub(super) is_changed: bool,
}

/// The contact of the controller with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contact {
    /// The node has heartbeats, or has just fallen silent.
    Alive,
    Lost,
    /// The node sends no heartbeats, and is not silent on demand.
    Unmonitored,
}

impl Health {
    fn is_monitored(&self, is_silent: bool) -> bool {
        self.renews || is_silent
    }
}

impl NodeHealth {
    /// Takes over a node and the `renewTime` of its Lease.
    pub(super) fn observe(&self, node: &Value, renewed: Option<&str>) -> Observed {
        let uid = node["metadata"]["uid"].as_str().unwrap_or_default();
        let name = node["metadata"]["name"].as_str().unwrap_or_default();
        let reported = conditions::find(node, "Ready").and_then(|ready| ready["lastHeartbeatTime"].as_str());
        let is_silent = is_silent(node);
        let (renewed, reported, now) =
            (renewed.map(ToOwned::to_owned), reported.map(ToOwned::to_owned), Instant::now());
        let (candidate, mut nodes) = (Candidate::of(node), self.lock());
        let is_new = nodes.get(name).is_none_or(|health| health.uid != uid);
        if is_new {
            nodes.remove(name);
        }
        let health = nodes.entry(name.to_owned()).or_insert_with(|| Health {
            uid: uid.to_owned(),
            renewed: renewed.clone(),
            reported: reported.clone(),
            renews: false,
            was_silent: false,
            probed: now,
            candidate: candidate.clone(),
        });
        let is_renewed = health.renewed.is_some() && renewed > health.renewed;
        // A node without heartbeats has worked until it falls silent.
        let falls_silent = is_silent && !health.was_silent && !health.renews;
        if is_renewed || falls_silent || reported != health.reported {
            health.probed = now;
        }
        (health.renewed, health.reported, health.was_silent) = (renewed, reported, is_silent);
        health.renews |= is_renewed;
        let is_changed = is_new || health.candidate != candidate;
        health.candidate = candidate;
        Observed { is_monitored: health.is_monitored(is_silent), is_changed }
    }

    /// Returns what decides about evictions, of all nodes; `None` if every node works and has no such taint.
    pub(super) fn candidates(&self) -> Option<Vec<Candidate>> {
        let nodes = self.lock();
        let is_calm = !self.zones().is_fully_disrupted() && nodes.values().all(|health| health.candidate.is_calm());
        (!is_calm).then(|| nodes.values().map(|health| health.candidate.clone()).collect())
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

    /// Forgets a node that does not exist any more. Returns true if it was known.
    pub(super) fn forget(&self, name: &str) -> bool {
        self.lock().remove(name).is_some()
    }

    pub(super) fn zones(&self) -> MutexGuard<'_, Zones> {
        self.zones.lock().expect("nothing panics under this lock")
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Health>> {
        self.nodes.lock().expect("nothing panics under this lock")
    }
}
