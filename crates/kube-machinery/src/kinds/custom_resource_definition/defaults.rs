//! The defaults of a CustomResourceDefinition. Upstream also converts each definition to its internal version and back,
//! which changes some fields; these changes are made here too. Upstream: `pkg/apis/apiextensions/v1/defaults.go`, and
//! `conversion.go` for the changes by the conversion.

use crate::codec::schema::float;
use crate::conventions::edit::{list, object, object_field, set_default};
use crate::kinds::fields::{items, text};
use crate::value::{Value, json};

pub(super) fn set(definition: &mut Value) {
    let spec = &mut definition["spec"];
    set_names(&mut spec["names"]);
    set_default(spec, "conversion", json!({"strategy": "None"}));
    set_conversion(&mut spec["conversion"]);
    for version in list(spec, "versions") {
        if let Some(schema) = object_field(version, "schema").and_then(|schema| object_field(schema, "openAPIV3Schema"))
        {
            write_numbers(schema);
        }
    }
    set_stored_versions(definition);
}

/// Sets missing `status.storedVersions` to the storage version.
pub(super) fn set_stored_versions(definition: &mut Value) {
    let storage = items(&definition["spec"], "versions").iter().find(|version| version["storage"] == true);
    if let Some(name) = storage.map(|version| version["name"].clone())
        && items(&definition["status"], "storedVersions").is_empty()
    {
        object(&mut definition["status"]).insert("storedVersions".into(), json!([name]));
    }
}

/// Derives the singular name and the kind of the list from the kind.
fn set_names(names: &mut Value) {
    let kind = text(names, "kind").to_owned();
    if text(names, "singular").is_empty() && !kind.is_empty() {
        object(names).insert("singular".into(), kind.to_lowercase().into());
    }
    if text(names, "listKind").is_empty() && !kind.is_empty() {
        object(names).insert("listKind".into(), format!("{kind}List").into());
    }
}

/// Defaults the webhook's port, and removes an empty webhook: upstream's internal version has the webhook's fields
/// directly in the conversion, so an empty one is lost.
fn set_conversion(conversion: &mut Value) {
    let Some(webhook) = object_field(conversion, "webhook") else { return };
    if webhook["clientConfig"].is_null() && webhook["conversionReviewVersions"].is_null() {
        object(conversion).remove("webhook");
    } else if let Some(service) =
        object_field(webhook, "clientConfig").and_then(|config| object_field(config, "service"))
    {
        set_default(service, "port", json!(443));
    }
}

/// Re-encodes the numbers in defaults, examples and enums, as upstream does: `1.0` becomes `1`. Upstream:
/// `Convert_v1_JSON_To_apiextensions_JSON` and back.
fn write_numbers(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("default" | "example" | "enum", value) => write_all_numbers(value),
            ("properties" | "patternProperties" | "definitions" | "dependencies", Value::Object(schemas)) => {
                schemas.values_mut().for_each(write_numbers);
            }
            (_, Value::Array(schemas)) => schemas.iter_mut().for_each(write_numbers),
            (_, schema) => write_numbers(schema),
        }
    }
}

fn write_all_numbers(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() => *number = float(number),
        Value::Array(items) => items.iter_mut().for_each(write_all_numbers),
        Value::Object(fields) => fields.values_mut().for_each(write_all_numbers),
        _ => {}
    }
}
