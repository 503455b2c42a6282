//! The columns that `kubectl get` shows for Events of both API groups. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use jiff::Timestamp;

use super::age::age;
use super::{Column, NAME, text};
use crate::value::Value;

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    Column::new("Last Seen", "The time at which the most recent occurrence of this event was recorded.", last_seen),
    Column::new("Type", "Type of this event (Normal, Warning), new types could be added in the future", |event, _| text(event, "/type")),
    Column::new("Reason", "This should be a short, machine understandable string that gives the reason for the transition into the object's current status.", |event, _| text(event, "/reason")),
    Column::new("Object", "The object that this event is about.", |event, _| object(event).into()),
    Column::new("Subobject", "If referring to a piece of an object instead of an entire object, this string should contain a valid JSON/Go field access statement, such as desiredState.manifest.containers[2]. For example, if the object reference is to a container within a pod, this would take on a value like: \"spec.containers{name}\" (where \"name\" refers to the name of the container that triggered the event) or if no container name is specified \"spec.containers[2]\" (container with index 2 in this pod). This syntax is chosen only to have some well-defined way of referencing a part of an object.", |event, _| text(event, "/involvedObject/fieldPath")).wide(),
    Column::new("Source", "The component reporting this event. Should be a short machine understandable string.", |event, _| source(event).into()).wide(),
    Column::new("Message", "A human-readable description of the status of this operation.", |event, _| {
        event["message"].as_str().unwrap_or_default().trim().into()
    }),
    Column::new("First Seen", "The time at which the event was first recorded. (Time of server receipt is in TypeMeta.)", first_seen).wide(),
    Column::new("Count", "The number of times this event has occurred.", |event, _| count(event).into()).wide(),
    NAME.wide(),
];

fn first_seen(event: &Value, now: Timestamp) -> Value {
    let time = ["firstTimestamp", "eventTime"].iter().map(|field| &event[*field]).find(|time| time.is_string());
    age(time.unwrap_or(&Value::Null), now).into()
}

fn last_seen(event: &Value, now: Timestamp) -> Value {
    if event["series"].is_object() {
        return age(&event["series"]["lastObservedTime"], now).into();
    }
    match &event["lastTimestamp"] {
        time @ Value::String(_) => age(time, now).into(),
        _ => first_seen(event, now),
    }
}

/// Returns the number of occurrences. An `events.k8s.io` Event that happened once has no count, so 0 becomes 1.
fn count(event: &Value) -> i64 {
    let own = event["count"].as_i64().unwrap_or_default();
    match &event["series"] {
        Value::Object(series) => series.get("count").and_then(Value::as_i64).unwrap_or_default(),
        _ if own == 0 => 1,
        _ => own,
    }
}

fn object(event: &Value) -> String {
    let part = |field: &str| event["involvedObject"][field].as_str().unwrap_or_default();
    let kind = part("kind").to_lowercase();
    if part("name").is_empty() { kind } else { format!("{kind}/{}", part("name")) }
}

/// Returns the component and host that reported the event. The older fields win over those of `events.k8s.io`.
fn source(event: &Value) -> String {
    let either = |old: &str, new: &str| {
        let old = event["source"][old].as_str().filter(|text| !text.is_empty());
        old.or(event[new].as_str()).unwrap_or_default().to_owned()
    };
    let (component, instance) = (either("component", "reportingComponent"), either("host", "reportingInstance"));
    if instance.is_empty() { component } else { format!("{component}, {instance}") }
}
