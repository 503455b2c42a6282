//! The Event kind of the group `events.k8s.io`. Its objects are the Events of the core group (`core::event`): they are
//! stored in the core group's form, whose fields have other names, and only their validation is stricter. Upstream:
//! `pkg/apis/events/v1/conversion.go`, `pkg/apis/core/validation/events.go`.

use super::core::event::{self as core_event, legacy_validate_event};
use super::fields::{number, text};
use super::metadata;
use super::names::NameRule;
use super::resource::{Resource, ResourceRow, StoredForm};
use crate::codec::schema;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::object;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(super) const ROW: ResourceRow = ResourceRow {
    group: "events.k8s.io",
    fields: &[
        // Each row is the name in selectors, the path in the stored form, and the value that is compared if the field
        // is missing. The order is that of the core group's fields: a selector refers to a field by its index.
        ("regarding.kind", "involvedObject.kind", ""),
        ("regarding.namespace", "involvedObject.namespace", ""),
        ("regarding.name", "involvedObject.name", ""),
        ("regarding.uid", "involvedObject.uid", ""),
        ("regarding.apiVersion", "involvedObject.apiVersion", ""),
        ("regarding.resourceVersion", "involvedObject.resourceVersion", ""),
        ("regarding.fieldPath", "involvedObject.fieldPath", ""),
        ("reason", "reason", ""),
        ("reportingController", "reportingComponent", ""),
        ("type", "type", ""),
    ],
    validate,
    stored_form: Some(&StoredForm {
        stored: Resource { row: &core_event::ROW, custom: None },
        into_stored,
        from_stored,
    }),
    ..core_event::ROW
};

/// The fields with another name in the core group: the name in `events.k8s.io`, then that in the core group.
const NAMES: [(&str, &str); 7] = [
    ("regarding", "involvedObject"),
    ("note", "message"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
    ("reportingController", "reportingComponent"),
];

fn into_stored(event: Value) -> Value {
    renamed(event, NAMES, "Event")
}

fn from_stored(event: Value) -> Value {
    renamed(event, NAMES.map(|(here, there)| (there, here)), "events.Event")
}

/// Renames the fields, and decodes the result as `go_type`, which adds the required fields of that type.
fn renamed(mut event: Value, names: [(&str, &str); 7], go_type: &str) -> Value {
    let fields = object(&mut event);
    for (from, to) in names {
        if let Some(value) = fields.remove(from) {
            fields.insert(to.into(), value);
        }
    }
    // The fields have the same types in both groups, so decoding cannot fail.
    schema::decode(go_type, event).map(|decoded| decoded.value).unwrap_or_default()
}

/// Validates the stored form. As upstream, the causes have the field names of that form, but for `reportingController`.
/// Upstream: `ValidateEventCreate` and `ValidateEventUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = legacy_validate_event(new, "reportingController");
    match old {
        None => causes.extend(validate_new(new)),
        Some(old) => causes.extend(validate_update(new, old)),
    }
    causes
}

/// Validates a new Event of this group, which must not set the deprecated fields.
fn validate_new(new: &Value) -> Causes {
    let mut causes = metadata::validate_object_meta(new, NameRule::Subdomain);
    causes.extend(metadata::unqualified_finalizers(new));
    causes.extend(series(new));
    if new["eventTime"].is_null() {
        causes.push(Cause::required("eventTime", ""));
    }
    let kind = text(new, "type");
    if !matches!(kind, "Normal" | "Warning") {
        causes.push(Cause::invalid("type", "", &format!("has invalid value: {kind}")));
    }
    let source = &new["source"];
    for (field, is_set) in [
        ("firstTimestamp", !new["firstTimestamp"].is_null()),
        ("lastTimestamp", !new["lastTimestamp"].is_null()),
        ("count", number(new, "count") != 0),
        ("source", !(text(source, "component").is_empty() && text(source, "host").is_empty())),
    ] {
        if is_set {
            causes.push(Cause::invalid(field, "", "needs to be unset"));
        }
    }
    causes
}

