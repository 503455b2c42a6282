//! Decides which nodes in trouble get a `NoExecute` taint, which evicts their pods: one node of a zone every ten
//! seconds, none in a zone most of whose nodes are in trouble, and none at all while no node works, because then the
//! fault is probably that of the network. Upstream: `handleDisruption`, `zoneNoExecuteTainter`.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use super::Ready;
use super::taints::{NOT_READY, UNREACHABLE};
use kube_machinery::conventions::conditions;
use kube_machinery::value::{Array, Value};

/// The time between two evictions in a zone. Upstream: `--node-eviction-rate`.
const BETWEEN_EVICTIONS: Duration = Duration::from_secs(10);
/// The same in a large zone most of whose nodes are in trouble. Upstream: `--secondary-node-eviction-rate`.
const BETWEEN_SECONDARY_EVICTIONS: Duration = Duration::from_secs(100);
/// Upstream: `--large-cluster-size-threshold`.
const LARGE: usize = 50;

/// The nodes of this label do not decide whether a zone works.
const EXCLUDED: &str = "node.kubernetes.io/exclude-disruption";

/// A zone: its region and its name. Upstream: `GetZoneKey`.
type Zone = (String, String);

/// The memory of the controller about the zones.
#[derive(Debug, Default)]
pub(super) struct Zones {
    /// When a node of the zone got its taint last.
    evicted: BTreeMap<Zone, Instant>,
    /// Whether no node worked at the last look.
    is_fully_disrupted: bool,
}

/// A node, as far as this file needs it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Candidate {
    name: String,
    zone: Zone,
    counts: bool,
    ready: Ready,
    /// When the node got into trouble.
    since: String,
    has_not_ready: bool,
    has_unreachable: bool,
}

/// The change of the zones at one look.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Plan {
    /// The nodes that get a `NoExecute` taint.
    pub(super) evicted: Vec<String>,
    /// The nodes that lose theirs, because no node works.
    pub(super) spared: Vec<String>,
    /// True if a node works again, after none did.
    pub(super) recovers: bool,
    /// The time after which another node may be evicted.
    pub(super) again_after: Option<Duration>,
}

impl Candidate {
    pub(super) fn of(node: &Value) -> Self {
        let labels = &node["metadata"]["labels"];
        let label =
            |names: [&str; 2]| names.iter().find_map(|name| labels[*name].as_str()).unwrap_or_default().to_owned();
        let region = label(["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"]);
        let zone = label(["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"]);
        let taints = node["spec"]["taints"].as_array().map_or(&[][..], Array::as_slice);
        let has = |key: &str| taints.iter().any(|taint| taint["key"] == key && taint["effect"] == "NoExecute");
        let ready = conditions::find(node, "Ready");
        let since = ready.and_then(|ready| ready["lastTransitionTime"].as_str()).unwrap_or_default();
        Self {
            name: node["metadata"]["name"].as_str().unwrap_or_default().to_owned(),
            zone: (region, zone),
            counts: labels[EXCLUDED].is_null(),
            ready: Ready::of(node),
            since: since.to_owned(),
            has_not_ready: has(NOT_READY),
            has_unreachable: has(UNREACHABLE),
        }
    }

    /// Returns true if the node lacks the taint of its condition.
    fn lacks_its_taint(&self) -> bool {
        match self.ready {
            Ready::No => !self.has_not_ready,
            Ready::Unknown => !self.has_unreachable,
            Ready::Yes | Ready::Never => false,
        }
    }

    /// Returns true if the node works, and has no taint that evicts its pods.
    pub(super) fn is_calm(&self) -> bool {
        self.ready == Ready::Yes && !self.has_any_taint()
    }

    fn has_any_taint(&self) -> bool {
        self.has_not_ready || self.has_unreachable
    }
}

impl Zones {
    /// Returns true if no node worked at the last look.
    pub(super) fn is_fully_disrupted(&self) -> bool {
        self.is_fully_disrupted
    }

    /// Decides about all nodes.
    pub(super) fn plan(&mut self, mut nodes: Vec<Candidate>, now: Instant) -> Plan {
        let mut plan = Plan::default();
        let counted = || nodes.iter().filter(|node| node.counts);
        let none_works = counted().next().is_some() && counted().all(|node| node.ready != Ready::Yes);
        let none_worked = std::mem::replace(&mut self.is_fully_disrupted, none_works);
        if none_works {
            if !none_worked {
                plan.spared = nodes.into_iter().filter(Candidate::has_any_taint).map(|node| node.name).collect();
            }
            return plan;
        }
        plan.recovers = none_worked;
        let rates = rates(&nodes);
        nodes.retain(Candidate::lacks_its_taint);
        nodes.sort_by(|a, b| (&a.since, &a.name).cmp(&(&b.since, &b.name)));
        for node in nodes {
            // The taint of the other condition has evicted the pods already.
            if node.has_any_taint() {
                plan.evicted.push(node.name);
                continue;
            }
            let Some(between) = rates.get(&node.zone).copied().flatten() else { continue };
            let rest = self.evicted.get(&node.zone).and_then(|last| (*last + between).checked_duration_since(now));
            match rest.filter(|rest| !rest.is_zero()) {
                Some(rest) => plan.again_after = Some(plan.again_after.map_or(rest, |other| other.min(rest))),
                None => {
                    self.evicted.insert(node.zone, now);
                    plan.evicted.push(node.name);
                }
            }
        }
        self.evicted.retain(|zone, _| rates.contains_key(zone));
        plan
    }
}

