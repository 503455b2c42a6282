//! The StatefulSet kind, whose pods have fixed names and storage of their own. Upstream: `pkg/apis/apps`,
//! `pkg/registry/apps/statefulset`.

use std::collections::HashSet;

use super::{int_or_percent, selected_template};
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, list, set_default};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::conventions::label_selector;
use crate::kinds::columns;
use crate::kinds::core::pod::claim_template::{self, Groups};
use crate::kinds::core::{persistent_volume_claim, pod};
use crate::kinds::fields::{each, invalid, items, not_negative, number, one_of, text};
use crate::kinds::names::{self, NameRule};
use crate::kinds::resource::{Generation, ResourceRow, Subresource};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "apps",
    plural: "statefulsets",
    singular: "statefulset",
    kind: "StatefulSet",
    storage_hash: "H+vl74LkKdo=",
    short_names: &["sts"],
    categories: &["all"],
    subresources: &[Subresource::Scale, Subresource::Status],
    generation: Generation::Counted,
    name_rule: NameRule::Label,
    defaults: set_defaults,
    prepare: pod::disabled_fields::prepare_template,
    validate,
    validate_status,
    columns: columns::workloads::STATEFUL_SETS,
    warnings,
    ..ResourceRow::USUAL
};

const ROLLING: &str = "RollingUpdate";

/// Upstream: `SetDefaults_StatefulSet`.
fn set_defaults(set: &mut Value) {
    set_default(set, "spec", empty());
    let spec = &mut set["spec"];
    selected_template::set_defaults(spec);
    if text(spec, "podManagementPolicy").is_empty() {
        spec["podManagementPolicy"] = json!("OrderedReady");
    }
    set_default(spec, "updateStrategy", empty());
    let strategy = &mut spec["updateStrategy"];
    if text(strategy, "type").is_empty() {
        strategy["type"] = json!(ROLLING);
        set_default(strategy, "rollingUpdate", empty());
    }
    if strategy["type"] == ROLLING && strategy["rollingUpdate"].is_object() {
        set_default(&mut strategy["rollingUpdate"], "partition", json!(0));
        set_default(&mut strategy["rollingUpdate"], "maxUnavailable", json!(1));
    }
    set_default(spec, "persistentVolumeClaimRetentionPolicy", empty());
    for field in ["whenDeleted", "whenScaled"] {
        if text(&spec["persistentVolumeClaimRetentionPolicy"], field).is_empty() {
            spec["persistentVolumeClaimRetentionPolicy"][field] = json!("Retain");
        }
    }
    set_default(spec, "replicas", json!(1));
    set_default(spec, "revisionHistoryLimit", json!(10));
    for claim in list(spec, "volumeClaimTemplates") {
        claim["apiVersion"] = json!("v1");
        claim["kind"] = json!("PersistentVolumeClaim");
        persistent_volume_claim::set_defaults(claim);
    }
    set_default(set, "status", empty());
    set_default(&mut set["status"], "replicas", json!(0));
    set_default(&mut set["status"], "availableReplicas", json!(0));
}

/// Upstream: `ValidateStatefulSet`, `ValidateStatefulSetUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let Some(old) = old else { return validate_spec(spec, Checks { template: true, only_new: true }) };
    // An update of an invalid old spec skips the template, so that objects stored before a rule existed can be updated.
    let template = validate_spec(&old["spec"], Checks { template: true, only_new: false }).is_empty();
    let mut causes = validate_spec(spec, Checks { template, only_new: false });
    for field in ["selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"] {
        if spec[field] != old["spec"][field] {
            let shown = match field {
                "selector" => label_selector::shown(&spec[field]),
                _ => spec[field].to_string(),
            };
            causes.push(Cause::invalid_as(format_args!("spec.{field}"), &shown, "field is immutable"));
        }
    }
    causes
}

/// The optional checks of a StatefulSet spec.
#[derive(Clone, Copy)]
struct Checks {
    /// Checks the pod template.
    template: bool,
    /// Checks `serviceName` and `volumeClaimTemplates`. Only a creation needs this check, because these fields are
    /// immutable.
    only_new: bool,
}

/// Upstream: `ValidateStatefulSetSpec`.
fn validate_spec(spec: &Value, checks: Checks) -> Causes {
    let mut causes = Causes::new();
    let management = text(spec, "podManagementPolicy");
    if !["OrderedReady", "Parallel"].contains(&management) {
        let why = "must be 'OrderedReady' or 'Parallel'";
        causes.push(Cause::invalid("spec.podManagementPolicy", management, why));
    }
    causes.extend(strategy(&spec["updateStrategy"]));
    for field in ["whenDeleted", "whenScaled"] {
        const AT: &str = "spec.persistentVolumeClaimRetentionPolicy";
        let policy = text(&spec["persistentVolumeClaimRetentionPolicy"], field);
        causes.extend(one_of(policy, &["Retain", "Delete"], &format_args!("{AT}.{field}")));
    }
    if checks.only_new {
        for (at, claim) in each(spec, "volumeClaimTemplates", &"spec") {
            causes.extend(claim_template::claim(&claim["spec"], Groups::Checked, &format_args!("{at}.spec")));
        }
    }
    causes.extend(not_negative(spec, "replicas", &"spec"));
    causes.extend(not_negative(spec, "minReadySeconds", &"spec"));
    causes.extend(not_negative(&spec["ordinals"], "start", &"spec.ordinals"));
    let service = text(spec, "serviceName");
    if checks.only_new && !service.is_empty() {
        causes.extend(invalid(&"spec.serviceName", service, names::label(service)));
    }
    causes.extend(selector_and_template(spec, checks));
    causes
}

