//! A pod with only the fields that say which volume claims it uses, and until when. The controllers of claims cache all
//! pods of the cluster, so the other fields would be most of their memory.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_informers::cache::{IndexValues, Meta, Object, SlimMeta};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::object::{controller, name, namespace};
use super::volume::ephemeral_claim_name;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "ReadPod")]
pub(crate) struct PodClaims {
    metadata: SlimMeta,
    node: String,
    claims: Vec<UsedClaim>,
    /// The containers have ended for good, or have stopped because the pod is being deleted.
    pub(crate) is_terminated: bool,
    /// The pod is being deleted, and its kubelet has nothing to do for it any more.
    is_shut_down: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct UsedClaim {
    name: String,
    /// The claim was made for this pod (a volume of the type `ephemeral`).
    is_own: bool,
}

/// The JSON form of a pod, from which a [`PodClaims`] is made.
#[derive(Deserialize)]
struct ReadPod {
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(flatten)]
    slim: SlimMeta,
    deletion_timestamp: Option<IgnoredAny>,
    deletion_grace_period_seconds: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    node_name: String,
    volumes: Vec<Volume>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Volume {
    #[serde(default)]
    name: String,
    persistent_volume_claim: Option<ClaimSource>,
    ephemeral: Option<IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ClaimSource {
    claim_name: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    phase: String,
    container_statuses: Vec<ContainerStatus>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ContainerStatus {
    state: State,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct State {
    waiting: Option<IgnoredAny>,
    terminated: Option<IgnoredAny>,
}

impl From<ReadPod> for PodClaims {
    fn from(ReadPod { metadata, spec, status }: ReadPod) -> Self {
        let Metadata { slim, deletion_timestamp, deletion_grace_period_seconds: grace } = metadata;
        let pod = slim.name.as_deref().unwrap_or_default();
        let used = |volume: Volume| match (volume.persistent_volume_claim, volume.ephemeral) {
            (Some(source), _) => Some(UsedClaim { name: source.claim_name, is_own: false }),
            (None, Some(_)) => Some(UsedClaim { name: ephemeral_claim_name(pod, &volume.name), is_own: true }),
            (None, None) => None,
        };
        let claims = spec.volumes.into_iter().filter_map(used).collect();
        let (is_going, statuses) = (deletion_timestamp.is_some(), &status.container_statuses);
        let has_stopped =
            |status: &ContainerStatus| status.state.waiting.is_some() || status.state.terminated.is_some();
        let has_ended = matches!(status.phase.as_str(), "Failed" | "Succeeded");
        Self {
            node: spec.node_name,
            claims,
            is_terminated: has_ended || (is_going && statuses.iter().all(has_stopped)),
            is_shut_down: is_going && grace == Some(0),
            metadata: slim,
        }
    }
}

impl Object for PodClaims {
    fn meta(&self) -> Meta<'_> {
        self.metadata.meta()
    }
}

impl PodClaims {
    pub(crate) fn name(&self) -> &str {
        self.meta().name
    }

    /// Returns the name of the pod's node; empty before the pod is bound.
    pub(crate) fn node(&self) -> &str {
        &self.node
    }

    /// Returns the keys of the claims in the volumes of the pod.
    pub(crate) fn claim_keys(&self) -> impl Iterator<Item = String> {
        self.claims.iter().map(|claim| format!("{}/{}", self.meta().namespace, claim.name))
    }

    /// Returns true if the pod has a volume of this claim. A claim with the name of an ephemeral volume is only used if
    /// it was made for this pod.
    pub(crate) fn uses(&self, claim: &ObjectMeta) -> bool {
        self.uses_by(claim, |_| true)
    }

    /// Returns true if the pod prevents the deletion of this claim: its node may use the claim. Upstream:
    /// `podUsesPVCForDeletion`.
    pub(crate) fn holds(&self, claim: &ObjectMeta) -> bool {
        !self.node.is_empty() && self.uses_by(claim, |used| !used.is_own || !self.is_shut_down)
    }

    fn uses_by(&self, claim: &ObjectMeta, counts: impl Fn(&UsedClaim) -> bool) -> bool {
        let is_owned = || controller(claim).is_some_and(|owner| owner.uid == self.meta().uid);
        let is_it = |used: &&UsedClaim| used.name == name(claim) && (!used.is_own || is_owned());
        namespace(claim) == self.meta().namespace && self.claims.iter().filter(is_it).any(counts)
    }
}

/// The index of pods by the keys of their claims. Upstream: `PodPVCIndex`.
pub(crate) fn claim_index(pod: &PodClaims) -> IndexValues<'_> {
    pod.claim_keys().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn pod(metadata: Value, node: &str) -> PodClaims {
        let volumes = json!([
            {"name": "data", "persistentVolumeClaim": {"claimName": "c"}},
            {"name": "tmp", "ephemeral": {}}, {"name": "map", "configMap": {"name": "c"}},
        ]);
        let mut pod = json!({"metadata": metadata, "spec": {"nodeName": node, "volumes": volumes}});
        pod["metadata"]["name"] = "p".into();
        pod["metadata"]["namespace"] = "n".into();
        pod["metadata"]["uid"] = "u".into();
        serde_json::from_value(pod).unwrap()
    }

    fn claim(name: &str, owner: &str) -> ObjectMeta {
        let owners = json!([{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": owner, "controller": true}]);
        serde_json::from_value(json!({"name": name, "namespace": "n", "ownerReferences": owners})).unwrap()
    }

    #[test]
    fn a_pod_uses_its_claims_and_those_made_for_it() {
        let running = pod(json!({}), "node-1");
        assert_eq!(running.claim_keys().collect::<Vec<_>>(), ["n/c", "n/p-tmp"]);
        assert!(running.uses(&claim("c", "other")) && running.uses(&claim("p-tmp", "u")));
        assert!(!running.uses(&claim("p-tmp", "other")) && !running.uses(&claim("d", "u")));
    }

    #[test]
    fn a_pod_holds_a_claim_from_its_binding_to_its_end() {
        assert!(!pod(json!({}), "").holds(&claim("c", "")));
        assert!(pod(json!({}), "node-1").holds(&claim("c", "")));
        let going = json!({"deletionTimestamp": "2023-05-01T10:00:00Z", "deletionGracePeriodSeconds": 0});
        let going = pod(going, "node-1");
        assert!(going.is_terminated && going.holds(&claim("c", "")) && !going.holds(&claim("p-tmp", "u")));
    }
}
