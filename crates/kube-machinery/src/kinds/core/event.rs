//! The Event kind of the core group. The Event kind of the group `events.k8s.io` (`kinds::event`) shares its
//! validation, since both are stored in this form. Upstream: `pkg/apis/core/validation/events.go`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::names;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Dependents, Lifetime, ResourceRow, Strategy};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "events",
    singular: "event",
    kind: "Event",
    storage_hash: "r2yiGXH7wu8=",
    short_names: &["ev"],
    strategy: Strategy {
        lifetime: Lifetime::Short,
        dependents: Dependents::Unsupported,
        ..Strategy::CREATED_ON_UPDATE
    },
    cached: false,
    fields: &[
        ("involvedObject.kind", "involvedObject.kind", ""),
        ("involvedObject.namespace", "involvedObject.namespace", ""),
        ("involvedObject.name", "involvedObject.name", ""),
        ("involvedObject.uid", "involvedObject.uid", ""),
        ("involvedObject.apiVersion", "involvedObject.apiVersion", ""),
        ("involvedObject.resourceVersion", "involvedObject.resourceVersion", ""),
        ("involvedObject.fieldPath", "involvedObject.fieldPath", ""),
        ("reason", "reason", ""),
        ("reportingComponent", "reportingComponent", ""),
        ("type", "type", ""),
        ("source", "source.component", ""),
    ],
    name_rule: NameRule::Unchecked,
    validate,
    columns: columns::event::COLUMNS,
    ..ResourceRow::USUAL
};

/// The longest `reportingInstance`, `action` and `reason`, in bytes.
const REASON_LENGTH_LIMIT: usize = 128;
/// The longest `message`, in bytes.
const NOTE_LENGTH_LIMIT: usize = 1024;

fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    legacy_validate_event(new, "reportingComponent")
}

/// Validates an Event of any API version by the rules of `v1`. An Event with an `eventTime` was made for
/// `events.k8s.io`, and must name the component that reports it. `controller_field` is the name of that field in the
/// caller's API version. Upstream: `legacyValidateEvent`.
pub(in crate::kinds) fn legacy_validate_event(new: &Value, controller_field: &str) -> Causes {
    let text = |pointer: &str| new.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let namespace = text("/metadata/namespace");
    let involved = text("/involvedObject/namespace");
    let is_newer = !new["eventTime"].is_null();
    let mut causes = Causes::new();
    // An Event about a cluster-scoped object is in `default`; one with an `eventTime` may also be in `kube-system`.
    let agrees = match (is_newer, involved) {
        (false, "") => matches!(namespace, "" | "default"),
        (false, involved) => involved == namespace,
        (true, "") => matches!(namespace, "default" | "kube-system"),
        (true, _) => true,
    };
    if !agrees {
        causes.push(Cause::invalid("involvedObject.namespace", involved, "does not match event.namespace"));
    }
    if is_newer {
        let controller = text("/reportingComponent");
        if controller.is_empty() {
            causes.push(Cause::required(controller_field, ""));
        }
        for message in names::label_key(controller) {
            causes.push(Cause::invalid(controller_field, controller, &message));
        }
        for (field, is_required, most) in [
            ("reportingInstance", true, REASON_LENGTH_LIMIT),
            ("action", true, REASON_LENGTH_LIMIT),
            ("reason", true, REASON_LENGTH_LIMIT),
            ("message", false, NOTE_LENGTH_LIMIT),
        ] {
            causes.extend(length(field, text(&format!("/{field}")), is_required, most));
        }
    }
    causes
}

/// Checks the length of a text. A required one must not be empty. As upstream, the cause of a long text omits the text.
fn length(field: &str, text: &str, is_required: bool, most: usize) -> Option<Cause> {
    if text.is_empty() {
        return is_required.then(|| Cause::required(field, ""));
    }
    (text.len() > most).then(|| Cause::invalid(field, "", &format!("can have at most {most} characters")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    /// The cases of upstream's `TestValidateEvent` and `TestValidateNewEvent`
    /// (`pkg/apis/core/validation/events_test.go`). The next test has one more case for each limit.
    #[test]
    fn an_event_is_in_the_namespace_of_its_involved_object() {
        let sentences = |namespace: &str, involved: &str, newer: bool| {
            let mut event =
                json!({"metadata": {"name": "e", "namespace": namespace}, "involvedObject": {"namespace": involved}});
            if newer {
                event["eventTime"] = json!("2023-05-01T10:00:00.000000Z");
                event["reportingComponent"] = json!("k8s.io/my-controller");
                event["reportingInstance"] = json!("node-xyz");
                event["action"] = json!("Do");
                event["reason"] = json!("Because");
            }
            validate(&event, None).iter().map(Cause::sentence).collect::<Vec<_>>()
        };
        for (namespace, involved, newer) in [
            ("default", "", false),
            ("foo", "foo", false),
            ("default", "", true),
            ("kube-system", "", true),
            ("default", "foo", true),
        ] {
            assert_eq!(sentences(namespace, involved, newer), [""; 0], "{namespace} {involved} {newer}");
        }
        for (namespace, involved, newer) in
            [("foo", "", false), ("foo", "bar", false), ("default", "bar", false), ("foo", "", true)]
        {
            let expected =
                format!("involvedObject.namespace: Invalid value: {involved:?}: does not match event.namespace");
            assert_eq!(sentences(namespace, involved, newer), [expected], "{namespace} {involved} {newer}");
        }
    }

    #[test]
    fn an_event_with_an_event_time_names_its_reporter() {
        let sentences = |event: Value| validate(&event, None).iter().map(Cause::sentence).collect::<Vec<_>>();
        let metadata = json!({"name": "e", "namespace": "default"});
        let time = "2023-05-01T10:00:00.000000Z";
        assert_eq!(
            sentences(json!({"metadata": metadata, "eventTime": time})),
            [
                "reportingComponent: Required value".to_owned(),
                "reportingComponent: Invalid value: \"\": name part must be non-empty".to_owned(),
                format!("reportingComponent: Invalid value: \"\": name part {}", names::LABEL_KEY),
                "reportingInstance: Required value".to_owned(),
                "action: Required value".to_owned(),
                "reason: Required value".to_owned(),
            ]
        );
        let long = |length: usize| "x".repeat(length);
        let event = |short: usize, message: usize| {
            json!({
                "metadata": metadata, "eventTime": time, "reportingComponent": "my-controller",
                "reportingInstance": long(short), "action": long(short), "reason": long(short), "message": long(message),
            })
        };
        assert_eq!(sentences(event(128, 1024)), [""; 0]);
        let fields = [("reportingInstance", 128), ("action", 128), ("reason", 128), ("message", 1024)];
        let expected =
            fields.map(|(field, most)| format!("{field}: Invalid value: \"\": can have at most {most} characters"));
        assert_eq!(sentences(event(129, 1025)), expected);
    }
}
