//! The ValidatingAdmissionPolicy kind: CEL expressions that accept or refuse writes. Upstream:
//! `pkg/apis/admissionregistration`.

use std::collections::BTreeSet;

use super::expressions::Declarations;
use super::policy::group_version;
use super::{conditions, match_resources};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::cel_reserved_words::RESERVED;
use crate::conventions::edit::{object_field, set_default};
use crate::kinds::columns;
use crate::kinds::conditions as status_conditions;
use crate::kinds::custom_resource::JsonPath;
use crate::kinds::fields::{each, invalid, items, one_of, one_of_if_set, text};
use crate::kinds::metadata::{FinalizerRule, UpdatedMetadata, keep_metadata_in_status_update};
use crate::kinds::names;
use crate::kinds::reset_fields;
use crate::kinds::resource::{
    CreateOnUpdate, Generation, ResourceRow, Scope, Strategy, Subresource, UnconditionalUpdate,
};
use crate::value::{Value, json};

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "admissionregistration.k8s.io",
    plural: "validatingadmissionpolicies",
    singular: "validatingadmissionpolicy",
    kind: "ValidatingAdmissionPolicy",
    storage_hash: "6OxvlMmQ6is=",
    scope: Scope::Cluster,
    categories: &["api-extensions"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    strategy: Strategy {
        unconditional_update: UnconditionalUpdate::Refused,
        create_on_status_apply: CreateOnUpdate::Allowed,
        ..Strategy::USUAL
    },
    defaults: set_defaults,
    prepare: keep_metadata_in_status_update,
    validate,
    validate_status,
    columns: columns::policy::ADMISSION_POLICIES,
    reset_fields: reset_fields::status_alone,
    finalizer_rule: FinalizerRule::Usual,
    updated_metadata: UpdatedMetadata::Whole,
    warnings: super::static_suffix_warnings,
    ..ResourceRow::USUAL
};

const MOST_ANNOTATIONS: usize = 20;
const LONGEST_VALUE_EXPRESSION: usize = 5 * 1024;
const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

/// Upstream: `SetObjectDefaults_ValidatingAdmissionPolicy`.
fn set_defaults(policy: &mut Value) {
    let Some(spec) = object_field(policy, "spec") else { return };
    set_default(spec, "failurePolicy", json!("Fail"));
    object_field(spec, "matchConstraints").into_iter().for_each(match_resources::set_defaults);
}

/// Upstream: `validateValidatingAdmissionPolicySpec`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let mut causes = policy(new, old);
    causes.extend(super::static_suffix(new, old));
    causes
}

fn policy(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &new["spec"];
    let has_params = !spec["paramKind"].is_null();
    let mut declared = Declarations::of_policy(has_params);
    let failure_policy = text(spec, "failurePolicy");
    let mut causes: Causes = one_of(failure_policy, &["Fail", "Ignore"], &"spec.failurePolicy").into_iter().collect();
    if !spec["paramKind"].is_null() {
        causes.extend(param_kind(&spec["paramKind"], &"spec.paramKind"));
    }
    causes.extend(match_constraints(&spec["matchConstraints"]));
    if !old.is_some_and(|old| has_same_conditions(spec, &old["spec"])) {
        causes.extend(conditions::validate(spec, &declared, &"spec"));
    }
    for (at, variable) in each(spec, "variables", &"spec") {
        causes.extend(self::variable(variable, &mut declared, &at));
    }
    if items(spec, "validations").is_empty() && items(spec, "auditAnnotations").is_empty() {
        let why = "validations or auditAnnotations must contain at least one item";
        causes.extend(["spec.validations", "spec.auditAnnotations"].map(|at| Cause::required(at, why)));
        return causes;
    }
    for (at, validation) in each(spec, "validations", &"spec") {
        causes.extend(self::validation(validation, &declared, &at));
    }
    causes.extend(annotations(text(&new["metadata"], "name"), spec, &declared));
    causes
}

fn match_constraints(constraints: &Value) -> Causes {
    const AT: &str = "spec.matchConstraints";
    if constraints.is_null() {
        return Causes::from([Cause::required(AT, "")]);
    }
    let mut causes = match_resources::validate(constraints, &AT);
    if items(constraints, "resourceRules").is_empty() {
        causes.push(Cause::required(format_args!("{AT}.resourceRules"), ""));
    }
    causes
}

/// Returns true if an update leaves the match conditions and the parameter kind unchanged; then the conditions are not
/// validated again. Upstream: `ignoreValidatingAdmissionPolicyMatchConditions`.
fn has_same_conditions(new: &Value, old: &Value) -> bool {
    new["paramKind"] == old["paramKind"] && items(new, "matchConditions") == items(old, "matchConditions")
}

/// Upstream: `validateParamKind`.
fn param_kind(kind: &Value, at: At<'_>) -> Causes {
    let (version, name) = (text(kind, "apiVersion"), text(kind, "kind"));
    let (at_version, at_kind) = (format_args!("{at}.apiVersion"), format_args!("{at}.kind"));
    let mut causes = Causes::new();
    let mut wrong = |at: At<'_>, value: &str, messages: Vec<String>| {
        if !messages.is_empty() {
            causes.push(Cause::invalid(at, value, &messages.join(",")));
        }
    };
    match group_version(version) {
        _ if version.is_empty() => {}
        None => wrong(&at_version, version, vec![format!("unexpected GroupVersion string: {version}")]),
        Some((group, number)) => {
            if !group.is_empty() {
                wrong(&at_version, group, names::subdomain(group));
            }
            if number.is_empty() {
                wrong(&at_version, version, vec!["version must be specified".to_owned()]);
            } else {
                wrong(&at_version, number, names::dns1035(number));
            }
        }
    }
    let messages = names::dns1035(&name.to_lowercase());
    if !name.is_empty() && !messages.is_empty() {
        let why = format!("may have mixed case, but should otherwise match: {}", messages.join(","));
        wrong(&at_kind, name, vec![why]);
    }
    if version.is_empty() {
        causes.insert(0, Cause::required(at_version, "")); // as upstream, before the causes about the kind
    }
    if name.is_empty() {
        causes.push(Cause::required(at_kind, ""));
    }
    causes
}

