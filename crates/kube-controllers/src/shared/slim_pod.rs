//! A pod with only the fields that the controllers of ReplicaSets and Deployments read. They cache all pods of the
//! cluster, so the other fields would be most of their memory. The informer decodes each pod into this type.

use std::collections::BTreeMap;
use std::fmt;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube_informers::cache::{Meta, Object};
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use kube_machinery::conventions::packed_strings::PackedStrings;

/// The fields that decide whether a pod counts, which controller it has, and which pod is deleted first.
#[derive(Debug, Deserialize)]
#[serde(from = "ReadPod")]
pub(crate) struct SlimPod {
    /// Namespace, name, uid, resourceVersion and node, then the labels, sorted by key: each key is followed by its
    /// value.
    texts: PackedStrings,
    created: Seconds,
    ready_since: Seconds,
    is_ready: bool,
    is_going: bool,
    phase: Phase,
    restarts: i32,
    deletion_cost: i32,
    controller: Option<Box<OwnerReference>>,
}

/// An optional time in whole seconds, as Kubernetes writes it. Takes a third of the memory of an `Option<Timestamp>`.
#[derive(Clone, Copy, Debug)]
struct Seconds(i64);

impl From<Option<Timestamp>> for Seconds {
    fn from(time: Option<Timestamp>) -> Self {
        Self(time.map_or(i64::MIN, Timestamp::as_second))
    }
}

impl Seconds {
    fn time(self) -> Option<Timestamp> {
        Timestamp::from_second(self.0).ok() // `i64::MIN` is out of range, so it means no time
    }
}

/// The index of the first label in `SlimPod::texts`.
const LABELS: usize = 5;

/// The JSON form of a pod, from which a [`SlimPod`] is made.
#[derive(Deserialize)]
struct ReadPod {
    metadata: Metadata,
    #[serde(default)]
    spec: Spec,
    #[serde(default)]
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    namespace: String,
    name: String,
    uid: String,
    resource_version: String,
    creation_timestamp: Option<Timestamp>,
    deletion_timestamp: Option<IgnoredAny>,
    labels: BTreeMap<String, String>,
    annotations: Annotations,
    #[serde(rename = "ownerReferences", deserialize_with = "controller")]
    controller: Option<Box<OwnerReference>>,
}

#[derive(Default, Deserialize)]
struct Annotations {
    #[serde(rename = "controller.kubernetes.io/pod-deletion-cost")]
    deletion_cost: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    node_name: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Status {
    phase: Phase,
    #[serde(rename = "conditions", deserialize_with = "readiness")]
    ready: Ready,
    #[serde(rename = "containerStatuses", deserialize_with = "restarts")]
    restarts: i32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) enum Phase {
    #[default]
    Pending,
    Unknown,
    Running,
    Succeeded,
    Failed,
    #[serde(other)]
    Other,
}

/// The condition `Ready`: not true, or true since a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ready {
    #[default]
    No,
    Since(Option<Timestamp>),
}

impl Ready {
    fn since(self) -> Option<Timestamp> {
        match self {
            Self::No => None,
            Self::Since(time) => time,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Labels<'a>(&'a PackedStrings);

impl<'a> Labels<'a> {
    pub(crate) fn get(self, key: &str) -> Option<&'a str> {
        let mut texts = self.0.range(LABELS..);
        while let (Some(name), Some(value)) = (texts.next(), texts.next()) {
            if name == key {
                return Some(value);
            }
        }
        None
    }
}

impl PartialEq for Labels<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.range(LABELS..).eq(other.0.range(LABELS..))
    }
}

impl From<ReadPod> for SlimPod {
    fn from(ReadPod { metadata, spec, status }: ReadPod) -> Self {
        let Metadata { namespace, name, uid, resource_version, labels, .. } = &metadata;
        let labels = labels.iter().flat_map(|(key, value)| [key, value]);
        let cost = metadata.annotations.deletion_cost.as_deref();
        Self {
            texts: [namespace, name, uid, resource_version, &spec.node_name].into_iter().chain(labels).collect(),
            created: metadata.creation_timestamp.into(),
            ready_since: status.ready.since().into(),
            is_ready: status.ready != Ready::No,
            is_going: metadata.deletion_timestamp.is_some(),
            phase: status.phase,
            restarts: status.restarts,
            deletion_cost: cost.and_then(|cost| cost.parse().ok()).unwrap_or_default(),
            controller: metadata.controller,
        }
    }
}

impl SlimPod {
    fn text(&self, index: usize) -> &str {
        self.texts.get(index).unwrap_or_default()
    }

    pub(crate) fn namespace(&self) -> &str {
        self.text(0)
    }

    pub(crate) fn name(&self) -> &str {
        self.text(1)
    }

    pub(crate) fn uid(&self) -> &str {
        self.text(2)
    }

    pub(crate) fn resource_version(&self) -> &str {
        self.text(3)
    }

    /// Returns the node's name, or an empty text before the pod is bound.
    pub(crate) fn node(&self) -> &str {
        self.text(4)
    }

