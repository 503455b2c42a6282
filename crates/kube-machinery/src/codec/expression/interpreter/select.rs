//! Evaluates selections in CEL: fields of objects (`a.b`), items of lists and maps (`a[0]`), `has(a.b)`, and their
//! optional forms (`a.?b`), which give an optional instead of an error.
//!
//! A chain such as `a.b[0].c` is one attribute. It costs 1 for its name, and 1 for each selection after the name.
//!
//! Upstream: `refQualify` in cel-go's `interpreter/attributes.go`.

use cel::common::ast::{Expr, SelectExpr, operators};
use cel::parser::Expression;

use super::logic::fatal;
use super::{Error, Interpreter, Outcome, Scope, Value, operators as on_values};

impl Interpreter<'_> {
    /// Evaluates `a.b` and `has(a.b)`.
    pub(super) fn select(&self, select: &SelectExpr, scope: Option<&Scope<'_>>) -> Outcome {
        if let Some(member) = self.member(select, scope) {
            self.meter.charge(2)?; // one for the variable, one for the field
            let member = fatal(member)?;
            return if select.test { Ok(Value::Bool(true)) } else { member };
        }
        let operand = self.operand(&select.operand, scope)?;
        if select.test {
            // `has()` does not charge for reading the field.
            return on_values::is_there(held(&operand).and_then(|operand| field(operand, &select.field)));
        }
        if let Value::Optional(_) = &operand {
            return self.present(held(&operand).and_then(|held| field(held, &select.field)));
        }
        self.meter.charge(1)?;
        if let Value::List(_) = &operand {
            return Err(Error::failed("unsupported index type 'string' in list"));
        }
        let found = field(&operand, &select.field).cloned();
        found.ok_or_else(|| Error::failed(format!("no such key: {}", select.field)))
    }

    /// Evaluates the operand of a selection. An operand that is no attribute becomes one, which costs 1.
    fn operand(&self, operand: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let value = self.eval(operand, scope);
        if operand_kind(operand) == Operand::Other {
            self.meter.charge(1)?;
        }
        value
    }

    /// Wraps a selected value in an optional, and charges 1 if it is there.
    fn present(&self, found: Option<&Value>) -> Outcome {
        self.meter.charge(found.is_some().into())?;
        Ok(Value::optional(found.cloned().map(super::valid).transpose()?))
    }

    /// Returns a field that is computed on demand, such as a policy variable.
    fn member(&self, select: &SelectExpr, scope: Option<&Scope<'_>>) -> Option<Outcome> {
        let Expr::Ident(of) = &select.operand.expr else { return None };
        if scope.is_some_and(|scope| scope.find(of).is_some()) {
            return None;
        }
        self.variables.member(of, &select.field, self.meter)
    }

    /// Evaluates `a[b]`.
    pub(super) fn index(&self, of: &Expression, at: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let (of, at) = (self.operand(of, scope)?, self.part(at, scope)?);
        match &of {
            Value::Optional(_) => self.present(match held(&of) {
                Some(held) => item(held, &at)?,
                None => None,
            }),
            of => {
                self.meter.charge(1)?;
                item(of, &at)?.cloned().ok_or_else(|| missing(of, &at))
            }
        }
    }

    /// Evaluates `a[?b]` and `a.?b`.
    pub(super) fn optional_index(&self, of: &Expression, at: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        let (of, at) = (self.operand(of, scope)?, self.part(at, scope)?);
        self.present(match held(&of) {
            Some(held) => item(held, &at)?,
            None => None,
        })
    }

    /// Evaluates an index, or a branch of a conditional. If it is an attribute, it is part of the outer attribute,
    /// and its base cost of 1 is not charged.
    pub(super) fn part(&self, expression: &Expression, scope: Option<&Scope<'_>>) -> Outcome {
        if operand_kind(expression) == Operand::Attribute {
            self.meter.credit(1);
        }
        self.eval(expression, scope)
    }

    /// Returns true if the checker does not know the type of an expression.
    pub(super) fn is_dynamic(&self, expression: &Expression, scope: Option<&Scope<'_>>) -> bool {
        match &expression.expr {
            Expr::Ident(name) => {
                scope.and_then(|scope| scope.is_dynamic(name)).unwrap_or_else(|| self.variables.is_dynamic(name))
            }
            Expr::Select(select) => !select.test && self.is_dynamic(&select.operand, scope),
            Expr::Call(call) => match (call.func_name.as_str(), call.args.as_slice()) {
                (operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT, [of, _]) => {
                    self.is_dynamic(of, scope)
                }
                (operators::CONDITIONAL, [_, yes, no]) => self.is_dynamic(yes, scope) || self.is_dynamic(no, scope),
                (name, _) => name == "dyn",
            },
            Expr::List(list) => {
                !list.elements.is_empty() && list.elements.iter().all(|element| self.is_dynamic(element, scope))
            }
            _ => false,
        }
    }
}

/// The kinds of expressions that cel-go charges differently as parts of an attribute.
#[derive(PartialEq, Eq)]
enum Operand {
    /// A name, a field or an item.
    Attribute,
    /// A conditional or a `has()`, which have no cost of their own.
    Choice,
    Other,
}

fn operand_kind(expression: &Expression) -> Operand {
    match &expression.expr {
        Expr::Ident(_) => Operand::Attribute,
        Expr::Select(select) => {
            if select.test {
                Operand::Choice
            } else {
                Operand::Attribute
            }
        }
        Expr::Call(call) => match call.func_name.as_str() {
            operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT => Operand::Attribute,
            operators::CONDITIONAL => Operand::Choice,
            _ => Operand::Other,
        },
        _ => Operand::Other,
    }
}

/// Returns the held value of an optional, or the value itself; `None` for an empty optional.
fn held(value: &Value) -> Option<&Value> {
    match value {
        Value::Optional(held) => held.as_deref(),
        other => Some(other),
    }
}

fn field<'v>(of: &'v Value, name: &str) -> Option<&'v Value> {
    match of {
        Value::Map(map) => map.texts.get(name),
        _ => None,
    }
}

/// Returns an item of a list or a map, or `None` if it is missing. An index of the wrong type is an error.
fn item<'v>(of: &'v Value, at: &Value) -> Result<Option<&'v Value>, Error> {
    match of {
        Value::Map(map) => Ok(map.get(at)),
        Value::List(items) => {
            let index = match at {
                Value::Int(index) => usize::try_from(*index).ok(),
                Value::Uint(index) => usize::try_from(*index).ok(),
                #[expect(clippy::cast_possible_truncation, reason = "the index is whole")]
                Value::Double(index) if index.fract() == 0.0 => usize::try_from(*index as i64).ok(),
                Value::Double(index) => {
                    return Err(Error::failed(format!("unsupported index value {index} in list")));
                }
                other => {
                    let why = format!("unsupported index type '{}' in list", other.type_name());
                    return Err(Error::failed(why));
                }
            };
            Ok(index.and_then(|index| items.get(index)))
        }
        _ => Ok(None),
    }
}

/// Returns the error for a missing item or key.
fn missing(of: &Value, at: &Value) -> Error {
    let what = if matches!(of, Value::List(_)) { "index out of bounds" } else { "no such key" };
    Error::failed(format!("{what}: {}", super::library::printed(at)))
}
