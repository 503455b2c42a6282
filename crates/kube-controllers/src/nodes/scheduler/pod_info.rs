//! The scheduler's view of a pod: what the pod takes from its node, and what other pods' rules read of it. Upstream:
//! `PodInfo`.

use super::affinity_term::{AffinityTerm, text};
use super::namespaces::Namespaces;
use super::pod_volume::PodVolume;
use super::spread_constraint::SpreadConstraint;
use crate::nodes::items::items;
use kube_machinery::conventions::conditions;
use kube_machinery::kinds::pod_requests;
use kube_machinery::value::{SmolStr, Value};
use kube_selectors::LabelSelector;

/// The parts of a pod that decide where it fits, and where other pods fit beside it.
#[derive(Debug)]
pub(super) struct PodInfo {
    /// Rises with each change of the pod's spec.
    pub(super) generation: i64,
    pub(super) namespace: SmolStr,
    pub(super) name: SmolStr,
    pub(super) uid: SmolStr,
    pub(super) priority: i64,
    pub(super) start_time: StartTime,
    labels: Value,
    /// Whether the pod is being deleted.
    pub(super) is_terminating: bool,
    /// Whether the pod is being deleted because the scheduler preempted it.
    pub(super) is_preempted: bool,
    /// The resources by name, in the units of [`pod_requests`].
    pub(super) requests: Box<[(SmolStr, i64)]>,
    pub(super) ports: Box<[HostPort]>,
    /// The volumes that decide where the pod fits; most pods have none.
    pub(super) volumes: Box<[PodVolume]>,
    /// The required terms of affinity to other pods.
    pub(super) affinity: Box<[AffinityTerm]>,
    /// The required terms of anti-affinity.
    pub(super) anti_affinity: Box<[AffinityTerm]>,
    /// The constraints that forbid an uneven spread.
    pub(super) spread: Box<[SpreadConstraint]>,
}

/// The time at which a pod started, in RFC 3339. Upstream: `GetPodStartTime`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum StartTime {
    At(SmolStr),
    /// A pod that has not started counts as the last one.
    NotYet,
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
            namespace: text(&pod["metadata"]["namespace"]),
            name: text(&pod["metadata"]["name"]),
            uid: text(&pod["metadata"]["uid"]),
            priority: spec["priority"].as_i64().unwrap_or_default(),
            start_time: StartTime::of(pod),
            labels: pod["metadata"]["labels"].clone(),
            is_terminating: is_terminating(pod),
            is_preempted: is_preempted(pod),
            requests: requests.map(|(name, amount)| (name.into(), amount)).collect(),
            ports: host_ports(spec).collect(),
            volumes: PodVolume::of(pod),
            affinity: AffinityTerm::required(pod, "podAffinity"),
            anti_affinity: AffinityTerm::required(pod, "podAntiAffinity"),
            spread: SpreadConstraint::do_not_schedule(pod),
        }
    }

    /// Returns true if a later state of the pod has the same parts.
    pub(super) fn is_current(&self, pod: &Value) -> bool {
        self.generation == generation(pod)
            && self.labels == pod["metadata"]["labels"]
            && self.is_terminating == is_terminating(pod)
            && self.is_preempted == is_preempted(pod)
            && self.start_time == StartTime::of(pod)
    }

    /// Returns true if the pod takes the same from its node as the other one.
    pub(super) fn takes_the_same(&self, other: &Self) -> bool {
        self.requests == other.requests && self.ports == other.ports
    }

    /// Returns true if the rules of other pods see no difference between this pod and the other one.
    pub(super) fn looks_the_same(&self, other: &Self) -> bool {
        self.labels == other.labels && self.is_terminating == other.is_terminating
    }

    pub(super) fn has_labels(&self) -> bool {
        self.labels.as_object().is_some_and(|labels| !labels.is_empty())
    }

    pub(super) fn is_selected_by(&self, selector: &LabelSelector) -> bool {
        selector.matches_values(|key| self.labels[key].as_str())
    }

    /// Returns the key of a claim in the pod's namespace.
    pub(super) fn claim_key(&self, name: &str) -> String {
        format!("{}/{name}", self.namespace)
    }

    /// Returns the keys of the claims in the pod's volumes.
    pub(super) fn claim_keys(&self) -> impl Iterator<Item = String> {
        self.volumes.iter().filter_map(PodVolume::claim).map(|name| self.claim_key(name))
    }

    /// Returns true if the pod has a volume of a claim that is one of the other pod's, too.
    fn shares_a_claim_with(&self, other: &Self) -> bool {
        let mut claims = self.volumes.iter().filter_map(PodVolume::claim);
        self.namespace == other.namespace
            && claims.any(|claim| other.volumes.iter().filter_map(PodVolume::claim).any(|theirs| theirs == claim))
    }

    /// Returns true if the pod has terms of affinity or anti-affinity.
    pub(super) fn has_terms(&self) -> bool {
        !(self.affinity.is_empty() && self.anti_affinity.is_empty())
    }

    /// Returns true if the presence of the other pod can decide where this pod fits: a rule of one of them selects the
    /// other one, or both use a claim. Upstream: the queueing hints of the plugins.
    pub(super) fn depends_on(&self, other: &Self, namespaces: &Namespaces) -> bool {
        let mut own = self.affinity.iter().chain(&self.anti_affinity);
        let spreads = |constraint: &SpreadConstraint| other.namespace == self.namespace && constraint.selects(other);
        own.any(|term| term.matches(other, namespaces))
            || self.spread.iter().any(spreads)
            || other.anti_affinity.iter().any(|term| term.matches(self, namespaces))
            || self.shares_a_claim_with(other)
    }
}

impl HostPort {
    /// Returns true if a node cannot give both ports. Upstream: `HostPortInfo.CheckConflict`.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        let same_address = self.ip == other.ip || self.ip == ALL_ADDRESSES || other.ip == ALL_ADDRESSES;
        self.number == other.number && self.protocol == other.protocol && same_address
    }
}

impl StartTime {
    fn of(pod: &Value) -> Self {
        pod["status"]["startTime"].as_str().map_or(Self::NotYet, |time| Self::At(time.into()))
    }
}

/// Upstream: `PodTerminatingByPreemption`.
fn is_preempted(pod: &Value) -> bool {
    let reason = |target: &Value| target["status"] == "True" && target["reason"] == "PreemptionByScheduler";
    is_terminating(pod) && conditions::find(pod, "DisruptionTarget").is_some_and(reason)
}

fn is_terminating(pod: &Value) -> bool {
    pod["metadata"]["deletionTimestamp"].is_string()
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
        let own =
            |field: &str, default: &str| port[field].as_str().filter(|text| !text.is_empty()).unwrap_or(default).into();
        Some(HostPort { ip: own("hostIP", ALL_ADDRESSES), protocol: own("protocol", "TCP"), number })
    })
}
