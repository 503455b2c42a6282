//! The StorageVersionMigration kind, which asks for a rewrite of all objects of a kind, so that they are stored in the
//! current version. Upstream: `pkg/apis/storagemigration`, `pkg/registry/storagemigration`.

use crate::codec::go_struct_json::go_struct_json;
use crate::codec::schema::FieldType;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::columns;
use crate::kinds::conditions::conditions;
use crate::kinds::fields::{items, text};
use crate::kinds::metadata::{UpdatedMetadata, keep_metadata_in_status_update};
use crate::kinds::names;
use crate::kinds::reset_fields;
use crate::kinds::resource::{ResourceRow, Scope, Strategy, Subresource, UnconditionalUpdate};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(super) const ROW: ResourceRow = ResourceRow {
    group: "storagemigration.k8s.io",
    plural: "storageversionmigrations",
    singular: "storageversionmigration",
    kind: "StorageVersionMigration",
    storage_hash: "pCjmmKOkLy4=",
    scope: Scope::Cluster,
    subresources: &[Subresource::Status],
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    prepare: keep_metadata_in_status_update,
    validate,
    validate_status,
    updated_metadata: UpdatedMetadata::Whole,
    reset_fields: reset_fields::status_alone,
    columns: columns::storage_migration::COLUMNS,
    ..ResourceRow::USUAL
};

/// Go's types as upstream's causes print them.
const RESOURCE: GoStruct = GoStruct(&[("group", "group", Field::Text), ("resource", "resource", Field::Text)]);
const SPEC: GoStruct = GoStruct(&[("Resource", "resource", Field::Struct(&RESOURCE))]);

/// Upstream: `ValidateStorageVersionMigration`, `ValidateStorageVersionMigrationUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (resource, group) = (text(&new["spec"]["resource"], "resource"), text(&new["spec"]["resource"], "group"));
    let mut causes = Causes::new();
    let mut joined = |at: &str, name: &str, messages: Vec<String>| {
        if !messages.is_empty() {
            causes.push(Cause::invalid(at, name, &messages.join(",")));
        }
    };
    joined("spec.resource.resource", resource, if resource.is_empty() { Vec::new() } else { names::dns1035(resource) });
    joined("spec.resource.group", group, if group.is_empty() { Vec::new() } else { names::subdomain(group) });
    if resource.is_empty() {
        causes.insert(0, Cause::required("spec.resource.resource", "resource is required to be set"));
    }
    if old.is_some_and(|old| old["spec"] != new["spec"]) {
        causes.push(Cause::invalid_as("spec", &SPEC.print(&new["spec"]), "field is immutable"));
    }
    causes
}

/// Upstream: `ValidateStorageVersionMigrationStatusUpdate`.
fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    const VERSION: &str = "status.resourceVersion";
    let (status, old) = (&new["status"], old.map_or(&Value::Null, |old| &old["status"]));
    let (version, old_version) = (text(status, "resourceVersion"), text(old, "resourceVersion"));
    let mut causes = Causes::new();
    if !version.is_empty() && !is_resource_version(version) {
        let why = format!("resource version is not well formed: {version}");
        causes.push(Cause::invalid(VERSION, version, &why));
    }
    causes.extend(conditions(status, &"status"));
    if !old_version.is_empty() && old_version != version {
        causes.push(Cause::invalid(VERSION, version, "field is immutable"));
    }
    let shown = || {
        let kind = FieldType::List(Box::new(FieldType::Struct("Condition")));
        go_struct_json(&kind, &status["conditions"])
    };
    let mut wrong = |why: &str| causes.push(Cause::invalid_as("status.conditions", &shown(), why));
    if holds(status, "Succeeded") && holds(status, "Failed") {
        wrong("Both success and failed conditions cannot be true at the same time");
    }
    if holds(old, "Succeeded") && !holds(status, "Succeeded") {
        wrong("Success condition cannot be set to false once it is true");
    }
    if holds(old, "Failed") && !holds(status, "Failed") {
        wrong("Failed condition cannot be set to false once it is true");
    }
    causes
}

/// Returns true for a positive integer without leading zeros. Upstream: `isWellFormed`.
fn is_resource_version(text: &str) -> bool {
    !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true if the first condition of this type is true.
fn holds(status: &Value, kind: &str) -> bool {
    let condition = items(status, "conditions").iter().find(|condition| condition["type"] == kind);
    condition.is_some_and(|condition| condition["status"] == "True")
}