fn selector_and_template(spec: &Value, checks: Checks) -> Causes {
    const AT: &str = "spec.selector";
    let (selector, template) = (&spec["selector"], &spec["template"]);
    let mut causes = Causes::new();
    if selector.is_null() {
        causes.push(Cause::required(AT, ""));
    } else {
        causes.extend(pod::label_selector(selector, &AT));
        if selected_template::is_empty(selector) {
            causes.push(Cause::invalid_as(
                AT,
                &label_selector::shown(selector),
                "empty selector is invalid for statefulset",
            ));
        }
    }
    match label_selector::read(selector) {
        Err(_) => causes.push(Cause::invalid_as(AT, &label_selector::shown(selector), "")),
        Ok(read) => {
            causes.extend(selected_template::selects(template, &read));
            if checks.template {
                causes.extend(pod::validation::template(&with_claims(spec), &"spec.template"));
            }
        }
    }
    causes.extend(selected_template::require_restart_always(&template["spec"], "StatefulSet"));
    causes
}

/// Returns the template as the controller makes pods from it: with a volume for each claim template, and without the
/// `hostname` and `subdomain` that the controller overwrites.
fn with_claims(spec: &Value) -> Value {
    let mut template = spec["template"].clone();
    template["spec"]["subdomain"] = Value::Null;
    template["spec"]["hostname"] = Value::Null;
    let claims = items(spec, "volumeClaimTemplates").iter().map(|claim| &claim["metadata"]["name"]);
    let mut volumes: Vec<Value> =
        claims.map(|name| json!({"name": name, "persistentVolumeClaim": {"claimName": name}})).collect();
    let claimed: HashSet<Value> = volumes.iter().map(|volume| volume["name"].clone()).collect();
    let is_other = |volume: &&Value| !claimed.contains(&volume["name"]);
    let others: Vec<Value> = items(&spec["template"]["spec"], "volumes").iter().filter(is_other).cloned().collect();
    volumes.extend(others);
    template["spec"]["volumes"] = json!(volumes);
    template
}

/// The Go structs of the update strategy, as upstream's causes print them.
const ROLLING_UPDATE: GoStruct =
    GoStruct(&[("Partition", "partition", Field::Number), ("MaxUnavailable", "maxUnavailable", Field::Plain)]);
const STRATEGY: GoStruct =
    GoStruct(&[("Type", "type", Field::Text), ("RollingUpdate", "rollingUpdate", Field::Struct(&ROLLING_UPDATE))]);

fn strategy(strategy: &Value) -> Causes {
    const AT: &str = "spec.updateStrategy";
    let rolling = &strategy["rollingUpdate"];
    match text(strategy, "type") {
        "OnDelete" if rolling.is_null() => Causes::new(),
        "OnDelete" => {
            let why = "only allowed for updateStrategy 'RollingUpdate'";
            Causes::from([Cause::invalid_as(format_args!("{AT}.rollingUpdate"), &ROLLING_UPDATE.print(rolling), why)])
        }
        ROLLING if rolling.is_null() => Causes::new(),
        ROLLING => rolling_update(rolling),
        _ => Causes::from([Cause::invalid_as(AT, &STRATEGY.print(strategy), "must be 'RollingUpdate' or 'OnDelete'")]),
    }
}

/// Upstream: `validateRollingUpdateStatefulSet`.
fn rolling_update(rolling: &Value) -> Causes {
    const AT: &str = "spec.updateStrategy.rollingUpdate";
    let (unavailable, at) = (&rolling["maxUnavailable"], format_args!("{AT}.maxUnavailable"));
    let mut causes: Causes = not_negative(rolling, "partition", &AT).into_iter().collect();
    if !unavailable.is_null() {
        causes.extend(int_or_percent::positive(unavailable, &at));
        if int_or_percent::is_zero(unavailable) {
            causes.push(Cause::invalid_json(at, unavailable, "cannot be 0"));
        }
        causes.extend(int_or_percent::at_most_all(unavailable, &at));
    }
    causes
}

/// Upstream: `ValidateStatefulSetStatusUpdate`.
fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    const PARTS: [&str; 4] = ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"];
    let status = &new["status"];
    let count = |field: &str| number(status, field);
    let wrong = |field: &str, why: &str| Cause::invalid_json(format_args!("status.{field}"), &json!(count(field)), why);
    let counts = ["replicas"].iter().chain(&PARTS).chain(&["observedGeneration", "collisionCount"]);
    let mut causes: Causes = counts.filter_map(|field| not_negative(status, field, &"status")).collect();
    let above = PARTS.into_iter().filter(|field| count(field) > count("replicas"));
    causes.extend(above.map(|field| wrong(field, "cannot be greater than status.replicas")));
    if count("availableReplicas") > count("readyReplicas") {
        causes.push(wrong("availableReplicas", "cannot be greater than status.readyReplicas"));
    }
    causes.extend(selected_template::decremented_collisions(new, old));
    causes
}

/// Upstream: `WarningsOnCreate`, `WarningsOnUpdate`, of which the second has another path for the claims.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = pod::warnings::of_changed_template(new, old);
    for (at, claim) in each(&new["spec"], "volumeClaimTemplates", &"spec") {
        let part = if old.is_some() { ".Spec" } else { "" };
        warnings.extend(pod::volume_warnings::claim_spec(&claim["spec"], &format_args!("{at}{part}")));
    }
    if number(&new["spec"], "revisionHistoryLimit") < 0 {
        let why = "a negative value retains all historical revisions; a value >= 0 is recommended";
        warnings.push(format!("spec.revisionHistoryLimit: {why}"));
    }
    warnings
}
