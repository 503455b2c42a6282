//! Compares the filters and the preemption with kube-scheduler's own plugins, on random clusters.
//! `peers/validation/scheduling` recorded the answers of the plugins.

use std::collections::BTreeMap;
use std::{env, fs};

use kube_client::api::DynamicObject;
use serde::Deserialize;
use serde_json::Value;

use super::Nodeless;
use super::cycle::Cycle;
use super::follow::key;
use super::node_info::Node;
use super::pod_info::PodInfo;
use super::preemption::{Preemption, preempt};
use super::queue::Pending;
use super::state::State;
use super::storage::{
    Claim, CsiDriver, CsiNode, CsiStorageCapacity, Hints, StorageClass, StorageKind, Volume, VolumeAttachment,
};
use super::testing::received;
use super::unfit::Diagnosis;
use super::volume_binding::{PodVolumes, StaticBinding};

/// A line of the recording: a cluster, and the plugins' answers about one pod.
#[derive(Deserialize)]
struct Line {
    namespaces: Vec<DynamicObject>,
    nodes: Vec<DynamicObject>,
    budgets: Option<Vec<DynamicObject>>,
    pods: Option<Vec<Value>>,
    /// The pods that wait for their nominated node.
    nominated: Option<Vec<Value>>,
    #[serde(flatten)]
    storage: Objects,
    /// The pod to schedule.
    pod: Value,
    answer: Answer,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Objects {
    claims: Vec<DynamicObject>,
    volumes: Vec<DynamicObject>,
    classes: Vec<DynamicObject>,
    csi_nodes: Vec<DynamicObject>,
    csi_drivers: Vec<DynamicObject>,
    capacities: Vec<DynamicObject>,
    attachments: Vec<DynamicObject>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Answer {
    refusals: BTreeMap<String, Refusal>,
    message: String,
    node: String,
    victims: Vec<String>,
    pre_filter: String,
    volumes: BTreeMap<String, ClaimsOfPod>,
}

/// The volumes that the pod's claims get on a node: the sizes of those that exist, and the claims whose volumes are made.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct ClaimsOfPod {
    bindings: Vec<i64>,
    provisions: Vec<String>,
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
        set::<Claim>(&mut state, &self.storage.claims);
        set::<Volume>(&mut state, &self.storage.volumes);
        set::<StorageClass>(&mut state, &self.storage.classes);
        set::<CsiNode>(&mut state, &self.storage.csi_nodes);
        set::<CsiDriver>(&mut state, &self.storage.csi_drivers);
        set::<CsiStorageCapacity>(&mut state, &self.storage.capacities);
        set::<VolumeAttachment>(&mut state, &self.storage.attachments);
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

fn set<T: StorageKind>(state: &mut State, objects: &[DynamicObject]) {
    for (version, object) in objects.iter().enumerate() {
        let mut object = object.clone();
        object.metadata.resource_version = Some(version.to_string());
        state.set_storage::<T>(&key(&object), Some(&object), &mut Hints::default());
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
    if let Some(why) = cycle.refusal() {
        let diagnosis = Diagnosis::refused(why, state.cache.nodes().count());
        let preemption = preempt(&cycle, &diagnosis, &state.cache, &state.budgets);
        let message = format!("preemption: {}", preemption.message());
        return Answer { pre_filter: why.to_owned(), message, ..answer };
    }
    let (nodes, names) = (state.cache.nodes().count(), state.cache.node_names());
    for (node, info) in names.filter_map(|name| state.cache.node(name)) {
        let Some(rejection) = cycle.filter_with_nominated(node, info) else {
            if let Some(volumes) = cycle.pod_volumes(node) {
                answer.volumes.insert(node.name.clone(), ClaimsOfPod::of(&volumes, state));
            }
            continue;
        };
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

impl ClaimsOfPod {
    fn of(volumes: &PodVolumes, state: &State) -> Self {
        let size = |binding: &StaticBinding| state.cache.storage.volumes.get(&binding.volume).unwrap().size;
        let mut bindings: Vec<_> = volumes.bindings.iter().map(size).collect();
        let mut provisions: Vec<_> = volumes.provisions.iter().map(|one| one.claim.name.to_string()).collect();
        bindings.sort_unstable();
        provisions.sort();
        Self { bindings, provisions }
    }
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