/// Validates a variable, and declares it for the expressions after it. Upstream: `validateVariable`.
fn variable(variable: &Value, declared: &mut Declarations, at: At<'_>) -> Causes {
    let (name, expression) = (text(variable, "name"), text(variable, "expression"));
    let (at_name, at_expression) = (format_args!("{at}.name"), format_args!("{at}.expression"));
    let mut causes = Causes::new();
    if name.trim().is_empty() {
        causes.push(Cause::required(at_name, "name is not specified"));
    } else if !is_identifier(name) {
        causes.push(Cause::invalid(at_name, name, "must be a valid CEL identifier"));
    }
    if expression.trim().is_empty() {
        causes.push(Cause::required(at_expression, "expression is not specified"));
    } else {
        causes.extend(declared.variable(name, expression, &at_expression));
    }
    causes
}

/// Upstream: `isCELIdentifier`.
fn is_identifier(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit()) && !RESERVED.contains(&name)
}

/// Upstream: `validateValidation`.
fn validation(validation: &Value, declared: &Declarations, at: At<'_>) -> Causes {
    let (expression, message) = (text(validation, "expression"), text(validation, "message"));
    let message_expression = text(validation, "messageExpression");
    let (at_expression, at_message) = (format_args!("{at}.expression"), format_args!("{at}.message"));
    let mut causes = Causes::new();
    if expression.trim().is_empty() {
        causes.push(Cause::required(at_expression, "expression is not specified"));
    } else {
        causes.extend(declared.condition(expression, &at_expression));
    }
    let at_message_expression = format_args!("{at}.messageExpression");
    if !message_expression.is_empty() && message_expression.trim().is_empty() {
        causes.push(Cause::invalid(at_message_expression, message_expression, "must be non-empty if specified"));
    } else if !message_expression.is_empty() {
        causes.extend(declared.message(message_expression, &at_message_expression));
    }
    if !message.is_empty() && message.trim().is_empty() {
        causes.push(Cause::invalid(at_message, message, "must be non-empty if specified"));
    } else if message.trim().contains(['\n', '\r']) {
        causes.push(Cause::invalid(at_message, message, "must not contain line breaks"));
    }
    causes.extend(one_of_if_set(validation, "reason", &REASONS, at));
    causes
}

fn annotations(policy: &str, spec: &Value, declared: &Declarations) -> Causes {
    let (all, mut seen, mut causes) = (items(spec, "auditAnnotations"), BTreeSet::new(), Causes::new());
    if all.len() > MOST_ANNOTATIONS {
        let why = format!("must not have more than {MOST_ANNOTATIONS} auditAnnotations");
        let shown = all.iter().map(|one| {
            format!("{{\"Key\":{},\"ValueExpression\":{}}}", json!(one["key"]), json!(one["valueExpression"]))
        });
        let shown = format!("[{}]", shown.collect::<Vec<_>>().join(","));
        causes.push(Cause::invalid_as("spec.auditAnnotations", &shown, &why));
    }
    for (at, annotation) in each(spec, "auditAnnotations", &"spec") {
        let (key, at_key) = (text(annotation, "key"), format_args!("{at}.key"));
        causes.extend(self::annotation(policy, annotation, declared, &at));
        if !seen.insert(key) {
            causes.push(Cause::duplicate(at_key, key));
        }
    }
    causes
}

/// Upstream: `validateAuditAnnotation`.
fn annotation(policy: &str, annotation: &Value, declared: &Declarations, at: At<'_>) -> Causes {
    let (key, expression) = (text(annotation, "key"), text(annotation, "valueExpression"));
    let (at_key, at_expression) = (format_args!("{at}.key"), format_args!("{at}.valueExpression"));
    let mut causes = if policy.is_empty() {
        Causes::from([Cause::invalid(at_key, key, "requires metadata.name be non-empty")])
    } else {
        let name = format!("{policy}/{key}");
        invalid(&at_key, &name, names::label_key(&name))
    };
    match expression.trim() {
        "" => causes.push(Cause::required(at_expression, "valueExpression is not specified")),
        long if long.len() > LONGEST_VALUE_EXPRESSION => {
            let why = format!("must not exceed {LONGEST_VALUE_EXPRESSION} bytes in length");
            causes.push(Cause::required(at_expression, &why)); // as upstream, although the expression is not missing
        }
        trimmed => causes.extend(declared.annotation(trimmed, expression, &at_expression)),
    }
    causes
}

/// Upstream: `validateValidatingAdmissionPolicyStatus`.
fn validate_status(new: &Value, _old: Option<&Value>) -> Causes {
    let (status, mut causes) = (&new["status"], Causes::new());
    for (at, warning) in each(&status["typeChecking"], "expressionWarnings", &"status.typeChecking") {
        if text(warning, "warning").is_empty() {
            causes.push(Cause::required(format_args!("{at}.warning"), ""));
        }
        let (field, at) = (text(warning, "fieldRef").trim(), format_args!("{at}.fieldRef"));
        if field.is_empty() {
            causes.push(Cause::required(at, ""));
        } else if JsonPath::read(field).or_else(|| JsonPath::read(&format!(".{field}"))).is_none() {
            causes.push(Cause::invalid(at, field, "invalid JSONPath"));
        }
    }
    causes.extend(status_conditions::conditions(status, &"status"));
    causes
}
