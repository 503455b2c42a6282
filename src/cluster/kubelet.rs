//! A small scheduler and kubelet: an ordinary client of the API that watches pods and runs them through their stages.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::time::Duration;

use futures::TryStreamExt;
use http::Request;
use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, Preconditions, WatchEvent, WatchParams};
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::clock::Clock;
use super::resources::PODS;
use super::stages::{Action, Stage, Stages};

/// How long the kubelet waits before it tries again to reach the API.
const RETRY: Duration = Duration::from_secs(1);

/// What the API says about a pod that is not there, or not the same any more: not found, conflict.
const GONE: [u16; 2] = [404, 409];

/// How far the kubelet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Every change of a pod up to this revision was seen.
    pub(crate) seen: u64,
    /// How many pods are in the middle of their stages.
    pub(crate) busy: usize,
}

/// One task; the stages of each pod are tasks of it.
pub(crate) struct Kubelet {
    client: Client,
    stages: Stages,
    clock: Clock,
    progress: watch::Sender<Progress>,
    running: JoinSet<String>,
    /// By uid: each pod whose stages are running or were run to their end.
    pods: BTreeMap<String, Managed>,
    addresses: u32,
}

struct Managed {
    stage: Lifecycle,
    address: u32,
    task: AbortHandle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lifecycle {
    Run,
    Delete,
}

/// Why the kubelet starts over with a list.
#[derive(Debug, thiserror::Error)]
enum Interruption {
    #[error(transparent)]
    Api(#[from] kube::Error),
    #[error("the watch was ended by the server: {0}")]
    Watch(String),
}

impl Kubelet {
    pub(crate) fn new(client: Client, stages: Stages, clock: Clock, progress: watch::Sender<Progress>) -> Self {
        let (running, pods) = (JoinSet::new(), BTreeMap::new());
        Self { client, stages, clock, progress, running, pods, addresses: 0 }
    }

    /// Works until it is stopped.
    pub(crate) async fn run(mut self, stop: CancellationToken) {
        loop {
            let interrupted = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Err(interrupted) = self.follow() => interrupted,
            };
            tracing::debug!(%interrupted, "the kubelet lists again");
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = tokio::time::sleep(RETRY) => {}
            }
        }
        self.running.shutdown().await;
    }

    /// Lists and watches the pods of all namespaces; only ends with an error.
    async fn follow(&mut self) -> Result<std::convert::Infallible, Interruption> {
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &PODS.dynamic());
        let list = api.list(&ListParams::default()).await?;
        let mut version = list.metadata.resource_version.unwrap_or_default();
        let there: BTreeSet<String> = list.items.iter().filter_map(ResourceExt::uid).collect();
        self.pods.retain(|uid, managed| {
            let stays = there.contains(uid);
            if !stays {
                managed.task.abort();
            }
            stays
        });
        for pod in &list.items {
            self.consider(pod);
        }
        self.saw(&version);
        loop {
            let mut events = pin!(api.watch(&WatchParams::default(), &version).await?);
            loop {
                let event = tokio::select! {
                    biased;
                    Some(ended) = self.running.join_next() => {
                        self.ended(ended.ok());
                        continue;
                    }
                    event = events.try_next() => event?,
                };
                match event {
                    None => break, // the watch's time was over
                    Some(WatchEvent::Added(pod) | WatchEvent::Modified(pod)) => {
                        self.consider(&pod);
                        version = pod.resource_version().unwrap_or_default();
                    }
                    Some(WatchEvent::Deleted(pod)) => {
                        if let Some(managed) = self.pods.remove(&pod.uid().unwrap_or_default()) {
                            managed.task.abort();
                        }
                        version = pod.resource_version().unwrap_or_default();
                    }
                    Some(WatchEvent::Bookmark(bookmark)) => version = bookmark.metadata.resource_version,
                    Some(WatchEvent::Error(status)) => return Err(Interruption::Watch(status.message)),
                }
                self.saw(&version);
            }
        }
    }

    /// Begins the stages that a pod needs, once.
    fn consider(&mut self, pod: &DynamicObject) {
        let bound = pod.data["spec"]["nodeName"].is_string();
        let (stage, stages) = match pod.metadata.deletion_timestamp {
            Some(_) => (Lifecycle::Delete, &self.stages.delete),
            None if !bound => (Lifecycle::Run, &self.stages.run),
            None => return,
        };
        let uid = pod.uid().unwrap_or_default();
        let before = self.pods.get(&uid);
        if before.is_some_and(|managed| managed.stage == stage) || stages.is_empty() {
            return;
        }
        let address = before.map_or(self.addresses + 1, |managed| {
            managed.task.abort(); // a pod that is being deleted is not started any further
            managed.address
        });
        self.addresses = self.addresses.max(address);
        let hands = Hands { client: self.client.clone(), clock: self.clock, address: ip(address) };
        let task = self.running.spawn(play(hands, pod.clone(), stages.clone()));
        self.pods.insert(uid, Managed { stage, address, task });
    }

    fn ended(&mut self, uid: Option<String>) {
        if let Some(uid) = uid {
            tracing::trace!(uid, "the stages of a pod came to their end");
        }
        self.progress.send_modify(|progress| progress.busy = self.running.len());
    }

    fn saw(&mut self, version: &str) {
        let busy = self.running.len();
        self.progress.send_modify(|progress| {
            *progress = Progress { seen: version.parse().unwrap_or_default(), busy };
        });
    }
}

