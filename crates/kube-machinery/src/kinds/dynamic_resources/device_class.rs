//! The DeviceClass kind, which selects and configures devices for claims that name the class. Upstream:
//! `pkg/registry/resource/deviceclass`.

use super::claim_spec::limited;
use super::{configuration, selectors};
use crate::codec::declarative::is_same;
use crate::conventions::causes::Causes;
use crate::kinds::columns;
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names::NameRule;
use crate::kinds::resource::{DeleteResponse, Generation, ResourceRow, Scope};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "deviceclasses",
    singular: "deviceclass",
    kind: "DeviceClass",
    storage_hash: "Yk2PTc1Ybxk=",
    delete_response: DeleteResponse::Object,
    scope: Scope::Cluster,
    generation: Generation::Counted,
    name_rule: NameRule::Declared,
    updated_metadata: UpdatedMetadata::Whole,
    validate,
    columns: columns::dynamic_resources::CLASSES,
    ..ResourceRow::USUAL
};

const MOST_CONFIGURATIONS: usize = 32;

/// Validates the spec. Lists that an update leaves unchanged count as stored. Upstream: `ValidateDeviceClass`,
/// `ValidateDeviceClassUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    const AT: &str = "spec";
    let is_stored = |field: &str| old.is_some_and(|old| is_same(&old["spec"][field], &new["spec"][field]));
    let age = if is_stored("selectors") { selectors::Age::Stored } else { selectors::Age::New };
    let mut causes = selectors::validate(&new["spec"], age, &AT);
    let age = if is_stored("config") { configuration::Age::Stored } else { configuration::Age::New };
    causes.extend(limited(&new["spec"], "config", MOST_CONFIGURATIONS, &AT, |config, at| {
        configuration::validate(config, age, at)
    }));
    causes
}
