//! Performs the actions of one pod's stages: the requests that on a real cluster the scheduler, the kubelet, the
//! network plugin and the containers would cause. `run_stages.rs` decides when.

use crate::nodes::dynamic::api_resource;
use std::sync::Arc;
use std::time::Duration;

use kube_client::api::{DeleteParams, DynamicObject, Preconditions};
use kube_client::{Api, Client};

use super::catch_up;
use super::containers::{self, KILLING};
use super::event_correlator::{EventCorrelator, PodEvent};
use super::prepare::Prepared;
use super::texts::{fill_in, filled, go_duration};
use super::{KubeletContext, Resting};
use crate::nodes::items::items;
use crate::nodes::node;
use crate::nodes::requests::{Author, ObjectRef, Received};
use crate::nodes::stages::{Binding, Notice, Stage, StageAction, Subject};
use kube_machinery::kinds::PODS;
use kube_machinery::value::{Array, Value, json};

pub(super) struct PodWorker {
    pub(super) context: KubeletContext,
    pub(super) recorder: EventCorrelator,
    /// The pod's state after the last write.
    pub(super) pod: Received,
    pub(super) pod_ip: String,
    pub(super) host_ip: String,
    /// The stages of each init container.
    pub(super) init: Arc<[Stage]>,
    /// The index of the init container that the stages are about, if they are not about the regular containers.
    pub(super) initializing: Option<usize>,
    pub(super) prepared: Prepared,
    /// Whether the kubelet has failed the pod, so that no further stage runs.
    pub(super) is_over: bool,
}

impl PodWorker {
    pub(super) fn new(context: KubeletContext, pod: Received, pod_ip: String) -> Self {
        let recorder = EventCorrelator::new(context.api.clone(), context.clock);
        let host_ip = pod["status"]["hostIP"].as_str().unwrap_or(node::FIRST_ADDRESS).to_owned();
        let prepared = Prepared::before(&pod);
        let (init, initializing) = (Arc::default(), None);
        Self { context, recorder, pod, pod_ip, host_ip, init, initializing, prepared, is_over: false }
    }

    /// Returns the pod's address: that of its node, if it uses the network of the node.
    pub(super) fn ip(&self) -> &str {
        if self.pod["spec"]["hostNetwork"] == true { &self.host_ip } else { &self.pod_ip }
    }

    /// Writes a warning about the pod, if there is a reason for one.
    pub(super) async fn warn(&mut self, reason: &str, message: Option<String>) {
        if let Some(message) = message {
            self.recorder.record(&self.pod, PodEvent::warning(reason, message, None)).await;
        }
    }

    /// Chooses the stages of each init container.
    pub(super) fn with_init(self, init: Arc<[Stage]>) -> Self {
        Self { init, ..self }
    }

    /// Waits until the node that the pod is bound to exists and is not silent, because only that node's kubelet runs
    /// the pod.
    pub(super) async fn wait_for_node(&mut self) {
        let (Some(scheduler), Some(node)) = (&mut self.context.scheduler, self.pod["spec"]["nodeName"].as_str()) else {
            return;
        };
        if !scheduler.runs(node).await {
            let _resting = Resting::new(&self.context.progress);
            while !scheduler.runs(node).await {
                scheduler.changed().await;
            }
        }
    }

    /// Marks the pod as one whose stages never end, as long as the returned guard lives.
    pub(super) fn mark_resting(&self) -> Resting {
        Resting::new(&self.context.progress)
    }

