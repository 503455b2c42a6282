//! The PodTemplate kind, a pod template as an object of its own. Upstream: `pkg/apis/core`.

use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::resource::{Change, DeleteResponse, Generation, ResourceRow};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "podtemplates",
    singular: "podtemplate",
    kind: "PodTemplate",
    storage_hash: "LIXB2x4IFpk=",
    delete_response: DeleteResponse::Object,
    generation: Generation::CountedAt(&["/template"]),
    defaults: set_defaults,
    prepare,
    validate,
    columns: columns::templates::TEMPLATES,
    warnings,
    ..ResourceRow::USUAL
};

fn set_defaults(object: &mut Value) {
    pod::defaults::template(object);
}

fn prepare(new: &mut Value, _: &Change<'_>) {
    if pod::disabled_fields::has_disabled_fields(&new["template"]) {
        pod::disabled_fields::drop_disabled_fields(&mut new["template"]);
    }
}

/// Upstream: `ValidatePodTemplate`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    pod::validation::template(&new["template"], &"template")
}

/// Upstream: `WarningsOnCreate`, `WarningsOnUpdate`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let is_changed = old.is_none_or(|old| old["metadata"]["generation"] != new["metadata"]["generation"]);
    if is_changed { pod::warnings::of_template(&new["template"], &"template") } else { Vec::new() }
}
