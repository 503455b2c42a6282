//! The Deployment kind, which replaces the pods of an application step by step. Upstream: `pkg/apis/apps`.

use super::{int_or_percent, selected_template};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, object, set_default};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{not_negative, number, text};
use crate::kinds::reset_fields::{self, excluded};
use crate::kinds::resource::{Change, Generation, Resource, ResourceRow, Subresource};
use crate::managed_fields::Filter;
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "apps",
    plural: "deployments",
    singular: "deployment",
    kind: "Deployment",
    storage_hash: "8aSe+NMegvE=",
    short_names: &["deploy"],
    categories: &["all"],
    subresources: &[Subresource::Scale, Subresource::Status],
    generation: Generation::CountedWithAnnotations,
    defaults: set_defaults,
    prepare,
    validate,
    validate_status,
    columns: columns::workloads::DEPLOYMENTS,
    reset_fields,
    warnings: named_template_warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `GetResetFields` of `deploymentStatusStrategy`, which keeps the labels too.
fn reset_fields(resource: &Resource, subresource: Option<Subresource>) -> Option<Filter> {
    match subresource {
        Some(Subresource::Status) => excluded(&[&["spec"], &["metadata", "labels"]]),
        _ => reset_fields::usual(resource, subresource),
    }
}

const ROLLING: &str = "RollingUpdate";

/// Keeps the old labels on an update of the status subresource. Upstream: `deploymentStatusStrategy.PrepareForUpdate`.
fn prepare(new: &mut Value, change: &Change<'_>) {
    pod::disabled_fields::prepare_template(new, change);
    if let (Some(old), Some(Subresource::Status)) = (change.old, change.subresource) {
        let metadata = object(&mut new["metadata"]);
        match old["metadata"].get("labels") {
            Some(labels) => metadata.insert("labels".into(), labels.clone()),
            None => metadata.remove("labels"),
        };
    }
}

/// Upstream: `SetDefaults_Deployment`.
fn set_defaults(deployment: &mut Value) {
    set_default(deployment, "spec", empty());
    let spec = &mut deployment["spec"];
    set_default(spec, "replicas", json!(1));
    selected_template::set_defaults(spec);
    set_default(spec, "strategy", empty());
    let strategy = &mut spec["strategy"];
    if text(strategy, "type").is_empty() {
        strategy["type"] = json!(ROLLING);
    }
    if strategy["type"] == ROLLING {
        set_default(strategy, "rollingUpdate", empty());
        set_default(&mut strategy["rollingUpdate"], "maxUnavailable", json!("25%"));
        set_default(&mut strategy["rollingUpdate"], "maxSurge", json!("25%"));
    }
    set_default(spec, "revisionHistoryLimit", json!(10));
    set_default(spec, "progressDeadlineSeconds", json!(600));
    set_default(deployment, "status", empty());
}

/// Upstream: `ValidateDeploymentSpec`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let mut causes: Causes = not_negative(spec, "replicas", &"spec").into_iter().collect();
    causes.extend(selected_template::selected_template(spec));
    causes.extend(strategy(&spec["strategy"]));
    for field in ["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"] {
        causes.extend(not_negative(spec, field, &"spec"));
    }
    if number(spec, "progressDeadlineSeconds") <= number(spec, "minReadySeconds") {
        let (at, why) = ("spec.progressDeadlineSeconds", "must be greater than minReadySeconds");
        causes.push(Cause::invalid_json(at, &spec["progressDeadlineSeconds"], why));
    }
    causes.extend(selected_template::immutable_selector(new, old));
    causes
}

const ROLLING_UPDATE: GoStruct =
    GoStruct(&[("MaxUnavailable", "maxUnavailable", Field::Number), ("MaxSurge", "maxSurge", Field::Number)]);
/// The Go struct of a Deployment's or a DaemonSet's strategy, as upstream's causes print it.
pub(super) const STRATEGY: GoStruct =
    GoStruct(&[("Type", "type", Field::Text), ("RollingUpdate", "rollingUpdate", Field::Struct(&ROLLING_UPDATE))]);

/// Upstream: `ValidateDeploymentStrategy`.
fn strategy(strategy: &Value) -> Causes {
    const AT: &str = "spec.strategy.rollingUpdate";
    let rolling = &strategy["rollingUpdate"];
    match text(strategy, "type") {
        "Recreate" if rolling.is_null() => Causes::new(),
        "Recreate" => Causes::from([Cause::forbidden(AT, "may not be specified when strategy `type` is 'Recreate'")]),
        ROLLING => rolling_update(rolling, &AT),
        _ => Causes::from([Cause::unsupported("spec.strategy", &STRATEGY.print(strategy), &["Recreate", ROLLING])]),
    }
}

/// Upstream: `ValidateRollingUpdateDeployment`.
fn rolling_update(rolling: &Value, at: At<'_>) -> Causes {
    let (unavailable, surge) = (&rolling["maxUnavailable"], &rolling["maxSurge"]);
    let at_unavailable = format_args!("{at}.maxUnavailable");
    let mut causes: Causes = int_or_percent::positive(unavailable, &at_unavailable).into_iter().collect();
    causes.extend(int_or_percent::positive(surge, &format_args!("{at}.maxSurge")));
    if int_or_percent::is_zero(unavailable) && int_or_percent::is_zero(surge) {
        let why = "may not be 0 when `maxSurge` is 0";
        causes.push(Cause::invalid_json(at_unavailable, unavailable, why));
    }
    causes.extend(int_or_percent::at_most_all(unavailable, &at_unavailable));
    causes
}

/// Upstream: `ValidateDeploymentStatusUpdate`.
fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    const COUNTS: [&str; 8] = [
        "observedGeneration",
        "replicas",
        "updatedReplicas",
        "readyReplicas",
        "availableReplicas",
        "unavailableReplicas",
        "terminatingReplicas",
        "collisionCount",
    ];
    let status = &new["status"];
    let count = |field: &str| number(status, field);
    let wrong = |field: &str, why: &str| Cause::invalid_json(format_args!("status.{field}"), &json!(count(field)), why);
    let mut causes: Causes = COUNTS.iter().filter_map(|field| not_negative(status, field, &"status")).collect();
    for field in ["updatedReplicas", "readyReplicas", "availableReplicas"] {
        if count(field) > count("replicas") {
            causes.push(wrong(field, "cannot be greater than status.replicas"));
        }
    }
    if count("availableReplicas") > count("readyReplicas") {
        causes.push(wrong("availableReplicas", "cannot be greater than readyReplicas"));
    }
    causes.extend(selected_template::decremented_collisions(new, old));
    causes
}

/// Warns of the template of pods, and of the name of a new object. Upstream: `WarningsOnCreate`, `WarningsOnUpdate`.
pub(super) fn named_template_warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let of_name = old.is_none().then(|| pod::warnings::no_label(new, "Pod names and hostnames"));
    of_name.into_iter().flatten().chain(pod::warnings::of_changed_template(new, old)).collect()
}