/// Returns the time between two evictions in each zone; `None` for a zone without evictions. Upstream:
/// `ComputeZoneState`.
fn rates(nodes: &[Candidate]) -> BTreeMap<Zone, Option<Duration>> {
    let mut sizes: BTreeMap<Zone, (usize, usize)> = BTreeMap::new();
    for node in nodes {
        let (all, troubled) = sizes.entry(node.zone.clone()).or_default();
        *all += usize::from(node.counts);
        *troubled += usize::from(node.counts && node.ready != Ready::Yes);
    }
    let rate = |(all, troubled): (usize, usize)| {
        // `--unhealthy-zone-threshold` is 0.55.
        let is_partial = troubled > 2 && troubled < all && troubled * 100 >= all * 55;
        match (is_partial, all > LARGE) {
            (false, _) => Some(BETWEEN_EVICTIONS),
            (true, true) => Some(BETWEEN_SECONDARY_EVICTIONS),
            (true, false) => None,
        }
    };
    sizes.into_iter().map(|(zone, size)| (zone, rate(size))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kube_machinery::value::json;

    /// Returns nodes of one zone with these statuses of their conditions `Ready`, and with these `NoExecute` taints.
    fn nodes(zone: &str, nodes: &[(&str, &str)]) -> Vec<Candidate> {
        let node = |(n, (status, taint)): (usize, &(&str, &str))| {
            Candidate::of(&json!({
                "metadata": {"name": format!("{zone}{n}"), "labels": {"topology.kubernetes.io/zone": zone}},
                "spec": {"taints": [{"key": taint, "effect": "NoExecute"}]},
                "status": {"conditions": [{"type": "Ready", "status": status}]},
            }))
        };
        nodes.iter().enumerate().map(node).collect()
    }

    const WORKS: (&str, &str) = ("True", "");
    const SILENT: (&str, &str) = ("Unknown", "");

    #[tokio::test(start_paused = true)]
    async fn one_node_of_each_zone_is_evicted_every_ten_seconds() {
        let (mut zones, start) = (Zones::default(), Instant::now());
        let mut all = nodes("a", &[SILENT, SILENT, WORKS, WORKS]);
        all.extend(nodes("b", &[WORKS, SILENT]));
        let plan = zones.plan(all.clone(), start);
        assert_eq!((plan.evicted, plan.again_after), (vec!["a0".into(), "b1".into()], Some(BETWEEN_EVICTIONS)));
        (all[0].has_unreachable, all[5].has_unreachable) = (true, true);
        let plan = zones.plan(all.clone(), start + Duration::from_secs(4));
        assert_eq!((plan.evicted, plan.again_after), (vec![], Some(Duration::from_secs(6))));
        let plan = zones.plan(all, start + BETWEEN_EVICTIONS);
        assert_eq!((plan.evicted, plan.again_after), (vec!["a1".into()], None));
    }

    #[tokio::test(start_paused = true)]
    async fn a_zone_most_of_whose_nodes_are_in_trouble_is_spared_unless_all_are() {
        let (mut zones, now) = (Zones::default(), Instant::now());
        let mut all = nodes("a", &[SILENT, SILENT, SILENT, WORKS]);
        all.extend(nodes("b", &[WORKS]));
        assert_eq!(zones.plan(all.clone(), now), Plan::default());
        all[3].ready = Ready::No;
        assert_eq!(zones.plan(all, now).evicted, ["a0"]);
    }

    #[tokio::test(start_paused = true)]
    async fn if_no_node_works_no_pod_is_evicted() {
        let (mut zones, now) = (Zones::default(), Instant::now());
        let mut all = nodes("a", &[("Unknown", UNREACHABLE), SILENT]);
        assert_eq!(zones.plan(all.clone(), now).spared, ["a0"]);
        assert_eq!(zones.plan(all.clone(), now), Plan::default());
        all[0] = nodes("a", &[WORKS]).remove(0);
        let plan = zones.plan(all, now);
        assert_eq!((plan.recovers, plan.evicted), (true, vec!["a1".into()]));
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_is_unreachable_after_it_was_not_ready_gets_the_other_taint_at_once() {
        let (mut zones, now) = (Zones::default(), Instant::now());
        let not_ready = ("Unknown", NOT_READY);
        let all = nodes("a", &[SILENT, not_ready, WORKS, WORKS]);
        assert_eq!(zones.plan(all, now).evicted, ["a0", "a1"]);
    }
}
