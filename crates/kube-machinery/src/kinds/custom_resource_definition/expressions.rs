//! Compiles the CEL rules (`x-kubernetes-validations`) of a CustomResourceDefinition, so that a typing error shows when
//! it is written and not when objects are validated. Upstream: the part of
//! `ValidateCustomResourceDefinitionOpenAPISchema` that calls `cel.Compile`
//! (`pkg/apiserver/schema/cel/compilation.go`).
//!
//! A rule may compare `self`, the new value, with `oldSelf`, the value before the update. That is refused in parts of
//! the schema that are not correlatable: for an item of a list without keys, for example, there is no telling which old
//! item it was.
//!
//! Upstream also estimates the cost of each rule; this module does not.

use super::causes::Causes;
use super::go_print;
use crate::codec::expression::checker::{Checked, Type, check};
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::value::Value;

/// The kind of value that `self` is in the rules of a schema.
#[derive(Clone, Copy)]
pub enum Subject {
    /// A resource, which also has kind, apiVersion and metadata.
    Resource,
    Value,
}

/// Compiles the rules of one schema. `uncorrelatable` is the path of a schema around it, if there is one, whose values
/// cannot be matched with old ones.
pub(super) fn validate(
    schema: &Value,
    subject: Subject,
    uncorrelatable: Option<&Path<'_>>,
    at: &Path<'_>,
    causes: &mut Causes,
) {
    let at = at.child("x-kubernetes-validations");
    let subject = Type::of(schema, matches!(subject, Subject::Resource)).unwrap_or(Type::Unknown);
    for (i, rule) in items(schema, "x-kubernetes-validations").iter().enumerate() {
        if !text(rule, "rule").trim().is_empty() {
            validate_rule(rule, &subject, uncorrelatable, &at.index(i), causes);
        }
    }
}

fn validate_rule(
    rule: &Value,
    subject: &Type<'_>,
    uncorrelatable: Option<&Path<'_>>,
    at: &Path<'_>,
    causes: &mut Causes,
) {
    let (at_rule, at_optional) = (at.child("rule"), at.child("optionalOldSelf"));
    let expression = match compile(rule, "rule", subject) {
        Ok(compiled) if compiled.kind.is_other_than(&Type::Bool) => {
            let why = "cel expression must evaluate to a bool";
            causes.add_later(&at_rule, |at| Cause::invalid_as(at, &go_print::rule(rule), why));
            None
        }
        Ok(compiled) => match compiled.program() {
            Ok(program) => Some(program),
            Err(why) => {
                let why = format!("program {why}");
                causes.add_later(&at_rule, |at| Cause::invalid_as(at, &go_print::rule(rule), &why));
                None
            }
        },
        Err(faults) => {
            let why = format!("compilation failed: {faults}");
            causes.add_later(&at_rule, |at| Cause::invalid_as(at, &go_print::rule(rule), &why));
            None
        }
    };
    if expression.is_some() && !text(rule, "messageExpression").is_empty() {
        validate_message(rule, subject, &at.child("messageExpression"), causes);
    }
    if expression.is_some_and(|program| program.root().references().has_variable("oldSelf")) {
        if let Some(path) = uncorrelatable {
            let why = format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {path}");
            causes.add_later(&at_rule, |at| Cause::invalid(at, text(rule, "rule"), &why));
        }
    } else if let Some(optional) = rule["optionalOldSelf"].as_bool() {
        let why = "may not be set if oldSelf is not used in rule";
        causes.add_later(&at_optional, |at| Cause::invalid_as(at, &optional.to_string(), why));
    }
}

fn validate_message(rule: &Value, subject: &Type<'_>, at: &Path<'_>, causes: &mut Causes) {
    let why = match compile(rule, "messageExpression", subject) {
        Ok(compiled) if compiled.kind.is_other_than(&Type::String) => {
            "messageExpression must evaluate to a string".to_owned()
        }
        Ok(compiled) => match compiled.program() {
            Ok(_) => return,
            Err(why) => format!("messageExpression {why}"),
        },
        Err(faults) => format!("messageExpression compilation failed: {faults}"),
    };
    causes.add_later(at, |at| Cause::invalid_as(at, &go_print::rule(rule), &why));
}

/// Parses and type-checks an expression. Errors are in cel-go's words.
fn compile<'s>(rule: &Value, field: &str, subject: &Type<'s>) -> Result<Checked<'s>, String> {
    let old = if rule["optionalOldSelf"] == true { Type::Unknown } else { subject.clone() };
    check(text(rule, field), vec![("self".to_owned(), subject.clone()), ("oldSelf".to_owned(), old)])
}
