//! The ControllerRevision kind, in which StatefulSets and DaemonSets keep the old states of their templates for a
//! rollback. Upstream: `pkg/registry/apps/controllerrevision`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::resource::ResourceRow;
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "apps",
    plural: "controllerrevisions",
    singular: "controllerrevision",
    kind: "ControllerRevision",
    storage_hash: "85nkx63pcBU=",
    validate,
    columns: columns::workloads::CONTROLLER_REVISIONS,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    ..ResourceRow::USUAL
};

/// Upstream: `ValidateControllerRevisionCreate`, `ValidateControllerRevisionUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (mut causes, revision, data) = (Causes::new(), &new["revision"], &new["data"]);
    if revision.as_i64().is_some_and(|number| number < 0) {
        causes.push(Cause::invalid_json("revision", revision, "must be greater than or equal to 0"));
    }
    match old {
        Some(old) if old["data"] != *data => causes.push(Cause::invalid_json("data", data, "field is immutable")),
        Some(_) => {}
        None if data.is_null() => causes.push(Cause::required("data", "data is mandatory")),
        None if !data.is_object() => causes.push(Cause::required("data", "data must be a valid JSON object")),
        None => {}
    }
    causes
}
