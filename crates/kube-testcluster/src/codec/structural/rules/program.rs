//! A rule as a program of the crate `cel`.

use std::sync::Arc;

use kube_cel::cel::objects::OptionalValue;
use kube_cel::cel::parser::Expression;

use crate::codec::expression;
use crate::codec::expression::cost::Loops;
use crate::codec::expression::parse::{parse, told};
use crate::codec::structural::Rule;

pub(super) use crate::codec::expression::Value;

/// A rule that was read.
#[derive(Debug)]
pub(in crate::codec::structural) struct Compiled {
    program: Result<Expression, String>,
    message: Option<Expression>,
    /// Whether it is about a change.
    pub(super) uses_old_self: bool,
    pub(super) loops: Loops,
}

/// The state before.
#[derive(Clone, Copy)]
pub(super) struct Old<'a> {
    pub(super) value: Option<&'a Value>,
    /// Whether it is an optional for the rule.
    pub(super) is_optional: bool,
}

/// What came out of a rule.
pub(super) enum Outcome {
    Met,
    Failed,
    Error(String),
}

impl Compiled {
    pub(super) fn of(rule: &Rule) -> Self {
        let program = parse(&rule.rule).map_err(told);
        let uses_old_self = program.as_ref().is_ok_and(|program| program.references().has_variable("oldSelf"));
        let message = Some(&rule.message_expression).filter(|text| !text.is_empty());
        let message = message.and_then(|text| parse(text).ok());
        Self { program, message, uses_old_self, loops: Loops::of(&rule.rule) }
    }

    pub(super) fn run(&self, new: &Value, old: Old<'_>) -> Outcome {
        let program = match &self.program {
            Ok(program) => program,
            Err(error) => return Outcome::Error(format!("rule compile error: {error}")),
        };
        match execute(program, new, old) {
            Ok(Value::Bool(true)) => Outcome::Met,
            Ok(_) => Outcome::Failed,
            Err(error) => Outcome::Error(error),
        }
    }

    /// What the rule says about its failure: one line, if it says something. Upstream: `evalMessageExpression`.
    pub(super) fn message(&self, new: &Value, old: Old<'_>) -> Option<String> {
        const MOST: usize = 5 * 1024;
        let Ok(Value::String(text)) = execute(self.message.as_ref()?, new, Old { is_optional: false, ..old }) else {
            return None;
        };
        let text = text.trim();
        (!text.is_empty() && text.len() <= MOST && !text.contains('\n')).then(|| text.into())
    }
}

fn execute(program: &Expression, new: &Value, old: Old<'_>) -> Result<Value, String> {
    let old = match old {
        Old { value, is_optional: true } => {
            let optional = value.map_or_else(OptionalValue::none, |value| OptionalValue::of(value.clone()));
            Some(Value::Opaque(Arc::new(optional)))
        }
        Old { value, .. } => value.cloned(),
    };
    expression::run(program, [("self", new.clone())].into_iter().chain(old.map(|old| ("oldSelf", old))))
}
