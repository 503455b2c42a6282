//! Writes the scheduler's and the kubelet's Events about pods. An Event that was written before with the same content
//! is not written again; its count is incremented. Upstream: `client-go/tools/record`.

use std::sync::Arc;

use super::schedule::SCHEDULER;
use crate::clock::Clock;
use crate::nodes::items::items;
use crate::nodes::requests::{Author, ObjectRef, Requests};
use kube_machinery::kinds::EVENTS;
use kube_machinery::value::{Value, json};

/// The component that reports the kubelet's Events.
pub(super) const KUBELET: &str = "kubelet";

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PodEvent {
    pub(super) kind: String,
    pub(super) reason: String,
    pub(super) message: String,
    /// The component that reports the Event.
    pub(super) from: String,
    pub(super) container: Option<String>,
}

impl PodEvent {
    /// Makes an Event of the kubelet about a container.
    pub(super) fn normal(reason: &str, message: String, container: &str) -> Self {
        let (kind, container) = ("Normal".to_owned(), Some(container.to_owned()));
        Self { kind, reason: reason.to_owned(), message, from: KUBELET.to_owned(), container }
    }

    /// Makes a warning of the kubelet, about a container if one is named.
    pub(super) fn warning(reason: &str, message: String, container: Option<String>) -> Self {
        Self { kind: "Warning".to_owned(), reason: reason.to_owned(), message, from: KUBELET.to_owned(), container }
    }
}

struct WrittenEvent {
    event: PodEvent,
    name: String,
    count: u32,
}

/// Writes the Events of one pod.
pub(super) struct EventCorrelator {
    api: Arc<dyn Requests>,
    clock: Clock,
    /// The different Events so far. A pod has few of them.
    written: Vec<WrittenEvent>,
}

impl EventCorrelator {
    pub(super) fn new(api: Arc<dyn Requests>, clock: Clock) -> Self {
        Self { api, clock, written: Vec::new() }
    }

    /// Writes an Event about a pod, or increments its count. As upstream, an Event that cannot be written is dropped.
    pub(super) async fn record(&mut self, pod: &Value, event: PodEvent) {
        let namespace = pod["metadata"]["namespace"].as_str().unwrap_or_default().to_owned();
        let before = self.written.iter().position(|written| written.event == event);
        if let Some(written) = before.map(|index| &mut self.written[index]) {
            let patch = json!({"count": written.count + 1, "lastTimestamp": self.clock.now()});
            let event_ref = ObjectRef { resource: EVENTS, namespace: namespace.clone(), name: written.name.clone() };
            if self.api.patch(author(&event), event_ref, patch).await.is_ok() {
                written.count += 1;
                return;
            }
        }
        match self.create(pod, &event).await {
            Ok(name) => {
                let written_event = WrittenEvent { event, name, count: 1 };
                match before {
                    Some(index) => self.written[index] = written_event,
                    None => self.written.push(written_event),
                }
            }
            Err(error) => tracing::debug!(%error, "an Event could not be written"),
        }
    }

    /// Creates an Event, and returns its name. Upstream's names end with the time. Paused time may not advance between
    /// two Events, so the next free name is taken.
    async fn create(&self, pod: &Value, event: &PodEvent) -> Result<String, kube_client::Error> {
        let text = |field: &str| pod["metadata"][field].as_str().unwrap_or_default();
        let author = author(event);
        let mut nanos = self.clock.time().as_nanosecond() + self.written.len() as i128;
        loop {
            let name = format!("{}.{nanos:x}", text("name"));
            let object = self.event_object(pod, &name, event);
            match self.api.create(author, EVENTS, text("namespace").to_owned(), object).await {
                Err(kube_client::Error::Api(status)) if status.reason == "AlreadyExists" => nanos += 1,
                done => return done.map(|()| name),
            }
        }
    }

    fn event_object(&self, pod: &Value, name: &str, event: &PodEvent) -> Value {
        let metadata = &pod["metadata"];
        let mut object = json!({
            "kind": "Pod", "apiVersion": "v1", "namespace": metadata["namespace"], "name": metadata["name"],
            "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"],
        });
        if let Some(container) = &event.container {
            let is_init = items(&pod["spec"]["initContainers"]).iter().any(|init| init["name"] == container.as_str());
            let list = if is_init { "initContainers" } else { "containers" };
            object["fieldPath"] = json!(format!("spec.{list}{{{container}}}"));
        }
        let node = pod["spec"]["nodeName"].as_str().filter(|_| event.from == KUBELET).unwrap_or_default();
        let now = self.clock.now();
        json!({
            "metadata": {"name": name}, "involvedObject": object, "type": event.kind, "reason": event.reason, "message": event.message,
            "source": {"component": event.from, "host": node}, "reportingComponent": event.from, "reportingInstance": node,
            "firstTimestamp": now, "lastTimestamp": now, "count": 1,
        })
    }
}

fn author(event: &PodEvent) -> Author {
    if event.from == SCHEDULER { Author::Scheduler } else { Author::Kubelet }
}
