//! Validates the fields around a CEL rule: its message, its reason and the path of the field that a violation is
//! reported for. `expressions` compiles the CEL expressions themselves, if the feature `cel` is on. Upstream: the part
//! of `ValidateCustomResourceDefinitionOpenAPISchema` on `x-kubernetes-validations`.

use super::definition_causes::DefinitionCauses;
use super::field_path::{Brackets, follow};
use super::structural;
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::value::Value;

const RULES: &str = "x-kubernetes-validations";
const REASONS: [&str; 4] = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

pub(super) fn validate(schema: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let at = at.child(RULES);
    for (i, rule) in items(schema, RULES).iter().enumerate() {
        validate_rule(schema, rule, &at.index(i), causes);
    }
}

fn validate_rule(schema: &Value, rule: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    validate_message(rule, at, causes);
    let expression = text(rule, "messageExpression");
    if !expression.is_empty() && expression.trim().is_empty() {
        let why = "messageExpression must be non-empty if specified";
        causes.add(&at.child("messageExpression"), |at| Cause::required(at, why));
    }
    if let Some(reason) = rule["reason"].as_str().filter(|reason| !REASONS.contains(reason)) {
        causes.add(&at.child("reason"), |at| Cause::unsupported_text(at, reason, &REASONS));
    }
    let (path, at) = (text(rule, "fieldPath"), at.child("fieldPath"));
    if path.is_empty() {
        return;
    }
    let mut fault = |why: &str| causes.add(&at, |at| Cause::invalid(at, path, why));
    if path.trim().is_empty() {
        fault("must be non-empty if specified");
    }
    if has_newlines(path) {
        fault("must not contain line breaks");
    }
    // Upstream accepts any path in a schema that cannot be structural.
    if follow(path, schema, Brackets::Allowed).is_err() && structural::unsupported(schema).is_none() {
        fault("must be a valid path");
    }
}

fn validate_message(rule: &Value, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let (expression, message) = (text(rule, "rule"), text(rule, "message"));
    let trimmed = message.trim();
    let (at_rule, at_message) = (at.child("rule"), at.child("message"));
    if expression.trim().is_empty() {
        causes.add(&at_rule, |at| Cause::required(at, "rule is not specified"));
    } else if !message.is_empty() && trimmed.is_empty() {
        causes.add(&at_message, |at| Cause::invalid(at, message, "must be non-empty if specified"));
    } else if has_newlines(trimmed) {
        causes.add(&at_message, |at| Cause::invalid(at, message, "must not contain line breaks"));
    } else if has_newlines(expression.trim()) && trimmed.is_empty() {
        let why = "message must be specified if rule contains line breaks";
        causes.add(&at_message, |at| Cause::required(at, why));
    }
}

fn has_newlines(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
