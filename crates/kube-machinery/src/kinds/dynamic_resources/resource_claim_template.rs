//! The ResourceClaimTemplate kind, from which a controller makes a ResourceClaim for each pod that names it. Upstream:
//! `pkg/registry/resource/resourceclaimtemplate`.

use super::claim_spec;
use crate::codec::declarative::is_same;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::object_field;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::resource::{Change, DeleteResponse, ResourceRow};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "resourceclaimtemplates",
    singular: "resourceclaimtemplate",
    kind: "ResourceClaimTemplate",
    storage_hash: "TuzjC49aUfM=",
    delete_response: DeleteResponse::Object,
    defaults: set_defaults,
    prepare,
    validate,
    updated_metadata: UpdatedMetadata::Whole,
    columns: columns::dynamic_resources::CLAIM_TEMPLATES,
    ..ResourceRow::USUAL
};

/// Returns the spec of the claims that are made from the template.
fn spec_of_claims(template: &mut Value) -> Option<&mut Value> {
    object_field(template, "spec").and_then(|spec| object_field(spec, "spec"))
}

/// Upstream: `SetObjectDefaults_ResourceClaimTemplate`.
fn set_defaults(template: &mut Value) {
    if let Some(spec) = spec_of_claims(template) {
        claim_spec::set_defaults(spec);
    }
}

fn prepare(template: &mut Value, _: &Change<'_>) {
    if let Some(spec) = spec_of_claims(template) {
        claim_spec::drop_disabled_fields(spec);
    }
}

/// Upstream: `ValidateResourceClaimTemplate`, `ValidateResourceClaimTemplateUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let mut causes = pod::template_metadata(&spec["metadata"], &"spec.metadata");
    causes.extend(claim_spec::validate(&spec["spec"], &"spec.spec"));
    if old.is_some_and(|old| !is_same(&old["spec"], spec)) {
        causes.push(Cause::invalid_json("spec", spec, "field is immutable"));
    }
    causes
}
