//! The CSIStorageCapacity kind, which says how much storage of a class is left for the nodes of a topology. Upstream:
//! `pkg/apis/storage`, `pkg/registry/storage/csistoragecapacity`.

use crate::codec::go_struct_json::go_struct_json;
use crate::codec::schema::FieldType;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::core::pod::resource_validation::parsed;
use crate::kinds::deprecated_labels;
use crate::kinds::fields::{invalid, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names;
use crate::kinds::resource::{ResourceRow, Strategy, TableConvertor, UnconditionalUpdate};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "csistoragecapacities",
    singular: "csistoragecapacity",
    kind: "CSIStorageCapacity",
    storage_hash: "xeVl+2Ly1kE=",
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    validate,
    warnings,
    // Upstream has printers for this kind, but its registry does not use them.
    table_convertor: TableConvertor::Default,
    columns: columns::simple::DEFAULT,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

const CLASS: &str = "storageClassName";
const TOPOLOGY: &str = "nodeTopology";
const IMMUTABLE: &str = "field is immutable";

/// Upstream: `ValidateCSIStorageCapacity`, `ValidateCSIStorageCapacityUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let class = text(new, CLASS);
    let mut causes = pod::label_selector(&new[TOPOLOGY], &TOPOLOGY);
    causes.extend(invalid(&CLASS, class, names::subdomain(class)));
    if let Some(size) = parsed(&new["capacity"]).filter(|size| size.is_negative()) {
        causes.push(Cause::invalid("capacity", &size.to_string(), "must be greater than or equal to 0"));
    }
    if old.is_some_and(|old| old[TOPOLOGY] != new[TOPOLOGY]) {
        let shown = go_struct_json(&FieldType::Struct("LabelSelector"), &new[TOPOLOGY]);
        causes.push(Cause::invalid_as(TOPOLOGY, &shown, IMMUTABLE));
    }
    if old.is_some_and(|old| old[CLASS] != new[CLASS]) {
        causes.push(Cause::invalid(CLASS, class, IMMUTABLE));
    }
    causes
}

/// Upstream: `GetWarningsForCSIStorageCapacity`.
fn warnings(new: &Value, _old: Option<&Value>) -> Vec<String> {
    deprecated_labels::of_selector(&new[TOPOLOGY], &TOPOLOGY)
}
