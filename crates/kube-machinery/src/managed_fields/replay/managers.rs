//! Replays the recorded calls that apimachinery's own tests make to its field manager, its `managedFields` entries and
//! its scale handler, and compares the results with those of this crate.

use std::borrow::Cow;

use super::super::entries::{Identifier, Managed};
use super::super::field_manager::conflict_error;
use super::super::merge::{Conflict, Converter, Force, NotConverted, Refusal};
use super::super::typed::TypedValue;
use super::super::{FieldManager, MOST_UPDATE_MANAGERS, NotApplied, ScaleHandler, Tracked, type_named};
use super::{path, replay};
use crate::value::{Value, json};

/// Leaves every object as it is, as in upstream's tests.
#[derive(Debug)]
struct AsItIs;

impl Converter for AsItIs {
    fn convert<'v>(&self, object: &'v TypedValue, _: &str) -> Result<Cow<'v, TypedValue>, NotConverted> {
        Ok(Cow::Borrowed(object))
    }
}

/// Returns the manager of a recorded test. Two of upstream's test files wrap some of their managers in another manager
/// (`chained`), which has settings of its own.
fn manager(call: &Value) -> FieldManager<'_> {
    let text = |name: &str| call["of"][name].as_str().unwrap();
    let is_of = |test: &str| call["test"] == test && call["of"]["chained"] == true;
    FieldManager {
        manager: call["manager"].as_str().unwrap(),
        api_version: text("apiVersion").to_owned(),
        kind: text("kind"),
        of: type_named(text("kind")),
        subresource: text("subresource"),
        reset: None,
        tracked: if is_of("skipnonapplied_test.go") { Tracked::FromFirstApply } else { Tracked::FromCreation },
        most_update_managers: if is_of("capmanagers_test.go") { 3 } else { MOST_UPDATE_MANAGERS },
        blank: json!({"apiVersion": text("apiVersion"), "kind": text("kind")}),
        why_no_first_apply: None,
        now: call["now"].as_str().unwrap().to_owned(),
        converter: Box::new(AsItIs),
    }
}

fn message_of(refusal: NotApplied) -> String {
    match refusal {
        NotApplied::BadRequest(why) | NotApplied::Conflicts(why, _) | NotApplied::Other(why) => why,
    }
}

/// Returns the object with these entries as its `managedFields`.
fn with_entries(mut object: Value, entries: Value) -> Value {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    if !entries.is_null() {
        object["metadata"]["managedFields"] = entries;
    }
    object
}

fn update(call: &Value) -> Result<Value, String> {
    let (live, object) = (&call["live"], &call["object"]);
    let entries = manager(call).try_update(live, object, &object["metadata"]["managedFields"]);
    entries.map(|entries| with_entries(object.clone(), entries)).map_err(|refusal| match refusal {
        Refusal::Conflicts(conflicts) => message_of(conflict_error(&conflicts)),
        Refusal::Other(why) => why,
    })
}

fn apply(call: &Value) -> Result<Value, String> {
    let force = if call["force"] == true { Force::Yes } else { Force::No };
    let applied = manager(call).apply(Some(&call["live"]), &call["object"], force).map_err(message_of)?;
    let mut object = applied;
    // Upstream's result has apiVersion and kind; ours leaves them to the caller.
    object["apiVersion"] = call["of"]["apiVersion"].clone();
    object["kind"] = call["of"]["kind"].clone();
    Ok(object)
}

fn handler(call: &Value) -> Result<ScaleHandler, String> {
    let paths = call["paths"].as_object().unwrap().iter();
    let paths = paths.map(|(version, at)| (version.to_string(), (!at.is_null()).then(|| path(at)))).collect();
    ScaleHandler::new(&call["parent"], call["version"].as_str().unwrap().to_owned(), paths)
}

fn conflicts(call: &Value) -> Value {
    let conflicts = call["conflicts"].as_array().unwrap().iter().map(|conflict| Conflict {
        manager: conflict["manager"].as_str().unwrap().to_owned(),
        path: path(&conflict["path"]),
    });
    match conflict_error(&conflicts.collect::<Vec<_>>()) {
        NotApplied::Conflicts(message, causes) => {
            crate::value::to_value(serde_json::json!({"message": message, "causes": causes})).unwrap()
        }
        other => json!(format!("{other:?}")),
    }
}

#[test]
fn recorded_calls_of_the_field_manager_have_upstreams_results() {
    replay("managers", |_, call| {
        Some(match call["call"].as_str().unwrap() {
            "update" => update(call),
            "apply" => apply(call),
            "toSubresource" => handler(call).map(|handler| handler.to_subresource()),
            "toParent" => handler(call).and_then(|handler| handler.to_parent(&call["scale"])),
            "conflicts" => Ok(conflicts(call)),
            "decode" => Managed::decode(&call["entries"]).map(|managed| managed.encode()),
            "identifier" => Ok(json!(identifier(&call["entry"]).text())),
            _ => return None, // upstream's test uses a manager that fails
        })
    });
}

fn identifier(entry: &Value) -> Identifier {
    let field = |name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let api_version = if entry["operation"] == "Apply" { String::new() } else { field("apiVersion") };
    Identifier {
        manager: field("manager"),
        operation: field("operation"),
        api_version,
        subresource: field("subresource"),
        ..Identifier::default()
    }
}
