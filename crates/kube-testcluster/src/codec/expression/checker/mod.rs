//! Checks names, fields and operands of an expression, and says what it results in. Upstream: cel-go's `checker/checker.go`.
//!
//! It knows what the declarations say. What it would take the whole of cel-go's checker to tell is of no known type, and is found out
//! when the expression runs.

mod admission;
mod functions;
mod loops;
mod overloads;
mod positions;
mod types;

use cel::common::ast::{CallExpr, EntryExpr, Expr, LiteralValue, SelectExpr, operators};
use cel::parser::Expression;

use self::positions::{Positions, line_and_column, shown};
use super::interpreter::is_prefix;
use super::macros;
use super::parse::parse;

pub(crate) use self::admission::{AUTHORIZER, NAMESPACE, REQUEST};
pub(crate) use self::types::Type;

/// The names of the language itself: its types, and the first part of the long names of some.
const DECLARED: [&str; 13] = [
    "bool",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "list",
    "map",
    "null_type",
    "type",
    "optional_type",
    "google",
    "net",
];

/// An expression that was read and checked.
pub(crate) struct Checked<'s> {
    pub(crate) expression: Expression,
    pub(crate) kind: Type<'s>,
}

/// Reads and checks an expression with these variables.
///
/// # Errors
/// What cel-go says of it.
pub(crate) fn check<'s>(source: &str, variables: Vec<(String, Type<'s>)>) -> Result<Checked<'s>, String> {
    let expression = parse(source).map_err(|faults| {
        let told = faults.iter().take(MOST_FAULTS).map(|fault| shown(source, fault.place, &fault.what)).collect();
        told_of(told, faults.len())
    })?;
    let (positions, faults) = (Positions::of(source), Vec::new());
    let mut checker = Checker { text: source, positions, scope: variables, faults, found: 0 };
    let kind = checker.check(&expression);
    if checker.found == 0 { Ok(Checked { expression, kind }) } else { Err(told_of(checker.faults, checker.found)) }
}

/// How many faults of an expression are told.
const MOST_FAULTS: usize = 100;

fn told_of(mut faults: Vec<String>, found: usize) -> String {
    if found > MOST_FAULTS {
        faults.push(format!("{} more errors were truncated", found - MOST_FAULTS));
    }
    faults.join("\n")
}

/// What is wrong with an expression, and what it results in.
struct Checker<'t, 's> {
    text: &'t str,
    positions: Positions<'t>,
    /// The names that are known, the inner ones last.
    scope: Vec<(String, Type<'s>)>,
    /// The first of those that were found.
    faults: Vec<String>,
    found: usize,
}

impl<'s> Checker<'_, 's> {
    fn fault(&mut self, place: usize, what: &str) {
        self.found += 1;
        if self.found <= MOST_FAULTS {
            self.faults.push(shown(self.text, line_and_column(self.text, place), what));
        }
    }

