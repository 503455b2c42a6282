//! Compiles the CEL rules (`x-kubernetes-validations`) of a CustomResourceDefinition, so that a type error shows when
//! the definition is written and not when objects are validated. Upstream: the part of
//! `ValidateCustomResourceDefinitionOpenAPISchema` that calls `cel.Compile`
//! (`pkg/apiserver/schema/cel/compilation.go`).
//!
//! A rule may compare `self`, the new value, with `oldSelf`, the value before the update. That is refused in parts of
//! the schema that are not correlatable: an item of a list without keys, for example, cannot be matched with an old
//! item.
//!
//! The cost of each rule is estimated too, so that a rule that costs too much is refused when the definition is
//! written, and not stopped when it runs.

use super::cel_context::CelContext;
use super::definition_causes::DefinitionCauses;
use super::go_print;
use crate::codec::expression::checker::{Checked, Type, check};
use crate::codec::expression::estimate::{self, Declared};
use crate::conventions::cause::Cause;
use crate::conventions::field::Path;
use crate::kinds::fields::{items, text};
use crate::value::Value;

/// Upstream: an error of `CELSchemaContext.TypeInfo`.
const WITHOUT_TYPE: &str = "internal error: failed to construct type information for x-kubernetes-validations rules: unable \
                            to convert structural schema to CEL declarations";

/// The value that `self` stands for in the rules of a schema.
#[derive(Clone, Copy)]
pub enum Subject {
    /// A resource, which also has kind, apiVersion and metadata.
    Resource,
    Value,
}

/// The context in which the rules of one schema are compiled.
#[derive(Clone, Copy)]
struct Rules<'a> {
    /// The type of `self`.
    subject: &'a Type<'a>,
    /// The declared sizes of `self`, by which costs are estimated.
    declared: &'a Declared<'a>,
    cel: CelContext<'a>,
    /// The path of a schema around this one, if there is one, whose values cannot be matched with old ones.
    uncorrelatable: Option<&'a Path<'a>>,
}

/// Compiles the rules of one schema.
pub(super) fn validate(
    schema: &Value,
    subject: Subject,
    cel: CelContext<'_>,
    uncorrelatable: Option<&Path<'_>>,
    at: &Path<'_>,
    causes: &mut DefinitionCauses,
) {
    let (rules, at) = (items(schema, "x-kubernetes-validations"), at.child("x-kubernetes-validations"));
    if rules.is_empty() {
        return; // without rules, the types below need not be made at each level of the schema
    }
    let subject = Type::of(schema, matches!(subject, Subject::Resource));
    let own = cel.lacks_a_place().then(|| Declared::of(schema, false)).flatten();
    let (Some(subject), Some(declared)) = (&subject, cel.declared.or(own.as_ref())) else {
        causes.add_later(&at, |at| Cause::internal(at, WITHOUT_TYPE));
        return;
    };
    let all = Rules { subject, declared, cel, uncorrelatable };
    for (i, rule) in rules.iter().enumerate() {
        if !text(rule, "rule").trim().is_empty() {
            validate_rule(rule, all, &at.index(i), causes);
        }
    }
}

fn validate_rule(rule: &Value, rules: Rules<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let (at_rule, at_optional) = (at.child("rule"), at.child("optionalOldSelf"));
    let expression = match compile(rule, "rule", rules) {
        Ok(compiled) if compiled.kind.is_other_than(&Type::Bool) => {
            let why = "cel expression must evaluate to a bool";
            causes.add_later(&at_rule, |at| Cause::invalid_as(at, &go_print::rule(rule), why));
            None
        }
        Ok(compiled) => {
            let cost = rules.cel.cost_of_all(rules.declared, cost(&compiled, rule, rules));
            match compiled.program() {
                Ok(program) => {
                    rules.cel.observe("estimated rule cost", cost, &at_rule, causes);
                    Some(program)
                }
                Err(why) => {
                    let why = format!("program {why}");
                    causes.add_later(&at_rule, |at| Cause::invalid_as(at, &go_print::rule(rule), &why));
                    None
                }
            }
        }
        Err(faults) => {
            let why = format!("compilation failed: {faults}");
            causes.add_later(&at_rule, |at| Cause::invalid_as(at, &go_print::rule(rule), &why));
            None
        }
    };
    if expression.is_some() && !text(rule, "messageExpression").is_empty() {
        validate_message(rule, rules, &at.child("messageExpression"), causes);
    }
    if expression.is_some_and(|program| program.root().references().has_variable("oldSelf")) {
        if let Some(path) = rules.uncorrelatable {
            let why = format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {path}");
            causes.add_later(&at_rule, |at| Cause::invalid(at, text(rule, "rule"), &why));
        }
    } else if let Some(optional) = rule["optionalOldSelf"].as_bool() {
        let why = "may not be set if oldSelf is not used in rule";
        causes.add_later(&at_optional, |at| Cause::invalid_as(at, &optional.to_string(), why));
    }
}

fn validate_message(rule: &Value, rules: Rules<'_>, at: &Path<'_>, causes: &mut DefinitionCauses) {
    let why = match compile(rule, "messageExpression", rules) {
        Ok(compiled) if compiled.kind.is_other_than(&Type::String) => {
            "messageExpression must evaluate to a string".to_owned()
        }
        Ok(compiled) => {
            let cost = cost(&compiled, rule, rules);
            match compiled.program() {
                Ok(_) => return rules.cel.observe("estimated messageExpression cost", cost, at, causes),
                Err(why) => format!("messageExpression {why}"),
            }
        }
        Err(faults) => format!("messageExpression compilation failed: {faults}"),
    };
    causes.add_later(at, |at| Cause::invalid_as(at, &go_print::rule(rule), &why));
}

/// Compiles the expression in this field of the rule. Errors are in cel-go's words.
fn compile<'a>(rule: &Value, field: &str, rules: Rules<'a>) -> Result<Checked<'a>, String> {
    check(text(rule, field), variables(rule, rules))
}

fn cost(compiled: &Checked<'_>, rule: &Value, rules: Rules<'_>) -> u64 {
    estimate::cost(&compiled.expression, &variables(rule, rules), rules.declared)
}

fn variables<'a>(rule: &Value, rules: Rules<'a>) -> Vec<(String, Type<'a>)> {
    let subject = rules.subject.clone();
    let is_optional = rule["optionalOldSelf"] == true;
    let old = if is_optional { Type::Optional(Box::new(subject.clone())) } else { subject.clone() };
    vec![("self".to_owned(), subject), ("oldSelf".to_owned(), old)]
}
