//! The FlowSchema kind, which assigns requests to a priority level. Upstream: `pkg/apis/flowcontrol`,
//! `pkg/registry/flowcontrol/flowschema`.

use std::cmp::Ordering;

use super::policy_rules::{NON_RESOURCE_RULE, RESOURCE_RULE, non_resource_rule, resource_rule};
use super::subjects::{SUBJECT, validate_subject};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, set_default};
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::columns;
use crate::kinds::fields::{each, invalid, items, number, text};
use crate::kinds::metadata::{FinalizerRule, UpdatedMetadata, keep_metadata_in_status_update};
use crate::kinds::names;
use crate::kinds::reset_fields;
use crate::kinds::resource::{Generation, ResourceRow, Scope, Subresource};
use crate::kinds::served::FLOW_SCHEMAS;
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: super::GROUP,
    plural: "flowschemas",
    singular: "flowschema",
    kind: "FlowSchema",
    storage_hash: "GJVAJZSZBIw=",
    scope: Scope::Cluster,
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    defaults: set_defaults,
    prepare: keep_metadata_in_status_update,
    validate,
    validate_status: super::validate_status,
    columns: columns::flow_control::SCHEMAS,
    table_order: Some(by_precedence),
    reset_fields: reset_fields::status_alone,
    finalizer_rule: FinalizerRule::QualifiedButInStatus,
    updated_metadata: UpdatedMetadata::Whole,
    ..ResourceRow::USUAL
};

const PRECEDENCE: &str = "matchingPrecedence";
const DEFAULT_PRECEDENCE: i64 = 1000;
const MOST_PRECEDENCE: i64 = 10_000;

/// Upstream: `SetDefaults_FlowSchemaSpec`.
fn set_defaults(schema: &mut Value) {
    set_default(schema, "spec", empty());
    if number(&schema["spec"], PRECEDENCE) == 0 {
        schema["spec"][PRECEDENCE] = json!(DEFAULT_PRECEDENCE);
    }
}

/// Orders schemas as kube-apiserver tries them on a request. Upstream: `FlowSchemaSequence`.
fn by_precedence(one: &Value, other: &Value) -> Ordering {
    let key = |schema: &Value| (number(&schema["spec"], PRECEDENCE), text(&schema["metadata"], "name").to_owned());
    key(one).cmp(&key(other))
}

/// The Go struct of the spec, as upstream's causes print it.
const SPEC: GoStruct = GoStruct(&[
    ("PriorityLevelConfiguration", "priorityLevelConfiguration", Field::Struct(&REFERENCE)),
    ("MatchingPrecedence", PRECEDENCE, Field::Number),
    ("DistinguisherMethod", "distinguisherMethod", Field::Struct(&METHOD)),
    ("Rules", "rules", Field::List(&RULE)),
]);
const REFERENCE: GoStruct = GoStruct(&[("Name", "name", Field::Text)]);
const METHOD: GoStruct = GoStruct(&[("Type", "type", Field::Text)]);
const RULE: GoStruct = GoStruct(&[
    ("Subjects", "subjects", Field::List(&SUBJECT)),
    ("ResourceRules", "resourceRules", Field::List(&RESOURCE_RULE)),
    ("NonResourceRules", "nonResourceRules", Field::List(&NON_RESOURCE_RULE)),
]);

/// Upstream: `ValidateFlowSchema`.
fn validate(new: &Value, _old: Option<&Value>) -> Causes {
    let (spec, name) = (&new["spec"], text(&new["metadata"], "name"));
    let mut causes = precedence(spec, name);
    causes.extend(method(&spec["distinguisherMethod"]));
    causes.extend(level(&spec["priorityLevelConfiguration"], &"spec.priorityLevelConfiguration.name"));
    for (at, rule) in each(spec, "rules", &"spec") {
        causes.extend(validate_rule(rule, &at));
    }
    if super::mandatory_spec(FLOW_SCHEMAS, name).is_some_and(|fixed| spec != fixed) {
        let why = format!("spec of '{name}' must equal the fixed value");
        causes.push(Cause::invalid_as("spec", &SPEC.print(spec), &why));
    }
    causes
}

fn precedence(spec: &Value, name: &str) -> Causes {
    let why = match number(spec, PRECEDENCE) {
        ..=0 => "must be a positive value".to_owned(),
        1 if name != super::EXEMPT => "only the schema named 'exempt' may have matchingPrecedence 1".to_owned(),
        1..=MOST_PRECEDENCE => return Causes::new(),
        _ => format!("must not be greater than {MOST_PRECEDENCE}"),
    };
    Causes::from([Cause::invalid_json(format_args!("spec.{PRECEDENCE}"), &spec[PRECEDENCE], &why)])
}

/// Validates the method that distinguishes the flows. As upstream, the cause shows the whole method.
fn method(method: &Value) -> Option<Cause> {
    const METHODS: [&str; 2] = ["ByNamespace", "ByUser"];
    let is_unknown = method.is_object() && !METHODS.contains(&text(method, "type"));
    is_unknown.then(|| Cause::unsupported("spec.distinguisherMethod.type", &METHOD.print(method), &METHODS))
}

fn level(reference: &Value, at: At<'_>) -> Causes {
    match text(reference, "name") {
        "" => Causes::from([Cause::required(at, "must reference a priority level")]),
        name => invalid(at, name, names::subdomain(name)),
    }
}

/// Upstream: `ValidateFlowSchemaPolicyRulesWithSubjects`.
fn validate_rule(rule: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if items(rule, "subjects").is_empty() {
        causes.push(Cause::required(format_args!("{at}.subjects"), "subjects must contain at least one value"));
    }
    for (at, subject) in each(rule, "subjects", at) {
        causes.extend(validate_subject(subject, &at));
    }
    if items(rule, "resourceRules").is_empty() && items(rule, "nonResourceRules").is_empty() {
        let why = "at least one of resourceRules and nonResourceRules has to be non-empty";
        causes.push(Cause::required(at, why));
    }
    for (at, rule) in each(rule, "resourceRules", at) {
        causes.extend(resource_rule(rule, &at));
    }
    for (at, rule) in each(rule, "nonResourceRules", at) {
        causes.extend(non_resource_rule(rule, &at));
    }
    causes
}
