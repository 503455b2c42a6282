//! The ReplicationController kind, the predecessor of the ReplicaSet. Upstream: `pkg/apis/core`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, set_default};
use crate::kinds::apps::replica_set;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{one_of, pairs, text};
use crate::kinds::names::NameRule;
use crate::kinds::resource::{Dependents, Generation, ResourceRow, Strategy, Subresource};
use crate::value::{Map, Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    plural: "replicationcontrollers",
    singular: "replicationcontroller",
    kind: "ReplicationController",
    storage_hash: "Jond2If31h0=",
    short_names: &["rc"],
    categories: &["all"],
    subresources: &[Subresource::Scale, Subresource::Status],
    generation: Generation::Counted,
    strategy: Strategy { dependents: Dependents::Orphaned, ..Strategy::USUAL },
    name_rule: NameRule::Declared,
    fields: &[("status.replicas", "status.replicas", "0")],
    defaults: set_defaults,
    prepare: pod::disabled_fields::prepare_template,
    validate,
    validate_status: replica_set::validate_status, // the rules are the same
    columns: columns::templates::CONTROLLERS,
    warnings,
    ..ResourceRow::USUAL
};

/// Sets the defaults. The labels of the template are the default for the selector and for the object's own labels.
/// Upstream: `SetDefaults_ReplicationController`.
fn set_defaults(controller: &mut Value) {
    set_default(controller, "spec", empty());
    let spec = &mut controller["spec"];
    set_default(spec, "replicas", json!(1));
    if spec["template"].is_object() {
        pod::defaults::template(spec);
    }
    let labels = spec["template"]["metadata"]["labels"].clone();
    if !labels.is_object() {
        return;
    }
    let is_empty = |map: &Value| map.as_object().is_none_or(Map::is_empty);
    if is_empty(&spec["selector"]) {
        spec["selector"] = labels.clone();
    }
    if is_empty(&controller["metadata"]["labels"]) {
        controller["metadata"]["labels"] = labels;
    }
}

/// Upstream: `ValidateReplicationControllerSpec`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let mut causes = Causes::new();
    if pairs(spec, "selector").next().is_none() {
        causes.push(Cause::required("spec.selector", ""));
    }
    if spec["template"].is_object() {
        causes.extend(validate_template(spec));
    } else {
        causes.push(Cause::required("spec.template", ""));
    }
    causes
}

/// Validates the template. The selector must match the template's labels. Upstream: `ValidatePodTemplateSpecForRC`.
fn validate_template(spec: &Value) -> Causes {
    let (template, at) = (&spec["template"], "spec.template.spec");
    let labels = &template["metadata"]["labels"];
    let mut causes = Causes::new();
    if pairs(spec, "selector").any(|(key, value)| labels[key] != value) {
        let why = "`selector` does not match template `labels`";
        causes.push(Cause::invalid_json("spec.template.metadata.labels", labels, why));
    }
    causes.extend(pod::validation::template(template, &"spec.template"));
    let policy = text(&template["spec"], "restartPolicy");
    causes.extend(one_of(policy, &["Always"], &format_args!("{at}.restartPolicy")));
    if !template["spec"]["activeDeadlineSeconds"].is_null() {
        let why = "activeDeadlineSeconds in ReplicationController is not Supported";
        causes.push(Cause::forbidden(format_args!("{at}.activeDeadlineSeconds"), why));
    }
    causes
}

/// Warns of the template. As upstream, an update gets the warnings about the old template. Upstream: `WarningsOnCreate`,
/// `WarningsOnUpdate`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let Some(old) = old else {
        let of_name = pod::warnings::no_label(new, "Pod names and hostnames").into_iter();
        return of_name.chain(pod::warnings::of_changed_template(new, None)).collect();
    };
    if old["metadata"]["generation"] == new["metadata"]["generation"] {
        return Vec::new();
    }
    pod::warnings::of_template(&old["spec"]["template"], &"spec.template")
}
