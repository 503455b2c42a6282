//! Compares the filters and the preemption with kube-scheduler's own plugins, on random clusters.
//! `peers/validation/scheduling` recorded the answers of the plugins.

use std::collections::BTreeMap;
use std::{env, fs};

use kube_client::api::DynamicObject;
use serde::Deserialize;
use serde_json::Value;

use super::Nodeless;
use super::cycle::Cycle;
use super::node_info::Node;
use super::pod_info::PodInfo;
use super::preemption::{Preemption, preempt};
use super::queue::Pending;
use super::state::State;
use super::testing::received;
use super::unfit::Diagnosis;

/// A line of the recording: a cluster, and the plugins' answers about one pod.
#[derive(Deserialize)]
struct Line {
    namespaces: Vec<DynamicObject>,
    nodes: Vec<DynamicObject>,
    budgets: Option<Vec<DynamicObject>>,
    pods: Option<Vec<Value>>,
    /// The pods that wait for their nominated node.
    nominated: Option<Vec<Value>>,
    /// The pod to schedule.
    pod: Value,
    answer: Answer,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Answer {
    refusals: BTreeMap<String, Refusal>,
    message: String,
    node: String,
    victims: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Refusal {
    reasons: Vec<String>,
    resolvable: bool,
}

impl Line {
    fn state(&self) -> State {
        let mut state = State::new(Nodeless::Wait);
        for namespace in &self.namespaces {
            let labels = serde_json::to_value(&namespace.metadata.labels).unwrap();
            state.set_namespace(namespace.metadata.name.as_deref().unwrap(), Some(labels.into()));
        }
        for node in &self.nodes {
            state.set_node(node.metadata.name.as_deref().unwrap(), Some(Node::of(node)));
        }
        state.budgets.replace(self.budgets.as_deref().unwrap_or_default());
        for pod in self.pods.iter().flatten() {
            state.bound(text(&pod["metadata"]["uid"]), text(&pod["spec"]["nodeName"]), &pod.clone().into());
        }
        for pod in self.nominated.iter().flatten() {
            state.nominate_again(&pending(pod));
        }
        state.nominate_again(&pending(&self.pod));
        state
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn pending(pod: &Value) -> Pending {
    Pending::new(text(&pod["metadata"]["uid"]), received(pod.clone().into()))
}

fn answer(state: &State, pod: &Pending) -> Answer {
    let cycle = Cycle::begin(pod, &state.cache, &state.nominator);
    let (mut answer, mut diagnosis) = (Answer::default(), Diagnosis::default());
    let (nodes, names) = (state.cache.nodes().count(), state.cache.node_names());
    for (node, info) in names.filter_map(|name| state.cache.node(name)) {
        let Some(rejection) = cycle.filter_with_nominated(node, info) else { continue };
        let reasons = rejection.reasons.iter().map(ToString::to_string).collect();
        answer.refusals.insert(node.name.clone(), Refusal { reasons, resolvable: rejection.is_resolvable });
        diagnosis.add(&node.name, rejection);
    }
    if answer.refusals.len() < nodes {
        return answer;
    }
    let preemption = preempt(&cycle, &diagnosis, &state.cache, &state.budgets);
    answer.message = format!("preemption: {}", preemption.message());
    if let Preemption::Nominated(candidate) = preemption {
        let victims = candidate.victims.iter().filter(|victim| !victim.is_terminating);
        answer.victims = victims.map(|victim| full_name(victim)).collect();
        answer.victims.sort();
        answer.node = candidate.node;
    }
    answer
}

fn full_name(pod: &PodInfo) -> String {
    format!("{}/{}", pod.namespace, pod.name)
}

#[test]
fn the_plugins_of_kube_scheduler_say_the_same() {
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/scheduling/decisions.jsonl");
    let decisions = env::var("SCHEDULING_DECISIONS").unwrap_or_else(|_| recorded.to_owned());
    for (n, line) in fs::read_to_string(decisions).unwrap().lines().enumerate() {
        let cluster: Line = serde_json::from_str(line).unwrap();
        assert_eq!(answer(&cluster.state(), &pending(&cluster.pod)), cluster.answer, "line {}: {line}", n + 1);
    }
}
