//! Scenarios: lists of steps in a YAML file, each of which changes a pod, a replica set or a fault at its time. A
//! scenario gives a client the same changes to watch each time, on this cluster or on a real one.
//!
//! ```yaml
//! - {at: 1s, run: nettool, image: cr7258/nettool:v1}
//! - {at: 3s, label: nettool, set: {tier: front, old: null}}
//! - {at: 4s, delete: nettool}
//! - {at: 5s, replicaset: web, replicas: 3, image: "nginx:1.27", labels: {app: web}}
//! - {at: 6s, delete-one: {app: web}}
//! - {at: 7s, scale: web, replicas: 5}
//! - {at: 8s, fault: "429:verb=list,times=3"}
//! ```
//!
//! A fault has the text form of [`Fault`]. Only a cluster of this crate with [`Admin::On`](super::Admin::On) accepts
//! faults.

pub(crate) mod admin;
pub(crate) mod faults;
mod file;
mod typed_step;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use http::Request;
use k8s_openapi::api::apps::v1::ReplicaSet;
use kube_client::Api;
use kube_client::api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use serde_json::{Value, json};
use serde_saphyr::Spanned;
use tokio::time::{Instant, sleep_until};

use self::file::WireStep;
use crate::faults::Fault;
use kube_controllers::nodes::dynamic::api_resource;
use kube_machinery::conventions::yaml::{self, FileError};
use kube_machinery::kinds::PODS;

/// The image of a step that does not set one.
pub(super) const IMAGE: &str = "nginx";

/// A list of steps, sorted by time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    steps: Vec<Step>,
}

/// One step of a scenario: it changes a pod, a replica set or the cluster. It prints as the kubectl command that does
/// the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub(super) at: Duration,
    pub(super) namespace: Option<String>,
    pub(super) action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Run {
        name: String,
        image: String,
        labels: BTreeMap<String, String>,
    },
    Delete {
        name: String,
    },
    /// A label without a value is removed.
    Label {
        name: String,
        set: BTreeMap<String, Option<String>>,
    },
    /// Deletes one of the pods that have these labels: the first by name.
    DeleteOne {
        labels: BTreeMap<String, String>,
    },
    ReplicaSet {
        name: String,
        replicas: u32,
        image: String,
        labels: BTreeMap<String, String>,
    },
    Scale {
        name: String,
        replicas: u32,
    },
    Fault(Fault),
}

/// A step that the cluster refused.
#[derive(Debug, thiserror::Error)]
#[error("{step}: {}", cluster_message(.step, .error))]
#[non_exhaustive]
pub struct ScenarioError {
    /// The step.
    pub step: Step,
    /// The cluster's error.
    pub error: Box<kube_client::Error>,
}

/// Returns the cluster's message without its envelope; if the cluster does not serve the path of faults, a message that
/// says so.
fn cluster_message(step: &Step, error: &kube_client::Error) -> String {
    match error {
        // Also 403, which a cluster with authorization answers for a path that it does not serve.
        kube_client::Error::Api(status)
            if matches!(step.action, Action::Fault(_)) && matches!(status.code, 403..=405) =>
        {
            format!("this cluster accepts no faults: it has no {}", admin::PATH)
        }
        kube_client::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}

impl Step {
    /// Returns the time of the step, from the start of the scenario.
    pub fn at(&self) -> Duration {
        self.at
    }

    /// Returns the same step in `namespace`, unless it names a namespace itself. The returned step prints as a command
    /// that does not rely on a default namespace.
    #[must_use]
    pub fn in_namespace(&self, namespace: &str) -> Self {
        let own = self.namespace.clone();
        Self { namespace: own.or_else(|| Some(namespace.to_owned())), ..self.clone() }
    }

    /// Performs the step now, through the API of any cluster, in `namespace` unless the step names one.
    ///
    /// # Errors
    /// The cluster refuses the step.
    pub async fn perform(&self, client: &kube_client::Client, namespace: &str) -> Result<(), ScenarioError> {
        let performed = self.send(client, namespace).await;
        performed.map_err(|error| ScenarioError { step: self.clone(), error: Box::new(error) })
    }

    async fn send(&self, client: &kube_client::Client, namespace: &str) -> Result<(), kube_client::Error> {
        let namespace = self.namespace.as_deref().unwrap_or(namespace);
        let pods: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &api_resource(PODS));
        let sets: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &replica_sets());
        match &self.action {
            Action::Run { name, image, labels } => {
                pods.create(&PostParams::default(), &pod(name, image, labels)).await?;
            }
            Action::Delete { name } => {
                pods.delete(name, &DeleteParams::background()).await?;
            }
            Action::Label { name, set } => {
                let patch = Patch::Merge(json!({"metadata": {"labels": set}}));
                pods.patch(name, &PatchParams::default(), &patch).await?;
            }
            Action::DeleteOne { labels } => {
                let selected = pods.list(&ListParams::default().labels(&equalities(labels))).await?.items;
                let names = selected.into_iter().filter_map(|pod| pod.metadata.name);
                if let Some(name) = names.min() {
                    pods.delete(&name, &DeleteParams::background()).await?;
                }
            }
            Action::ReplicaSet { name, replicas, image, labels } => {
                sets.create(&PostParams::default(), &replica_set(name, *replicas, image, labels)).await?;
            }
            Action::Scale { name, replicas } => {
                let patch = Patch::Merge(json!({"spec": {"replicas": replicas}}));
                sets.patch(name, &PatchParams::default(), &patch).await?;
            }
            Action::Fault(fault) => {
                let request = Request::post(admin::PATH).header("content-type", "application/json");
                let request = request.body(admin::wire(fault).to_string().into_bytes());
                client.request::<Value>(request.map_err(kube_client::Error::HttpError)?).await?;
            }
        }
        Ok(())
    }
}