    fn check(&mut self, expression: &Expression) -> Type<'s> {
        match &expression.expr {
            Expr::Literal(literal) => of_literal(literal),
            Expr::Ident(name) => self.ident(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => {
                let kinds: Vec<_> = list.elements.iter().map(|element| self.check(element)).collect();
                Type::List(Box::new(Type::joined(&kinds)))
            }
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.check(&entry.key);
                        self.check(&entry.value);
                    }
                }
                Type::Unknown
            }
            Expr::Struct(_) | Expr::Unspecified => Type::Unknown,
        }
    }

    fn known(&self, name: &str) -> Option<&Type<'s>> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, kind)| kind)
    }

    fn ident(&mut self, name: &str) -> Type<'s> {
        if name.starts_with('@') {
            return self.known(name).cloned().unwrap_or(Type::Unknown); // of a macro
        }
        let place = self.positions.next(name);
        if let Some(kind) = self.known(name) {
            return kind.clone();
        }
        if !DECLARED.contains(&name) {
            self.fault(place, &format!("undeclared reference to '{name}' (in container '')"));
        }
        Type::Unknown
    }

    fn select(&mut self, select: &SelectExpr) -> Type<'s> {
        let operand = self.check(&select.operand);
        // The place is that of the dot before the name, but of `has(self.name)` that of the bracket: cel-go reports the former.
        let place = self.positions.next(&select.field);
        let dot = self.text[..place].rfind('.').unwrap_or(place);
        if operand.has_no_fields() {
            self.fault(dot, &format!("type '{operand}' does not support field selection"));
            return Type::Unknown;
        }
        match operand.field(&select.field) {
            Some(_) if select.test => Type::Bool,
            Some(kind) => kind,
            None => {
                let what = match operand {
                    Type::Receiver(name) => format!("unexpected failed resolution of '{name}'"),
                    _ => format!("undefined field '{}'", select.field),
                };
                self.fault(dot, &what);
                Type::Unknown
            }
        }
    }

    fn call(&mut self, call: &CallExpr) -> Type<'s> {
        if is_of_macro(call) {
            call.args.iter().for_each(|arg| drop(self.check(arg)));
            return Type::Unknown;
        }
        if let Some(sign) = operator(&call.func_name) {
            return self.operation(call, sign);
        }
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_NOT, [operand]) => return self.not(operand),
            (operators::CONDITIONAL, [condition, yes, no]) => return self.conditional([condition, yes, no]),
            _ => {}
        }
        if let (Some(target), Some((name, part))) = (&call.target, macros::of_optional(call)) {
            self.check(target);
            self.positions.next(name);
            self.scope.push((name.to_owned(), Type::Unknown));
            self.check(part);
            self.scope.pop();
            return Type::Unknown;
        }
        let target = match &call.target {
            Some(target) => match &target.expr {
                Expr::Ident(prefix) if is_prefix(prefix) && self.known(prefix).is_none() => {
                    self.positions.next(prefix);
                    return self.function(&format!("{prefix}.{}", call.func_name), &call.func_name, None, call);
                }
                _ => Some(self.check(target)),
            },
            None => None,
        };
        self.function(&call.func_name, &call.func_name, target, call)
    }

    /// A call of a function that is declared under a name, and written with its last part.
    fn function(&mut self, name: &str, written: &str, target: Option<Type<'s>>, call: &CallExpr) -> Type<'s> {
        let place = self.positions.next(written);
        let args: Vec<_> = call.args.iter().map(|arg| self.check(arg)).collect();
        if written.starts_with('_') || written.starts_with('@') || !written.starts_with(char::is_alphabetic) {
            return functions::of_operator(written, &args);
        }
        let bracket = self.text[place..].find('(').map_or(place, |at| place + at);
        if !functions::is_declared(name) {
            self.fault(bracket, &format!("undeclared reference to '{name}' (in container '')"));
            return Type::Unknown;
        }
        match functions::of(name, target.as_ref(), &args) {
            Some(kind) => kind,
            None => {
                let args = args.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                let on = target.map_or_else(String::new, |target| format!("{target}."));
                let what = format!("found no matching overload for '{name}' applied to '{on}({args})'");
                self.fault(bracket, &what);
                Type::Unknown
            }
        }
    }

    /// An operator between two operands.
    fn operation(&mut self, call: &CallExpr, sign: &str) -> Type<'s> {
        let Some((first, rest)) = call.args.split_first() else { return Type::Unknown };
        let mut kinds = vec![self.check(first)];
        let place = self.positions.next(sign);
        kinds.extend(rest.iter().map(|arg| self.check(arg)));
        let [one, other] = kinds.as_slice() else { return Type::Unknown };
        overloads::of(&call.func_name, one, other).unwrap_or_else(|| self.mismatch(place, &call.func_name, &kinds))
    }

    fn not(&mut self, operand: &Expression) -> Type<'s> {
        let place = self.positions.next("!");
        let kind = self.check(operand);
        if !kind.is_open() && kind.is_other_than(&Type::Bool) {
            return self.mismatch(place, operators::LOGICAL_NOT, &[kind]);
        }
        Type::Bool
    }

    fn conditional(&mut self, [condition, yes, no]: [&Expression; 3]) -> Type<'s> {
        let condition = self.check(condition);
        let place = self.positions.next("?");
        let (yes, no) = (self.check(yes), self.check(no));
        if yes.cannot_equal(&no) || !condition.is_open() && condition.is_other_than(&Type::Bool) {
            return self.mismatch(place, operators::CONDITIONAL, &[condition, yes, no]);
        }
        Type::joined(&[yes, no])
    }

    fn mismatch(&mut self, place: usize, operator: &str, kinds: &[Type<'s>]) -> Type<'s> {
        let kinds = kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        self.fault(place, &format!("found no matching overload for '{operator}' applied to '({kinds})'"));
        Type::Unknown
    }
}

/// Whether a macro has made a call: it works on the macro's own variable.
fn is_of_macro(call: &CallExpr) -> bool {
    call.args.iter().any(|arg| match &arg.expr {
        Expr::Ident(name) => name.starts_with('@'),
        Expr::Call(inner) => operator(&inner.func_name).is_some() && is_of_macro(inner),
        _ => false,
    })
}

/// How an operator with two operands is written.
fn operator(function: &str) -> Option<&'static str> {
    Some(match function {
        operators::EQUALS => "==",
        operators::NOT_EQUALS => "!=",
        operators::LESS => "<",
        operators::LESS_EQUALS => "<=",
        operators::GREATER => ">",
        operators::GREATER_EQUALS => ">=",
        operators::LOGICAL_AND => "&&",
        operators::LOGICAL_OR => "||",
        operators::ADD => "+",
        operators::SUBSTRACT => "-",
        operators::MULTIPLY => "*",
        operators::DIVIDE => "/",
        operators::MODULO => "%",
        operators::IN => "in",
        _ => return None,
    })
}

fn of_literal<'s>(literal: &LiteralValue) -> Type<'s> {
    match literal {
        LiteralValue::Boolean(_) => Type::Bool,
        LiteralValue::Bytes(_) => Type::Bytes,
        LiteralValue::Double(_) => Type::Double,
        LiteralValue::Int(_) => Type::Int,
        LiteralValue::Null => Type::Null,
        LiteralValue::String(_) => Type::String,
        LiteralValue::UInt(_) => Type::Uint,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_hundred_faults_are_told_and_the_others_counted() {
        let Err(told) = check(&("a&&".repeat(300) + "a"), Vec::new()) else { panic!("`a` is not declared") };
        assert_eq!(told.matches("undeclared reference").count(), 100);
        assert!(told.ends_with("\n201 more errors were truncated"), "{told}");
    }

    #[test]
    fn a_variable_does_not_hold_the_types_of_the_others() {
        let variables = || Type::Variables([("a".to_owned(), Type::Int)].into_iter().collect::<HashMap<_, _>>().into());
        let kind =
            |of: &str| check(of, vec![("variables".to_owned(), variables())]).map(|checked| checked.kind.if_shallow());
        assert!(matches!(kind("variables.a"), Ok(Type::Int)));
        assert!(matches!(kind("variables"), Ok(Type::Unknown)));
        assert!(matches!(kind("[[variables]]"), Ok(Type::Unknown)));
    }
}
