//! Runs CEL expressions as cel-go does, on the syntax tree of the crate `cel`. Variables are looked up when they are
//! needed, each step has a cost, and an expression that exceeds the limit is stopped.
//!
//! Upstream: cel-go's `interpreter`.

mod calls;
mod comprehension;
mod cost;
mod library;
mod logic;
mod meter;
mod operators;
mod plan;
mod select;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use cel::common::ast::{EntryExpr, Expr, ListExpr, MapExpr};
use cel::parser::Expression;

use self::comprehension::Scope;
use self::logic::fatal;
use super::Value;
use super::value::Map;

pub(super) use self::cost::{OF_A_LIST, OF_A_MAP};
pub(super) use self::library::is_prefix;
pub(crate) use self::library::timestamp;
pub(super) use self::library::{FORMATTED, clause};
pub use self::meter::Meter;
pub use self::plan::Program;

/// The value of an expression, or the reason why it has none.
pub type Outcome = Result<Value, Error>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// cel-go's message for a failure. `||` and `&&` ignore it if the other operand decides.
    Failed(String),
    /// The expression exceeds the limit for one expression.
    Cancelled,
    /// The expressions that share a budget have used it up.
    OutOfBudget,
}

/// The variables that an expression can use.
pub trait Variables {
    /// Returns the value of a variable, or `None` if no variable has this name.
    fn variable(&self, name: &str, meter: &Meter) -> Option<Outcome>;

    /// Returns a field of a variable whose fields are computed on demand; `None` if the variable is an ordinary one
    /// or has no such field.
    fn member(&self, _of: &str, _field: &str, _meter: &Meter) -> Option<Outcome> {
        None
    }

    /// Returns true if the checker does not know the type of a variable. cel-go then charges less for some functions.
    fn is_dynamic(&self, _name: &str) -> bool {
        false
    }
}

impl Error {
    fn failed(why: impl Into<String>) -> Self {
        Self::Failed(why.into())
    }

    fn no_such_overload() -> Self {
        Self::failed("no such overload")
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Failed(why) => why,
            Self::Cancelled => "operation cancelled: actual cost limit exceeded",
            Self::OutOfBudget => {
                "validation failed due to running out of cost budget, no further validation rules will be run"
            }
        })
    }
}

/// Runs a program as one expression.
///
/// # Errors
/// The failure of the expression, or the limit that it exceeds.
pub fn run(program: &Program, variables: &dyn Variables, meter: &Meter) -> Outcome {
    meter.one_expression(|| Interpreter { variables, meter, constants: &program.constants }.eval(&program.root, None))
}

struct Interpreter<'n> {
    variables: &'n dyn Variables,
    meter: &'n Meter,
    constants: &'n [Value],
}

impl Interpreter<'_> {
    fn eval(&self, expression: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let outcome = self.meter.level(|| match &expression.expr {
            Expr::Unspecified => self.constant(expression).cloned().ok_or_else(Error::no_such_overload),
            Expr::Ident(name) => self.ident(name, scope),
            Expr::Select(select) => self.select(select, scope),
            Expr::Call(call) => self.call(call, scope),
            Expr::List(list) => self.list(list, scope),
            Expr::Map(map) => self.map(map, scope),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension, scope),
            Expr::Literal(literal) => Ok(plan::of_literal(literal)),
            Expr::Struct(_) => Err(Error::failed("messages are not supported")),
        });
        outcome.and_then(valid)
    }

    /// Returns the value that the planner computed for this node.
    fn constant(&self, expression: &Expression) -> Option<&Value> {
        match expression.expr {
            Expr::Unspecified => self.constants.get(usize::try_from(expression.id).ok()?),
            _ => None,
        }
    }

    /// Evaluates a name: a variable of a loop (`scope`), or of the expression.
    fn ident(&self, name: &str, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.charge(1)?;
        if let Some(found) = scope.and_then(|scope| scope.find(name)) {
            return found;
        }
        let found = self.variables.variable(name, self.meter);
        found.unwrap_or_else(|| Err(Error::failed(format!("no such attribute(s): {name}"))))
    }

    /// Evaluates a list. Its cost is charged even if an item fails.
    fn list(&self, list: &ListExpr, scope: Option<&Scope<'_>>) -> Outcome {
        let made = fatal(self.items(list, scope))?;
        self.meter.charge(cost::OF_A_LIST)?;
        made
    }

    fn items(&self, list: &ListExpr, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.work(list.elements.len() as u64)?;
        let mut items = Vec::with_capacity(list.elements.len());
        for (i, element) in list.elements.iter().enumerate() {
            match (self.eval(element, scope)?, list.optional_indices.contains(&i)) {
                (Value::Optional(held), true) => items.extend(held.map(Arc::unwrap_or_clone)),
                (_, true) => {
                    return Err(Error::failed("cannot initialize optional list element from non-optional value"));
                }
                (item, false) => items.push(item),
            }
        }
        Ok(Value::list(items))
    }

    /// Evaluates a map. Its cost is charged even if a key or a value fails.
    fn map(&self, map: &MapExpr, scope: Option<&Scope<'_>>) -> Outcome {
        let made = fatal(self.entries(map, scope))?;
        self.meter.charge(cost::OF_A_MAP)?;
        made
    }

    fn entries(&self, map: &MapExpr, scope: Option<&Scope<'_>>) -> Outcome {
        self.meter.work(map.entries.len() as u64)?;
        let mut made = Map::default();
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else { return Err(Error::no_such_overload()) };
            let key = self.eval(&entry.key, scope)?;
            let value = match (self.eval(&entry.value, scope)?, entry.optional) {
                (Value::Optional(held), true) => held.map(Arc::unwrap_or_clone),
                (_, true) => {
                    return Err(Error::failed("cannot initialize optional entry from non-optional value"));
                }
                (value, false) => Some(value),
            };
            if let Some(value) = value {
                made.insert(key, value).map_err(|_| Error::failed("unsupported key type"))?;
            }
        }
        Ok(Value::Map(Arc::new(made)))
    }
}

/// Returns a value, or the error of a value whose type contradicts its schema.
fn valid(value: Value) -> Outcome {
    match value {
        Value::Invalid(why) => Err(Error::failed(why)),
        value => Ok(value),
    }
}