/// The address of the n-th pod.
fn ip(n: u32) -> String {
    let [_, b, c, d] = n.to_be_bytes();
    format!("10.{}.{c}.{d}", 244 | b)
}

/// What the stages of one pod work with.
struct Hands {
    client: Client,
    clock: Clock,
    address: String,
}

/// Runs a pod through its stages; gives back its uid. Ends early if the pod is gone or another has its name.
async fn play(hands: Hands, pod: DynamicObject, stages: Vec<Stage>) -> String {
    for stage in &stages {
        tokio::time::sleep(stage.after).await;
        match hands.perform(&pod, &stage.action).await {
            Ok(()) => {}
            Err(kube::Error::Api(status)) if GONE.contains(&status.code) => break,
            Err(error) => {
                tracing::warn!(pod = pod.name_any(), %error, "the kubelet gives a pod up");
                break;
            }
        }
    }
    pod.uid().unwrap_or_default()
}

impl Hands {
    async fn perform(&self, pod: &DynamicObject, action: &Action) -> Result<(), kube::Error> {
        let (name, uid) = (pod.name_any(), pod.uid());
        let namespace = pod.namespace().unwrap_or_default();
        let pods: Api<DynamicObject> = Api::namespaced_with(self.client.clone(), &namespace, &PODS.dynamic());
        match action {
            Action::Bind(node) => self.bind(pod, node).await?,
            Action::Status(status) => {
                let mut status = status.clone();
                self.fill_in(&mut status);
                each_container(&mut status, pod);
                let patch = json!({"metadata": {"uid": uid}, "status": status});
                pods.patch_status(&name, &PatchParams::default(), &Patch::Merge(patch)).await?;
            }
            Action::Annotations(annotations) => {
                let mut annotations = json!(annotations);
                self.fill_in(&mut annotations);
                let patch = json!({"metadata": {"uid": uid, "annotations": annotations}});
                pods.patch(&name, &PatchParams::default(), &Patch::Merge(patch)).await?;
            }
            Action::Remove => {
                let preconditions = Preconditions { uid, ..Preconditions::default() };
                let params = DeleteParams {
                    grace_period_seconds: Some(0),
                    preconditions: Some(preconditions),
                    ..DeleteParams::default()
                };
                pods.delete(&name, &params).await?;
            }
        }
        Ok(())
    }

    async fn bind(&self, pod: &DynamicObject, node: &str) -> Result<(), kube::Error> {
        let (namespace, name) = (pod.namespace().unwrap_or_default(), pod.name_any());
        let binding = json!({
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name, "uid": pod.uid()},
            "target": {"kind": "Node", "name": node},
        });
        let request = Request::post(format!("/api/v1/namespaces/{namespace}/pods/{name}/binding"))
            .header(http::header::CONTENT_TYPE, "application/json")
            .body(binding.to_string().into_bytes())
            .map_err(kube::Error::HttpError)?;
        self.client.request::<Value>(request).await.map(|_| ())
    }

    /// Replaces `$now` and `$podIP` in every text.
    fn fill_in(&self, value: &mut Value) {
        match value {
            Value::String(text) if text.contains('$') => {
                *text = text.replace("$now", &self.clock.now()).replace("$podIP", &self.address);
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill_in(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.fill_in(field)),
            _ => {}
        }
    }
}

/// Makes of a container status that is named `*` one for each container of the pod.
fn each_container(status: &mut Value, pod: &DynamicObject) {
    let containers = pod.data["spec"]["containers"].as_array().map_or(&[][..], Vec::as_slice);
    if let Some(list) = status.get_mut("containerStatuses").and_then(Value::as_array_mut) {
        *list = std::mem::take(list)
            .into_iter()
            .flat_map(|entry| {
                let wildcard = entry["name"] == "*";
                let names = if wildcard { containers } else { &[] };
                let copies: Vec<Value> = names
                    .iter()
                    .map(|container| {
                        let mut copy = entry.clone();
                        copy["name"] = container["name"].clone();
                        copy["image"] = container["image"].clone();
                        copy
                    })
                    .collect();
                if wildcard { copies } else { vec![entry] }
            })
            .collect();
    }
}
