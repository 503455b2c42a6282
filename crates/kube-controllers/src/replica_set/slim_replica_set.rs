//! The object that the controller works on: a ReplicaSet, or a ReplicationController in the form of a ReplicaSet,
//! because the two kinds differ only in their selector. Upstream: `convertRCtoRS` in `pkg/controller/replication`.

use std::collections::BTreeMap;
use std::ops::Deref;

use k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetSpec, ReplicaSetStatus};
use k8s_openapi::api::core::v1::PodTemplateSpec;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use kube_informers::cache::{Meta, Object};
use serde::Deserialize;

/// A ReplicaSet with the fields that the controller reads, from the JSON of either kind.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "ReadSet")]
pub(super) struct SlimReplicaSet(ReplicaSet);

impl Deref for SlimReplicaSet {
    type Target = ReplicaSet;

    fn deref(&self) -> &ReplicaSet {
        &self.0
    }
}

impl Object for SlimReplicaSet {
    fn meta(&self) -> Meta<'_> {
        Object::meta(&self.0)
    }
}

/// The JSON form of either kind, from which a [`SlimReplicaSet`] is made.
#[derive(Deserialize)]
struct ReadSet {
    #[serde(default)]
    metadata: ObjectMeta,
    #[serde(default)]
    spec: ReadSpec,
    status: Option<ReplicaSetStatus>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ReadSpec {
    replicas: Option<i32>,
    min_ready_seconds: Option<i32>,
    selector: ReadSelector,
    template: Option<PodTemplateSpec>,
}

/// The labels that a ReplicationController selects, or the selector of a ReplicaSet. The values tell them apart: only
/// those of labels are texts.
#[derive(Deserialize)]
#[serde(untagged)]
enum ReadSelector {
    Labels(BTreeMap<String, String>),
    Selector(LabelSelector),
}

impl Default for ReadSelector {
    fn default() -> Self {
        Self::Selector(LabelSelector::default())
    }
}

impl From<ReadSelector> for LabelSelector {
    fn from(selector: ReadSelector) -> Self {
        match selector {
            ReadSelector::Labels(labels) => Self { match_labels: Some(labels), match_expressions: None },
            ReadSelector::Selector(selector) => selector,
        }
    }
}

impl From<ReadSet> for SlimReplicaSet {
    fn from(ReadSet { metadata, spec, status }: ReadSet) -> Self {
        let ReadSpec { replicas, min_ready_seconds, selector, template } = spec;
        let spec = ReplicaSetSpec { replicas, min_ready_seconds, selector: selector.into(), template };
        Self(ReplicaSet { metadata, spec: optional(spec), status })
    }
}

/// Returns the spec, or `Some` of it in versions of Kubernetes where k8s-openapi's field is an `Option`.
fn optional<T: From<ReplicaSetSpec>>(spec: ReplicaSetSpec) -> T {
    spec.into()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::spec;
    use super::*;

    fn set(selector: &Value) -> SlimReplicaSet {
        let spec = json!({"replicas": 2, "minReadySeconds": 5, "selector": selector, "template": {}});
        serde_json::from_value(json!({"metadata": {"name": "web"}, "spec": spec, "status": {"replicas": 1}})).unwrap()
    }

    #[test]
    fn both_kinds_are_read_and_only_their_selectors_differ() {
        let labels = json!({"app": "web", "tier": "front"});
        let requirement = json!({"key": "app", "operator": "In", "values": ["web"]});
        for selector in [labels.clone(), json!({"matchLabels": labels, "matchExpressions": [requirement]})] {
            let set = set(&selector);
            let matches = |labels: &[(&str, &str)]| {
                let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
                spec::selector(&set).unwrap().matches(Some(&labels))
            };
            assert!(matches(&[("app", "web"), ("tier", "front")]) && !matches(&[("app", "web")]), "{selector}");
            assert_eq!((spec::wanted(&set), spec::min_ready_seconds(&set)), (2, 5));
            assert_eq!((set.meta().name, set.status.as_ref().map(|status| status.replicas)), ("web", Some(1)));
        }
    }
}
