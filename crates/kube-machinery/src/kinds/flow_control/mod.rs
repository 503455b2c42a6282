//! The kinds of the API group `flowcontrol.apiserver.k8s.io`, which say how kube-apiserver shares its capacity between
//! clients, and the objects of these kinds that it begins with. This server only stores them. Upstream:
//! `pkg/apis/flowcontrol`.

pub(super) mod flow_schema;
mod policy_rules;
pub(super) mod priority_level;
mod queuing;
mod subjects;

use std::sync::LazyLock;

use super::fields::{each, text};
use super::served::{FLOW_SCHEMAS, PRIORITY_LEVELS};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::object;
use crate::kinds::Resource;
use crate::value::Value;

const GROUP: &str = "flowcontrol.apiserver.k8s.io";
const EXEMPT: &str = "exempt";
const CATCH_ALL: &str = "catch-all";

/// The objects that kube-apiserver creates when it starts, with their kinds, in its order. `peers/validation/flowcontrol`
/// generates `bootstrap.jsonl`. Upstream: `pkg/apis/flowcontrol/bootstrap` in k8s.io/apiserver.
static BOOTSTRAP: LazyLock<Vec<(&Resource, Value)>> = LazyLock::new(|| {
    include_str!("bootstrap.jsonl").lines().filter_map(|line| read(serde_json::from_str(line).ok()?)).collect()
});

/// Returns an object with its kind and its defaults.
fn read(mut value: Value) -> Option<(&'static Resource, Value)> {
    let kind = object(&mut value).remove("kind")?;
    let row = [FLOW_SCHEMAS, PRIORITY_LEVELS].into_iter().find(|row| kind == row.kind())?;
    let mut value = row.decode_value(value).ok()?.value;
    (row.defaults)(&mut value);
    Some((row, value))
}

/// Returns the objects that kube-apiserver creates when it starts, with their kinds.
pub fn bootstrap() -> &'static [(&'static Resource, Value)] {
    &BOOTSTRAP
}

/// Returns the spec that an object of this name must have, if the name is that of a mandatory one.
fn mandatory_spec(resource: &Resource, name: &str) -> Option<&'static Value> {
    let is_mandatory = matches!(name, EXEMPT | CATCH_ALL);
    let mut all = bootstrap().iter().filter(|_| is_mandatory);
    all.find(|(row, object)| *row == resource && object["metadata"]["name"] == name).map(|(_, object)| &object["spec"])
}

/// Validates the conditions in a status. Upstream: `ValidateFlowSchemaStatus`, `ValidatePriorityLevelConfigurationStatus`.
fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), std::collections::HashSet::new());
    for (at, condition) in each(&new["status"], "conditions", &"status") {
        let kind = text(condition, "type");
        if !seen.insert(kind) {
            causes.push(Cause::duplicate(format_args!("{at}.type"), kind));
        }
        if kind.is_empty() {
            causes.push(Cause::required(format_args!("{at}.type"), ""));
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bootstrap_objects_are_valid() {
        assert_eq!(bootstrap().len(), include_str!("bootstrap.jsonl").lines().count());
        for (row, object) in bootstrap() {
            let causes: Vec<String> = row.causes_of_new(object).iter().map(Cause::sentence).collect();
            assert_eq!(causes, [""; 0], "{object}");
        }
    }
}
