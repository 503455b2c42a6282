//! A rule as a program of the crate `cel`.

use std::sync::{Arc, LazyLock};

use kube_cel::KubeCelExt;
use kube_cel::cel::objects::OptionalValue;
use kube_cel::cel::parser::{Expression, Parser};
use kube_cel::cel::{Context, ParseErrors, ResolveResult};

use super::cost::Loops;
use crate::codec::structural::Rule;

pub(super) use kube_cel::cel::Value;

/// The functions of Kubernetes, and those of the language that the crate lacks. A type is its name.
static FUNCTIONS: LazyLock<Context<'static>> = LazyLock::new(|| {
    let mut context = Context::default().with_all();
    context.add_function("dyn", |value: Value| -> ResolveResult { Ok(value) });
    context.add_function("type", |value: Value| -> ResolveResult { Ok(type_of(&value).into()) });
    for name in ["null_type", "bool", "int", "uint", "double", "string", "bytes", "list", "map"] {
        context.add_variable_from_value(name, name);
    }
    context
});

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null_type",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int",
        Value::UInt(_) => "uint",
        Value::Float(_) => "double",
        Value::String(_) => "string",
        Value::Bytes(_) => "bytes",
        Value::List(_) => "list",
        Value::Map(_) => "map",
        _ => "",
    }
}

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
        let program = read(&rule.rule).map_err(|error| error.to_string());
        let uses_old_self = program.as_ref().is_ok_and(|program| program.references().has_variable("oldSelf"));
        let message = Some(&rule.message_expression).filter(|text| !text.is_empty());
        let message = message.and_then(|text| read(text).ok());
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

/// Reads an expression, with optionals: `self.?name`. The parser bounds how deep it nests.
fn read(text: &str) -> Result<Expression, ParseErrors> {
    Parser::new().enable_optional_syntax(true).parse(text)
}

fn execute(program: &Expression, new: &Value, old: Old<'_>) -> Result<Value, String> {
    let mut context = FUNCTIONS.new_inner_scope();
    context.add_variable_from_value("self", new.clone());
    if old.is_optional {
        let optional = old.value.map_or_else(OptionalValue::none, |value| OptionalValue::of(value.clone()));
        context.add_variable_from_value("oldSelf", Value::Opaque(Arc::new(optional)));
    } else if let Some(value) = old.value {
        context.add_variable_from_value("oldSelf", value.clone());
    }
    Value::resolve(program, &context).map_err(|error| in_words_of_go(&error.to_string()))
}

/// What cel-go says.
fn in_words_of_go(error: &str) -> String {
    if error.starts_with("Division by zero") {
        return "division by zero".into();
    }
    if let Some(index) = error.strip_prefix("Index out of bounds: Int(").and_then(|rest| rest.strip_suffix(')')) {
        return format!("index out of bounds: {index}");
    }
    error.strip_prefix("No such key: ").map_or_else(|| error.into(), |key| format!("no such key: {key}"))
}