/// Formats labels as `app=web,tier=front`.
fn equalities(labels: &BTreeMap<String, String>) -> String {
    labels.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
}

fn replica_sets() -> ApiResource {
    ApiResource::erase::<ReplicaSet>(&())
}

/// Returns a replica set whose labels, selector and pod labels are the same.
fn replica_set(name: &str, replicas: u32, image: &str, labels: &BTreeMap<String, String>) -> DynamicObject {
    let mut set = DynamicObject::new(name, &replica_sets()).data(json!({
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": name, "image": image}]},
            },
        },
    }));
    set.metadata.labels = Some(labels.clone());
    set
}

/// Returns the pod that `kubectl run` creates.
fn pod(name: &str, image: &str, labels: &BTreeMap<String, String>) -> DynamicObject {
    let mut pod = DynamicObject::new(name, &api_resource(PODS)).data(json!({
        "spec": {"containers": [{"name": name, "image": image}], "restartPolicy": "Always"},
    }));
    pod.metadata.labels =
        Some(if labels.is_empty() { BTreeMap::from([("run".into(), name.into())]) } else { labels.clone() });
    pod
}

impl Scenario {
    /// Parses a scenario from YAML; `name` is the file's name for error messages. Steps are sorted by time.
    ///
    /// # Errors
    /// The text is not YAML, or has an unknown key, a step without exactly one action, or an invalid duration.
    pub fn from_yaml(text: &str, name: &str) -> Result<Self, FileError> {
        let expected = "a list of steps such as - {at: 1s, run: NAME} or - {at: 4s, delete: NAME}";
        let wire: Vec<Spanned<WireStep>> = yaml::read(text, name, expected)?;
        let mut steps = wire.into_iter().map(|step| file::step(step, name)).collect::<Result<Vec<_>, _>>()?;
        steps.sort_by_key(|step| step.at);
        Ok(Self { steps })
    }

    /// Returns the steps, sorted by time.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Performs each step at its time, counted from now, through the API of any cluster. Calls `before_step` just
    /// before each step.
    ///
    /// # Errors
    /// The first step that the cluster refuses; the later steps are not performed.
    pub async fn play(
        &self,
        client: kube_client::Client,
        namespace: &str,
        mut before_step: impl FnMut(&Step),
    ) -> Result<(), ScenarioError> {
        let start = Instant::now();
        for step in &self.steps {
            sleep_until(start + step.at).await;
            before_step(step);
            step.perform(&client, namespace).await?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Action::Run { name, image, labels } => {
                write!(f, "kubectl run {name} --image={image}")?;
                if !labels.is_empty() {
                    write!(f, " --labels={}", equalities(labels))?;
                }
            }
            Action::Delete { name } => write!(f, "kubectl delete pod {name}")?,
            Action::Label { name, set } => {
                write!(f, "kubectl label pod {name}")?;
                for (key, value) in set {
                    match value {
                        Some(value) => write!(f, " {key}={value}")?,
                        None => write!(f, " {key}-")?,
                    }
                }
            }
            Action::DeleteOne { labels } => {
                let namespace = self.namespace.as_ref().map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
                let labels = equalities(labels);
                write!(f, "kubectl delete $(kubectl get pods -l {labels} -o name{namespace} | head -1)")?;
            }
            Action::ReplicaSet { name, .. } => write!(f, "kubectl create -f {name}.yaml")?,
            Action::Scale { name, replicas } => write!(f, "kubectl scale replicaset {name} --replicas={replicas}")?,
            Action::Fault(fault) => {
                write!(f, "echo '{}' | kubectl create --raw {} -f -", admin::wire(fault), admin::PATH)?;
            }
        }
        match &self.namespace {
            Some(namespace) if !matches!(self.action, Action::Fault(_)) => write!(f, " -n {namespace}"),
            _ => Ok(()),
        }
    }
}
