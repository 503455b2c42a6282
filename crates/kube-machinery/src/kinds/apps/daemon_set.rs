//! The DaemonSet kind, which runs a pod on every node. Upstream: `pkg/apis/apps`, `pkg/registry/apps/daemonset`.

use super::deployment::STRATEGY;
use super::{int_or_percent, selected_template};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, object, set_default};
use crate::conventions::label_selector;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{not_negative, text};
use crate::kinds::resource::{Change, Generation, ResourceRow, Subresource};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "apps",
    plural: "daemonsets",
    singular: "daemonset",
    kind: "DaemonSet",
    storage_hash: "dd7pWHUlMKQ=",
    short_names: &["ds"],
    categories: &["all"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    defaults: set_defaults,
    prepare,
    validate,
    validate_status,
    columns: columns::workloads::DAEMON_SETS,
    warnings,
    ..ResourceRow::USUAL
};

const ROLLING: &str = "RollingUpdate";

/// The annotation that counts the changes of the template. It replaces the field `spec.templateGeneration` of older API
/// versions.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Upstream: `SetDefaults_DaemonSet`.
fn set_defaults(set: &mut Value) {
    set_default(set, "spec", empty());
    let spec = &mut set["spec"];
    selected_template::set_defaults(spec);
    set_default(spec, "updateStrategy", empty());
    let strategy = &mut spec["updateStrategy"];
    if text(strategy, "type").is_empty() {
        strategy["type"] = json!(ROLLING);
    }
    if strategy["type"] == ROLLING {
        set_default(strategy, "rollingUpdate", empty());
        set_default(&mut strategy["rollingUpdate"], "maxUnavailable", json!(1));
        set_default(&mut strategy["rollingUpdate"], "maxSurge", json!(0));
    } else if strategy["rollingUpdate"].is_object() {
        // Upstream's internal type has no pointers to these two, so its conversion writes both.
        for number in ["maxUnavailable", "maxSurge"] {
            set_default(&mut strategy["rollingUpdate"], number, json!(0));
        }
    }
    set_default(spec, "revisionHistoryLimit", json!(10));
    set_template_generation(set);
    set_default(set, "status", empty());
    for count in ["currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"] {
        set_default(&mut set["status"], count, json!(0));
    }
}

/// Sets the annotation of an object that has none. Upstream: `Convert_apps_DaemonSet_To_v1_DaemonSet`.
fn set_template_generation(set: &mut Value) {
    set_default(set, "metadata", empty());
    let annotations = object(&mut set["metadata"]).entry("annotations").or_insert_with(empty);
    set_default(annotations, TEMPLATE_GENERATION, json!("0"));
}

/// Counts the template generation in the annotation: it starts at 1, or at a higher number that the new object has, and
/// increments when an update changes the template. Upstream: `PrepareForCreate` and `PrepareForUpdate`.
fn prepare(new: &mut Value, change: &Change<'_>) {
    pod::disabled_fields::prepare_template(new, change);
    let template_generation =
        |set: &Value| set["metadata"]["annotations"][TEMPLATE_GENERATION].as_str()?.parse::<i64>().ok();
    let count = match change.old {
        None => template_generation(new).unwrap_or_default().max(1),
        Some(old) => {
            let changes = old["spec"]["template"] != new["spec"]["template"];
            template_generation(old).unwrap_or(1) + i64::from(changes && change.subresource.is_none())
        }
    };
    new["metadata"]["annotations"][TEMPLATE_GENERATION] = json!(count.to_string());
}

/// Upstream: `ValidateDaemonSet`, `ValidateDaemonSetUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    const SELECTOR: &str = "spec.selector";
    let (spec, selector) = (&new["spec"], &new["spec"]["selector"]);
    let template = &spec["template"];
    let mut causes: Causes = selected_template::immutable_selector(new, old).into_iter().collect();
    if !selector.is_null() {
        causes.extend(pod::label_selector(selector, &SELECTOR));
    }
    if let Ok(read) = label_selector::read(selector) {
        causes.extend(selected_template::selects(template, &read));
    }
    if !selector.is_null() && selected_template::is_empty(selector) {
        causes.push(Cause::invalid_as(
            SELECTOR,
            &label_selector::shown(selector),
            "empty selector is invalid for daemonset",
        ));
    }
    causes.extend(pod::validation::template(template, &"spec.template"));
    causes.extend(selected_template::require_restart_always(&template["spec"], "DaemonSet"));
    causes.extend(not_negative(spec, "minReadySeconds", &"spec"));
    causes.extend(strategy(&spec["updateStrategy"]));
    causes.extend(not_negative(spec, "revisionHistoryLimit", &"spec"));
    causes
}

/// Upstream: `ValidateDaemonSetUpdateStrategy`.
fn strategy(strategy: &Value) -> Causes {
    let rolling = &strategy["rollingUpdate"];
    match text(strategy, "type") {
        "OnDelete" => Causes::new(),
        ROLLING => rolling_update(rolling),
        _ => {
            Causes::from([Cause::unsupported("spec.updateStrategy", &STRATEGY.print(strategy), &[ROLLING, "OnDelete"])])
        }
    }
}

/// Upstream: `ValidateRollingUpdateDaemonSet`.
fn rolling_update(rolling: &Value) -> Causes {
    const AT: &str = "spec.updateStrategy.rollingUpdate";
    let (unavailable, surge) = (&rolling["maxUnavailable"], &rolling["maxSurge"]);
    let (at_unavailable, at_surge) = (format_args!("{AT}.maxUnavailable"), format_args!("{AT}.maxSurge"));
    let mut causes: Causes = int_or_percent::positive(unavailable, &at_unavailable).into_iter().collect();
    causes.extend(int_or_percent::positive(surge, &at_surge));
    causes.extend(int_or_percent::at_most_all(unavailable, &at_unavailable));
    causes.extend(int_or_percent::at_most_all(surge, &at_surge));
    match (int_or_percent::is_zero(unavailable), int_or_percent::is_zero(surge)) {
        (false, false) => {
            causes.push(Cause::invalid_json(at_surge, surge, "may not be set when maxUnavailable is non-zero"));
        }
        (true, true) => causes.push(Cause::required(at_unavailable, "cannot be 0 when maxSurge is 0")),
        _ => {}
    }
    causes
}

/// Upstream: `ValidateDaemonSetStatusUpdate`.
fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    const COUNTS: [&str; 9] = [
        "currentNumberScheduled",
        "numberMisscheduled",
        "desiredNumberScheduled",
        "numberReady",
        "observedGeneration",
        "updatedNumberScheduled",
        "numberAvailable",
        "numberUnavailable",
        "collisionCount",
    ];
    let status = &new["status"];
    let mut causes: Causes = COUNTS.iter().filter_map(|field| not_negative(status, field, &"status")).collect();
    causes.extend(selected_template::decremented_collisions(new, old));
    causes
}

/// Warns of the template of a new set, or of a changed one. Upstream: `WarningsOnCreate`, `WarningsOnUpdate`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let template = &new["spec"]["template"];
    let is_changed = old.is_none_or(|old| old["spec"]["template"] != *template);
    if is_changed { pod::warnings::of_template(template, &"spec.template") } else { Vec::new() }
}