/// Validates the series of an Event that occurred repeatedly. Upstream: `validateV1EventSeries`.
fn series(event: &Value) -> Causes {
    let series = &event["series"];
    let mut causes = Causes::new();
    if series.is_object() {
        if number(series, "count") < 2 {
            causes.push(Cause::invalid("series.count", "", "should be at least 2"));
        }
        if series["lastObservedTime"].is_null() {
            causes.push(Cause::required("series.lastObservedTime", ""));
        }
    }
    causes
}

/// The Go structs of the fields that an update must not change, as upstream's causes print them.
const REFERENCE: GoStruct = GoStruct(&[
    ("Kind", "kind", Field::Text),
    ("Namespace", "namespace", Field::Text),
    ("Name", "name", Field::Text),
    ("UID", "uid", Field::Text),
    ("APIVersion", "apiVersion", Field::Text),
    ("ResourceVersion", "resourceVersion", Field::Text),
    ("FieldPath", "fieldPath", Field::Text),
]);
const SOURCE: GoStruct = GoStruct(&[("Component", "component", Field::Text), ("Host", "host", Field::Text)]);

/// Validates an update, which may change only the metadata and the series.
fn validate_update(new: &Value, old: &Value) -> Causes {
    let mut causes = metadata::validate_object_meta_update(new, old);
    causes.extend(metadata::unqualified_finalizers(new));
    if new["series"] != old["series"] {
        causes.extend(series(new));
    }
    let shown = |field: &str, value: &Value| match field {
        "involvedObject" => REFERENCE.print(value),
        "related" if value.is_object() => REFERENCE.print(value),
        "source" => SOURCE.print(value),
        "count" => number(new, field).to_string(),
        "eventTime" | "firstTimestamp" | "lastTimestamp" | "related" => value.to_string(),
        _ => Value::from(text(new, field)).to_string(),
    };
    for (field, field_in_cause) in [
        ("involvedObject", "involvedObject"),
        ("reason", "reason"),
        ("message", "message"),
        ("source", "source"),
        ("firstTimestamp", "firstTimestamp"),
        ("lastTimestamp", "lastTimestamp"),
        ("count", "count"),
        ("type", "type"),
        ("eventTime", "eventTime"),
        ("action", "action"),
        ("related", "related"),
        ("reportingComponent", "reportingController"),
        ("reportingInstance", "reportingInstance"),
    ] {
        if new[field] != old[field] {
            causes.push(Cause::invalid_as(field_in_cause, &shown(field, &new[field]), "field is immutable"));
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn renaming_the_fields_of_an_event_forth_and_back_changes_nothing() {
        let stored = json!({
            "metadata": {"name": "e", "namespace": "default"}, "involvedObject": {"kind": "Pod", "name": "a"},
            "reason": "Started", "message": "it runs", "source": {"component": "kubelet", "host": "n"},
            "firstTimestamp": "2023-05-01T10:00:00Z", "lastTimestamp": "2023-05-01T10:00:05Z", "count": 2, "type": "Normal",
            "eventTime": null, "reportingComponent": "kubelet", "reportingInstance": "n",
        });
        let served = from_stored(stored.clone());
        assert_eq!(served["regarding"], json!({"kind": "Pod", "name": "a"}));
        assert_eq!((&served["note"], &served["deprecatedCount"]), (&json!("it runs"), &json!(2)));
        assert_eq!(served["reportingController"], "kubelet");
        assert!(NAMES.iter().all(|(_, there)| served.get(there).is_none()), "{served}");
        assert_eq!(into_stored(served), stored);
    }

    #[test]
    fn selectable_fields_are_in_the_order_of_the_core_group() {
        let core = core_event::ROW.fields;
        for (n, (name, path, _)) in ROW.fields.iter().enumerate() {
            assert_eq!(*path, core[n].1, "{name}");
        }
    }
}
