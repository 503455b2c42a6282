//! A play for the cluster: at which moment which pod is run, deleted or labelled.
//!
//! ```yaml
//! - {at: 1s, run: nettool, image: cr7258/nettool:v1}
//! - {at: 3s, label: nettool, set: {tier: front, old: null}}
//! - {at: 4s, delete: nettool}
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use kube::Api;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use serde::Deserialize;
use serde_json::json;
use serde_saphyr::Spanned;
use tokio::time::{Instant, sleep_until};

use super::resources::PODS;
use super::yaml::{self, FileError};

/// What is run where a step names no image.
const IMAGE: &str = "nginx";

/// Steps in the order in which they happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scenario {
    steps: Vec<Step>,
}

/// One thing that someone does to a pod. Prints as the kubectl command that would do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    at: Duration,
    namespace: Option<String>,
    action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Run {
        name: String,
        image: String,
        labels: BTreeMap<String, String>,
    },
    Delete {
        name: String,
    },
    /// No value takes the label away.
    Label {
        name: String,
        set: BTreeMap<String, Option<String>>,
    },
}

/// A step that the cluster refused.
#[derive(Debug, thiserror::Error)]
#[error("the scenario cannot go on: {step}: {}", said(.error))]
pub struct ScenarioError {
    /// The step.
    pub step: Step,
    /// What the cluster said.
    pub error: Box<kube::Error>,
}

/// What the cluster said, without the form in which it came.
fn said(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}

impl Step {
    /// When, counted from the start of the play.
    pub fn at(&self) -> Duration {
        self.at
    }

    async fn perform(&self, client: &kube::Client, namespace: &str) -> Result<(), kube::Error> {
        let namespace = self.namespace.as_deref().unwrap_or(namespace);
        let pods: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &PODS.dynamic());
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
        }
        Ok(())
    }
}

/// The pod that `kubectl run` makes.
fn pod(name: &str, image: &str, labels: &BTreeMap<String, String>) -> DynamicObject {
    let mut pod = DynamicObject::new(name, &PODS.dynamic()).data(json!({
        "spec": {"containers": [{"name": name, "image": image}], "restartPolicy": "Always"},
    }));
    pod.metadata.labels =
        Some(if labels.is_empty() { BTreeMap::from([("run".into(), name.into())]) } else { labels.clone() });
    pod
}

impl Scenario {
    /// Reads a scenario from YAML; `name` is the file's name for messages. Steps out of order are put in order.
    ///
    /// # Errors
    /// If the text is not YAML, has an unknown key, a step without exactly one action, or a duration that is none.
    pub fn from_yaml(text: &str, name: &str) -> Result<Self, FileError> {
        let expected = "a list of steps such as - {at: 1s, run: NAME} or - {at: 4s, delete: NAME}";
        let wire: Vec<Spanned<WireStep>> = yaml::read(text, name, expected)?;
        let mut steps = wire.into_iter().map(|step| self::step(step, name)).collect::<Result<Vec<_>, _>>()?;
        steps.sort_by_key(|step| step.at);
        Ok(Self { steps })
    }

    /// The steps in the order in which they happen.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Does each step at its moment, counted from now, through the API of any cluster. `told` is called just before a step.
    ///
    /// # Errors
    /// The first step that the cluster refuses ends the play.
    pub async fn play(
        &self,
        client: kube::Client,
        namespace: &str,
        mut told: impl FnMut(&Step),
    ) -> Result<(), ScenarioError> {
        let start = Instant::now();
        for step in &self.steps {
            sleep_until(start + step.at).await;
            told(step);
            step.perform(&client, namespace)
                .await
                .map_err(|error| ScenarioError { step: step.clone(), error: Box::new(error) })?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.action {
            Action::Run { name, image, labels } => {
                write!(f, "kubectl run {name} --image={image}")?;
                let labels: Vec<_> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
                if !labels.is_empty() {
                    write!(f, " --labels={}", labels.join(","))?;
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
        }
        match &self.namespace {
            Some(namespace) => write!(f, " -n {namespace}"),
            None => Ok(()),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireStep {
    at: Spanned<String>,
    run: Option<String>,
    image: Option<String>,
    labels: Option<BTreeMap<String, String>>,
    delete: Option<String>,
    label: Option<String>,
    set: Option<BTreeMap<String, Option<String>>>,
    namespace: Option<String>,
}

fn step(wire: Spanned<WireStep>, file: &str) -> Result<Step, FileError> {
    let problem = |problem: &str| FileError::at(file, wire.referenced, problem);
    let step = &wire.value;
    let at = yaml::duration(&step.at, file)?;
    let action = match (&step.run, &step.delete, &step.label) {
        (Some(name), None, None) => Action::Run {
            name: name.clone(),
            image: step.image.clone().unwrap_or_else(|| IMAGE.to_owned()),
            labels: step.labels.clone().unwrap_or_default(),
        },
        (None, Some(name), None) => Action::Delete { name: name.clone() },
        (None, None, Some(name)) => {
            let set = step.set.clone().filter(|set| !set.is_empty());
            let set = set.ok_or_else(|| problem("expected set: {KEY: VALUE or null} beside label"))?;
            Action::Label { name: name.clone(), set }
        }
        _ => return Err(problem("expected a step with exactly one of run, delete and label")),
    };
    let runs = matches!(action, Action::Run { .. });
    if !runs && (step.image.is_some() || step.labels.is_some()) {
        return Err(problem("expected image and labels only beside run"));
    }
    if step.set.is_some() && !matches!(action, Action::Label { .. }) {
        return Err(problem("expected set only beside label"));
    }
    Ok(Step { at, namespace: step.namespace.clone(), action })
}
