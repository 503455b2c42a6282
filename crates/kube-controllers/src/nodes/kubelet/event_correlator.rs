//! Writes the scheduler's and the kubelet's Events about pods. An Event of the kubelet that was written before with the
//! same content is not written again; its count is incremented. The scheduler's have the newer form, without a count.
//! Upstream: `client-go/tools/record` and `client-go/tools/events`.

use std::sync::Arc;

use super::schedule::SCHEDULER;
use crate::clock::Clock;
use crate::nodes::events;
use crate::nodes::items::items;
use crate::nodes::requests::{Author, ObjectRef, Requests};
use kube_machinery::codec::merge_patch;
use kube_machinery::kinds::EVENTS;
use kube_machinery::value::{Value, json};

/// The component that reports the kubelet's Events.
pub(super) const KUBELET: &str = "kubelet";

/// The scheduler that reports Events: its name, and that of its machine.
const SCHEDULER_INSTANCE: &str = "default-scheduler-control-plane";

/// The longest text of an Event of the newer form, in bytes. Upstream: `NoteLengthLimit`.
const LONGEST_NOTE: usize = 1024;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct PodEvent {
    pub(super) kind: String,
    pub(super) reason: String,
    pub(super) message: String,
    /// The component that reports the Event.
    pub(super) from: String,
    pub(super) container: Option<String>,
    /// Another pod that the Event is about, such as the preemptor of a pod.
    pub(super) related: Option<Value>,
}

impl PodEvent {
    /// Makes an Event of a component about a whole pod.
    pub(super) fn of_pod(from: &str, kind: &str, reason: &str, message: String) -> Self {
        let (kind, reason, from) = (kind.to_owned(), reason.to_owned(), from.to_owned());
        Self { kind, reason, message, from, container: None, related: None }
    }

    /// Makes an Event of the kubelet about a container.
    pub(super) fn normal(reason: &str, message: String, container: &str) -> Self {
        Self { container: Some(container.to_owned()), ..Self::of_pod(KUBELET, "Normal", reason, message) }
    }

    /// Makes a warning of the kubelet, about a container if one is named.
    pub(super) fn warning(reason: &str, message: String, container: Option<String>) -> Self {
        Self { container, ..Self::of_pod(KUBELET, "Warning", reason, message) }
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
        // The scheduler writes each Event about another state of its pod, so none is a repetition.
        let is_repeated = |written: &WrittenEvent| written.event == event && event.from != SCHEDULER;
        let before = self.written.iter().position(is_repeated);
        if let Some(written) = before.map(|index| &mut self.written[index]) {
            let patch = json!({"count": written.count + 1, "lastTimestamp": self.clock.now()});
            let event_ref = ObjectRef { resource: EVENTS, namespace: namespace.clone(), name: written.name.clone() };
            if self.api.patch(author(&event), event_ref, patch).await.is_ok() {
                written.count += 1;
                return;
            }
        }
        match self.create(pod, &event).await {
            Ok(_) if event.from == SCHEDULER => {} // nothing counts it later
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

    /// Creates an Event, and returns its name.
    async fn create(&self, pod: &Value, event: &PodEvent) -> Result<String, kube_client::Error> {
        let text = |field: &str| pod["metadata"][field].as_str().unwrap_or_default();
        let nanos = self.clock.time().as_nanosecond() + self.written.len() as i128;
        let about = (text("namespace"), text("name"));
        events::create(&*self.api, author(event), about, nanos, |name| self.event_object(pod, name, event)).await
    }

    fn event_object(&self, pod: &Value, name: &str, event: &PodEvent) -> Value {
        let mut object = reference(pod);
        if let Some(container) = &event.container {
            let is_init = items(&pod["spec"]["initContainers"]).iter().any(|init| init["name"] == container.as_str());
            let list = if is_init { "initContainers" } else { "containers" };
            object["fieldPath"] = json!(format!("spec.{list}{{{container}}}"));
        }
        let mut written = json!({
            "metadata": {"name": name}, "involvedObject": object, "type": event.kind, "reason": event.reason,
            "message": event.message, "reportingComponent": event.from,
        });
        let form = if event.from == SCHEDULER { self.newer_form(event) } else { self.older_form(pod, event) };
        merge_patch::merge(&mut written, &form);
        written
    }

    /// Returns the fields of an Event that was written by the API `v1`.
    fn older_form(&self, pod: &Value, event: &PodEvent) -> Value {
        let node = pod["spec"]["nodeName"].as_str().filter(|_| event.from == KUBELET).unwrap_or_default();
        let now = self.clock.now();
        json!({
            "source": {"component": event.from, "host": node}, "reportingInstance": node,
            "firstTimestamp": now, "lastTimestamp": now, "count": 1,
        })
    }

    /// Returns the fields of an Event that was written by the API `events.k8s.io/v1`, as `v1` serves them. Upstream:
    /// `makeEvent` in `client-go/tools/events`.
    fn newer_form(&self, event: &PodEvent) -> Value {
        let action = match &*event.reason {
            "Scheduled" => "Binding",
            "Preempted" => "Preempting",
            _ => "Scheduling",
        };
        let mut form = json!({
            "eventTime": self.clock.now_micro(), "reportingInstance": SCHEDULER_INSTANCE, "action": action,
            "message": truncated(&event.message),
        });
        if let Some(related) = &event.related {
            form["related"] = reference(related);
        }
        form
    }
}

/// Returns a reference to a pod.
fn reference(pod: &Value) -> Value {
    let metadata = &pod["metadata"];
    json!({
        "kind": "Pod", "apiVersion": "v1", "namespace": metadata["namespace"], "name": metadata["name"],
        "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"],
    })
}

/// Cuts a text that is too long for an Event of the newer form. Upstream: `truncateMessage`.
fn truncated(message: &str) -> String {
    const SUFFIX: &str = " ...";
    if message.len() <= LONGEST_NOTE {
        return message.to_owned();
    }
    let end = (0..=LONGEST_NOTE - SUFFIX.len()).rev().find(|end| message.is_char_boundary(*end));
    format!("{}{SUFFIX}", &message[..end.unwrap_or_default()])
}

fn author(event: &PodEvent) -> Author {
    if event.from == SCHEDULER { Author::Scheduler } else { Author::Kubelet }
}
