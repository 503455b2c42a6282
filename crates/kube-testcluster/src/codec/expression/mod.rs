//! Expressions in CEL: the language and Kubernetes' functions are those of the crate `kube-cel`. Upstream:
//! `k8s.io/apiserver/pkg/cel`.

pub(crate) mod checker;
pub(crate) mod cost;
pub(crate) mod interpreter;
pub(crate) mod parse;
pub(crate) mod references;
mod tokens;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use kube_cel::KubeCelExt;
use kube_cel::cel::objects::{Key, Map};
use kube_cel::cel::{Context, ResolveResult};

pub(crate) use kube_cel::cel::Value;
pub(crate) use kube_cel::cel::parser::Expression;

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

/// Runs an expression with these variables.
///
/// # Errors
/// What went wrong, in the words of cel-go.
pub(crate) fn run<'v>(
    program: &Expression,
    variables: impl IntoIterator<Item = (&'v str, Value)>,
) -> Result<Value, String> {
    let mut context = FUNCTIONS.new_inner_scope();
    for (name, value) in variables {
        context.add_variable_from_value(name, value);
    }
    Value::resolve(program, &context).map_err(|error| in_words_of_go(&error.to_string()))
}

/// A JSON value as it is, without a schema.
pub(crate) fn value_of(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(bool) => Value::Bool(*bool),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(int) => Value::Int(int),
            None => number.as_f64().map_or(Value::Null, Value::Float),
        },
        serde_json::Value::String(text) => Value::String(Arc::new(text.clone())),
        serde_json::Value::Array(items) => Value::List(Arc::new(items.iter().map(value_of).collect())),
        serde_json::Value::Object(fields) => {
            let pairs = fields.iter().map(|(name, value)| (Key::String(Arc::new(name.clone())), value_of(value)));
            Value::Map(Map { map: Arc::new(pairs.collect::<HashMap<_, _>>()) })
        }
    }
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
