//! The form of a scenario in a YAML file.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_saphyr::Spanned;

use super::{Action, IMAGE, Step};
use crate::faults::{BadFault, Fault};
use kube_machinery::conventions::yaml::{self, FileError};

/// A step as it is written in the file, before [`step`] checks that its keys fit together.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireStep {
    at: Spanned<String>,
    run: Option<String>,
    image: Option<String>,
    labels: Option<BTreeMap<String, String>>,
    delete: Option<String>,
    label: Option<String>,
    set: Option<BTreeMap<String, Option<String>>>,
    #[serde(rename = "delete-one")]
    delete_one: Option<BTreeMap<String, String>>,
    replicaset: Option<String>,
    scale: Option<String>,
    replicas: Option<u32>,
    fault: Option<Spanned<String>>,
    namespace: Option<String>,
}

/// Checks a step of the file, which must have exactly one action.
pub(super) fn step(wire: Spanned<WireStep>, file: &str) -> Result<Step, FileError> {
    let problem = |problem: &str| FileError::at(file, wire.referenced, problem);
    let step = &wire.value;
    let at = yaml::duration(&step.at, file)?;
    let image = || step.image.clone().unwrap_or_else(|| IMAGE.to_owned());
    let replicas = || step.replicas.ok_or_else(|| problem("expected replicas: NUMBER beside replicaset and scale"));
    let (pods, sets) = ((&step.run, &step.delete, &step.label, &step.delete_one), (&step.replicaset, &step.scale));
    let action = match (pods, sets, &step.fault) {
        ((Some(name), None, None, None), (None, None), None) => {
            Action::Run { name: name.clone(), image: image(), labels: step.labels.clone().unwrap_or_default() }
        }
        ((None, Some(name), None, None), (None, None), None) => Action::Delete { name: name.clone() },
        ((None, None, Some(name), None), (None, None), None) => {
            let set = step.set.clone().filter(|set| !set.is_empty());
            let set = set.ok_or_else(|| problem("expected set: {KEY: VALUE or null} beside label"))?;
            Action::Label { name: name.clone(), set }
        }
        ((None, None, None, Some(labels)), (None, None), None) => Action::DeleteOne { labels: labels.clone() },
        ((None, None, None, None), (Some(name), None), None) => {
            let labels = step.labels.clone().filter(|labels| !labels.is_empty());
            let labels = labels.ok_or_else(|| problem("expected labels: {KEY: VALUE} beside replicaset"))?;
            Action::ReplicaSet { name: name.clone(), replicas: replicas()?, image: image(), labels }
        }
        ((None, None, None, None), (None, Some(name)), None) => {
            Action::Scale { name: name.clone(), replicas: replicas()? }
        }
        ((None, None, None, None), (None, None), Some(text)) => Action::Fault(fault(text, file)?),
        _ => {
            let actions =
                "expected a step with exactly one of run, delete, label, delete-one, replicaset, scale and fault";
            return Err(problem(actions));
        }
    };
    let makes = matches!(action, Action::Run { .. } | Action::ReplicaSet { .. });
    if !makes && (step.image.is_some() || step.labels.is_some()) {
        return Err(problem("expected image and labels only beside run and replicaset"));
    }
    if step.set.is_some() && !matches!(action, Action::Label { .. }) {
        return Err(problem("expected set only beside label"));
    }
    if step.replicas.is_some() && !matches!(action, Action::ReplicaSet { .. } | Action::Scale { .. }) {
        return Err(problem("expected replicas only beside replicaset and scale"));
    }
    Ok(Step { at, namespace: step.namespace.clone(), action })
}

fn fault(text: &Spanned<String>, file: &str) -> Result<Fault, FileError> {
    text.value.parse().map_err(|error: BadFault| FileError::at(file, text.referenced, error.to_string()))
}