    /// Performs the action of a stage, once everything is there that the action needs. `backoff` is the value of
    /// `$backoff`.
    pub(super) async fn perform(&mut self, action: &StageAction, backoff: Duration) -> Result<(), kube_client::Error> {
        self.prepare(action).await?;
        if self.is_over {
            return Ok(()); // an init container has failed
        }
        match action {
            StageAction::Bind(Binding::Node(node)) if self.pod["spec"]["nodeName"] == node.as_str() => Ok(()),
            StageAction::Bind(Binding::Node(node)) => self.bind(node).await,
            StageAction::Bind(Binding::Scheduled) => self.schedule().await,
            StageAction::Status(status) => {
                let mut status = status.clone();
                self.fill_in(&mut status, backoff);
                each_container(&mut status, &self.pod);
                self.write_status(status).await
            }
            StageAction::Containers(change, extra) => self.containers(change, extra.as_ref(), backoff).await,
            StageAction::Annotations(annotations) => {
                let mut annotations = json!(annotations);
                self.fill_in(&mut annotations, backoff);
                let patch = json!({"metadata": {"uid": self.uid(), "annotations": annotations}});
                self.pod = self.context.api.patch(Author::Kubelet, self.reference(), patch).await?;
                Ok(())
            }
            StageAction::Event(notice) => {
                self.record(notice, backoff).await;
                Ok(())
            }
            StageAction::Log(text) => {
                self.log(text, backoff);
                Ok(())
            }
            StageAction::Remove => {
                let preconditions = Preconditions { uid: Some(self.uid().to_owned()), ..Preconditions::default() };
                let params = DeleteParams {
                    grace_period_seconds: Some(0),
                    preconditions: Some(preconditions),
                    ..DeleteParams::default()
                };
                self.pods().delete(self.name(), &params).await.map(|_| ())
            }
            StageAction::Steps(_) | StageAction::Repeat(..) => Ok(()), // `run_round` runs these
        }
    }

    pub(super) async fn bind(&mut self, node: &str) -> Result<(), kube_client::Error> {
        let metadata = json!({"name": self.name(), "uid": self.uid()});
        let binding = json!({"metadata": metadata, "target": {"kind": "Node", "name": node}});
        self.pod = self.context.api.bind(self.reference(), binding).await?;
        Ok(())
    }

    pub(super) async fn write_status(&mut self, status: Value) -> Result<(), kube_client::Error> {
        self.write_status_as(Author::Kubelet, status).await
    }

    pub(super) async fn write_status_as(&mut self, author: Author, status: Value) -> Result<(), kube_client::Error> {
        let (pod, uid) = (self.reference(), self.uid().to_owned());
        self.pod = self.context.api.write_status(author, pod, uid, status).await?;
        Ok(())
    }

    /// Reacts to a changed spec. Returns the pod's uid.
    pub(super) async fn catch_up(mut self) -> String {
        loop {
            match self.catch_up_once().await {
                Ok(true) => {} // the spec may have changed again
                Ok(false) => break,
                Err(error) => {
                    tracing::debug!(pod = self.name(), %error, "a part of the status could not be written");
                    break;
                }
            }
        }
        self.uid().to_owned()
    }

    /// Writes the reaction to the pod as it is now, because a stage may have changed its status meanwhile, and the
    /// Events of the containers that were started again. Returns false if there is nothing to react to.
    async fn catch_up_once(&mut self) -> Result<bool, kube_client::Error> {
        self.wait_for_node().await;
        let now = self.context.clock.now();
        self.pod = self.context.api.get(self.reference()).await?;
        let Some(reaction) = catch_up::reaction(&self.pod, &now) else { return Ok(false) };
        self.write_status(reaction.status).await?;
        for container in reaction.restarted {
            let text = |field: &str| container[field].as_str().unwrap_or_default();
            let (name, image) = (text("name"), text("image"));
            for (reason, message) in [
                (KILLING, format!("Container {name} definition changed, will be restarted")),
                (
                    "Pulled",
                    format!("Container image {image:?} already present on machine and can be accessed by the pod"),
                ),
                ("Created", "Container created".to_owned()),
                ("Started", "Container started".to_owned()),
            ] {
                self.recorder.record(&self.pod, PodEvent::normal(reason, message, name)).await;
            }
        }
        Ok(true)
    }

