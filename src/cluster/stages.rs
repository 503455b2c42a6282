//! What the kubelet does to pods, read from YAML.
//!
//! ```yaml
//! run:                     # of every pod that is bound to no node
//! - {after: 150ms, bind: node-1}
//! - {after: 150ms, status: {phase: Running, startTime: $now}}
//! delete:                  # of every pod that is being deleted
//! - {after: 150ms, annotations: {example.com/address: null}}
//! - {after: 150ms, remove: true}
//! ```
//!
//! `status` is a merge patch of the pod's status, `annotations` one of its annotations. In both, `$now` becomes the time and
//! `$podIP` the pod's address; in `containerStatuses`, an entry named `"*"` stands for every container of the pod.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_saphyr::Spanned;

use super::yaml::{self, FileError};

/// The steps of the kubelet, each some time after the one before.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages {
    pub(crate) run: Vec<Stage>,
    pub(crate) delete: Vec<Stage>,
}

/// One step: a wait, then one write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stage {
    pub(crate) after: Duration,
    pub(crate) action: Action,
}

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Action {
    /// Binds the pod to a node.
    Bind(String),
    /// Merges this into the pod's status.
    Status(Value),
    /// Sets annotations, or takes those away that have no value.
    Annotations(BTreeMap<String, Option<String>>),
    /// Deletes the pod for good: grace period 0, and only the pod with this uid.
    Remove,
}

impl Default for Stages {
    /// A pod is bound, its container is created, the network says its address, it runs; on deletion the container ends, the
    /// address goes, and the pod is removed. Each step comes 150 ms after the one before.
    fn default() -> Self {
        const DEFAULT: &str = include_str!("../../fixtures/stages/default.yaml");
        Self::from_yaml(DEFAULT, "default.yaml").expect("the embedded stages are tested")
    }
}

impl Stages {
    /// A kubelet that does nothing: pods stay as they are.
    pub fn none() -> Self {
        Self { run: Vec::new(), delete: Vec::new() }
    }

    /// Reads the stages from YAML; `name` is the file's name for messages.
    ///
    /// # Errors
    /// If the text is not YAML, has an unknown key, a step without exactly one action, or a duration that is none.
    pub fn from_yaml(text: &str, name: &str) -> Result<Self, FileError> {
        let wire: Wire =
            yaml::read(text, name, "the stages of a kubelet: the keys run and delete, each a list of steps")?;
        let stages =
            |steps: Vec<Spanned<WireStage>>| steps.into_iter().map(|step| stage(step, name)).collect::<Result<_, _>>();
        Ok(Self { run: stages(wire.run)?, delete: stages(wire.delete)? })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default)]
    run: Vec<Spanned<WireStage>>,
    #[serde(default)]
    delete: Vec<Spanned<WireStage>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireStage {
    after: Spanned<String>,
    bind: Option<String>,
    status: Option<Value>,
    annotations: Option<BTreeMap<String, Option<String>>>,
    remove: Option<bool>,
}

fn stage(wire: Spanned<WireStage>, file: &str) -> Result<Stage, FileError> {
    let at = wire.referenced;
    let wire = wire.value;
    let after = yaml::duration(&wire.after, file)?;
    let problem = |problem: String| FileError::at(file, at, problem);
    let mut actions: Vec<Action> = Vec::new();
    actions.extend(wire.bind.map(Action::Bind));
    if let Some(status) = wire.status {
        if !status.is_object() {
            return Err(problem("expected status to be a mapping, such as {phase: Running}".into()));
        }
        actions.push(Action::Status(status));
    }
    actions.extend(wire.annotations.map(Action::Annotations));
    match wire.remove {
        Some(true) => actions.push(Action::Remove),
        Some(false) => return Err(problem("expected remove: true, or no remove at all".into())),
        None => {}
    }
    let found = actions.len();
    match (actions.pop(), found) {
        (Some(action), 1) => Ok(Stage { after, action }),
        _ => Err(problem(format!(
            "expected a step with exactly one of bind, status, annotations and remove, found {found}"
        ))),
    }
}
