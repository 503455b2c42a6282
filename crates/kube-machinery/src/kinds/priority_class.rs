//! The PriorityClass kind, which gives pods a priority for scheduling. Upstream: `pkg/apis/scheduling`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::set_default;
use crate::kinds::columns;
use crate::kinds::fields::{number, required_one_of, text};
use crate::kinds::resource::{Generation, ResourceRow, Scope};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "scheduling.k8s.io",
    plural: "priorityclasses",
    singular: "priorityclass",
    kind: "PriorityClass",
    storage_hash: "1QwjyaZjj3Y=",
    scope: Scope::Cluster,
    short_names: &["pc"],
    generation: Generation::Counted,
    defaults: set_defaults,
    validate,
    columns: columns::policy::PRIORITY_CLASSES,
    ..ResourceRow::USUAL
};

/// Upstream: `SetDefaults_PriorityClass`.
fn set_defaults(class: &mut Value) {
    set_default(class, "preemptionPolicy", json!("PreemptLowerPriority"));
}

/// The highest priority of a class that is not a system class.
const HIGHEST: i64 = 1_000_000_000;

/// The system priority classes with their values. Upstream: `SystemPriorityClasses`.
const OF_THE_SYSTEM: [(&str, i64); 2] =
    [("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)];

/// Upstream: `ValidatePriorityClass` and `ValidatePriorityClassUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = Causes::new();
    if let Some(old) = old {
        if new["value"] != old["value"] {
            causes.push(Cause::forbidden("value", "may not be changed in an update."));
        }
        if new["preemptionPolicy"] != old["preemptionPolicy"] {
            causes.push(Cause::invalid_json("preemptionPolicy", &new["preemptionPolicy"], "field is immutable"));
        }
        return causes;
    }
    let name = text(&new["metadata"], "name");
    if name.starts_with("system-") {
        causes.extend(system_class_fault(name, new).map(|why| {
            let reserved = "priority class names with 'system-' prefix are reserved for system use only. error: ";
            Cause::forbidden("metadata.name", &format!("{reserved}{why}"))
        }));
    } else if number(new, "value") > HIGHEST {
        let why = format!("maximum allowed value of a user defined priority is {HIGHEST}");
        causes.push(Cause::forbidden("value", &why));
    }
    let policies = ["PreemptLowerPriority", "Never"];
    if let Some(policy) = new["preemptionPolicy"].as_str() {
        causes.extend(required_one_of(policy, &policies, &"preemptionPolicy"));
    }
    causes
}

/// Returns the reason why a class is not one of the system priority classes; `None` if it is. Upstream:
/// `IsKnownSystemPriorityClass`.
fn system_class_fault(name: &str, class: &Value) -> Option<String> {
    let Some((_, value)) = OF_THE_SYSTEM.iter().find(|(known, _)| *known == name) else {
        return Some(format!("{name} is not a known system priority class"));
    };
    if number(class, "value") != *value {
        return Some(format!("value of {name} PriorityClass must be {value}"));
    }
    (class["globalDefault"] == true).then(|| format!("globalDefault of {name} PriorityClass must be false"))
}