    pub(crate) fn labels(&self) -> Labels<'_> {
        Labels(&self.texts)
    }

    pub(crate) fn created(&self) -> Option<Timestamp> {
        self.created.time()
    }

    pub(crate) fn controller(&self) -> Option<&OwnerReference> {
        self.controller.as_deref()
    }

    /// Returns the value of the annotation `pod-deletion-cost`. A ReplicaSet deletes pods with a low cost first.
    pub(crate) fn deletion_cost(&self) -> i32 {
        self.deletion_cost
    }

    pub(crate) fn phase(&self) -> Phase {
        self.phase
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Succeeded | Phase::Failed)
    }

    pub(crate) fn is_going(&self) -> bool {
        self.is_going
    }

    /// Returns true if the pod is neither being deleted nor ended.
    pub(crate) fn is_active(&self) -> bool {
        !self.is_going && !self.has_ended()
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Returns the transition time of the condition `Ready`, if it is true.
    pub(crate) fn ready_since(&self) -> Option<Timestamp> {
        self.ready_since.time()
    }

    /// Returns the highest restart count of the pod's containers.
    pub(crate) fn restarts(&self) -> i32 {
        self.restarts
    }
}

impl Object for SlimPod {
    fn meta(&self) -> Meta<'_> {
        Meta::new(self.namespace(), self.name(), self.resource_version()).uid(self.uid())
    }
}

/// Reads owner references, and keeps the one of the controller.
fn controller<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Box<OwnerReference>>, D::Error> {
    fold(from, None, |found, owner: OwnerReference| {
        if owner.controller == Some(true) {
            found.get_or_insert(Box::new(owner));
        }
    })
}

/// Reads conditions, and keeps the state of the condition `Ready`.
fn readiness<'de, D: Deserializer<'de>>(from: D) -> Result<Ready, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Condition {
        #[serde(rename = "type")]
        of: Box<str>,
        status: Box<str>,
        last_transition_time: Option<Timestamp>,
    }
    fold(from, Ready::No, |ready, condition: Condition| {
        if &*condition.of == "Ready" && &*condition.status == "True" {
            *ready = Ready::Since(condition.last_transition_time);
        }
    })
}

/// Reads container statuses, and keeps the highest restart count.
fn restarts<'de, D: Deserializer<'de>>(from: D) -> Result<i32, D::Error> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Container {
        #[serde(default)]
        restart_count: i32,
    }
    fold(from, 0, |most, container: Container| *most = container.restart_count.max(*most))
}

/// Reads a list and folds its elements one by one, so the list itself is never in memory.
fn fold<'de, D: Deserializer<'de>, T: Deserialize<'de>, R>(
    from: D,
    start: R,
    add: impl FnMut(&mut R, T),
) -> Result<R, D::Error> {
    struct Fold<T, R, F>(R, F, std::marker::PhantomData<T>);

    impl<'de, T: Deserialize<'de>, R, F: FnMut(&mut R, T)> Visitor<'de> for Fold<T, R, F> {
        type Value = R;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<R, A::Error> {
            while let Some(element) = list.next_element()? {
                (self.1)(&mut self.0, element);
            }
            Ok(self.0)
        }
    }
    from.deserialize_seq(Fold(start, add, std::marker::PhantomData))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_fields_that_the_controllers_use_are_read() {
        let pod: SlimPod = serde_json::from_value(json!({
            "metadata": {
                "name": "a", "namespace": "n", "uid": "u", "resourceVersion": "7", "labels": {"b": "2", "a": "1"},
                "annotations": {"note": "long", "controller.kubernetes.io/pod-deletion-cost": "5"},
                "ownerReferences": [
                    {"apiVersion": "v1", "kind": "Node", "name": "x", "uid": "x"},
                    {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "w", "controller": true},
                ],
            },
            "spec": {"nodeName": "node-1", "containers": [{"name": "c", "image": "nginx"}]},
            "status": {
                "phase": "Running", "podIP": "10.0.0.1",
                "conditions": [
                    {"type": "Initialized", "status": "False"},
                    {"type": "Ready", "status": "True", "lastTransitionTime": "2023-05-01T10:00:00Z"},
                ],
                "containerStatuses": [{"name": "c", "restartCount": 3}, {"name": "d", "restartCount": 1}],
            },
        }))
        .unwrap();
        let meta = pod.meta();
        assert_eq!((meta.namespace, meta.name, meta.uid, meta.resource_version), ("n", "a", "u", "7"));
        assert_eq!(["a", "b", "c"].map(|key| pod.labels().get(key)), [Some("1"), Some("2"), None]);
        assert_eq!(pod.controller().map(|owner| owner.name.as_str()), Some("web"));
        assert_eq!((pod.deletion_cost(), pod.restarts(), pod.node(), pod.phase()), (5, 3, "node-1", Phase::Running));
        assert_eq!((pod.ready_since(), pod.created()), (Some("2023-05-01T10:00:00Z".parse().unwrap()), None));
        assert!(pod.is_ready() && pod.is_active());
    }

    #[test]
    fn a_pod_that_never_ran_has_no_node_no_restarts_and_is_not_ready() {
        let metadata = json!({"name": "a", "creationTimestamp": null, "deletionTimestamp": "2023-05-01T10:00:00Z"});
        let pod: SlimPod = serde_json::from_value(json!({"metadata": metadata, "status": {"phase": "New"}})).unwrap();
        assert_eq!((pod.phase(), pod.is_ready(), pod.restarts(), pod.node()), (Phase::Other, false, 0, ""));
        assert!(pod.is_going() && !pod.is_active() && pod.controller().is_none());
    }
}