    /// Writes an Event about the pod, or one about each container.
    async fn record(&mut self, notice: &Notice, backoff: Duration) {
        let containers: Vec<Option<Container>> = match notice.of {
            Subject::Pod => vec![None],
            Subject::Containers if notice.reason == KILLING => {
                containers::running(&self.pod).map(Container::of).map(Some).collect()
            }
            Subject::Containers => self.containers_at_work().iter().map(Container::of).map(Some).collect(),
        };
        for container in containers {
            let message = self.filled(&notice.message, container.as_ref(), backoff);
            let event = PodEvent::of_pod(&notice.from, &notice.kind, &notice.reason, message);
            let container = container.map(|container| container.name);
            self.recorder.record(&self.pod, PodEvent { container, ..event }).await;
        }
    }

    /// Appends a line to the log of each container.
    fn log(&self, text: &str, backoff: Duration) {
        let restarts = containers::restarts(&self.pod);
        for container in self.containers_at_work().iter().map(Container::of) {
            let run = restarts.get(&*container.name).copied().unwrap_or_default();
            let text = self.filled(text, Some(&container), backoff);
            self.context.logs.append(self.uid(), &container.name, run, self.context.clock.time(), text);
        }
    }

    /// Returns the containers, as in the spec, that the stages are about now.
    pub(super) fn containers_at_work(&self) -> &[Value] {
        match self.initializing {
            Some(index) => items(&self.pod["spec"]["initContainers"]).get(index..=index).unwrap_or_default(),
            None => items(&self.pod["spec"]["containers"]),
        }
    }

    pub(super) fn fill_in(&self, value: &mut Value, backoff: Duration) {
        let (now, backoff) = (self.context.clock.now(), go_duration(backoff));
        fill_in(value, &self.names(&now, &backoff));
    }

    fn filled(&self, text: &str, container: Option<&Container>, backoff: Duration) -> String {
        let (now, backoff) = (self.context.clock.now(), go_duration(backoff));
        let mut names = self.names(&now, &backoff).to_vec();
        if let Some(container) = container {
            names.extend([("container", container.name.as_str()), ("image", container.image.as_str())]);
        }
        filled(text, &names)
    }

    /// Returns the variables that texts of stages may contain.
    fn names<'a>(&'a self, now: &'a str, backoff: &'a str) -> [(&'a str, &'a str); 8] {
        let node = self.pod["spec"]["nodeName"].as_str().unwrap_or_default();
        [
            ("now", now),
            ("podIP", self.ip()),
            ("hostIP", &self.host_ip),
            ("pod", self.name()),
            ("namespace", self.text("namespace")),
            ("uid", self.uid()),
            ("node", node),
            ("backoff", backoff),
        ]
    }

    pub(super) fn reference(&self) -> ObjectRef {
        ObjectRef { resource: PODS, namespace: self.text("namespace").to_owned(), name: self.name().to_owned() }
    }

    fn pods(&self) -> Api<DynamicObject> {
        let client: Client = self.context.client.clone();
        Api::namespaced_with(client, self.text("namespace"), &api_resource(PODS))
    }

    pub(super) fn name(&self) -> &str {
        self.text("name")
    }

    pub(super) fn uid(&self) -> &str {
        self.text("uid")
    }

    /// Returns a field of the metadata.
    pub(super) fn text(&self, field: &str) -> &str {
        self.pod["metadata"][field].as_str().unwrap_or_default()
    }
}

struct Container {
    name: String,
    image: String,
}

impl Container {
    /// Reads a container of a spec.
    fn of(container: &Value) -> Self {
        let text = |field: &str| container[field].as_str().unwrap_or_default().to_owned();
        Self { name: text("name"), image: text("image") }
    }
}

/// Replaces a container status with the name `*` by one for each container of the pod.
fn each_container(status: &mut Value, pod: &Value) {
    let containers = pod["spec"]["containers"].as_array().map_or(&[][..], Array::as_slice);
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
