//! Checks names, fields and comparisons of an expression. Upstream: cel-go's `checker/checker.go`.

use kube_cel::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, SelectExpr, operators};
use kube_cel::cel::parser::Expression;

use super::positions::{Positions, line_and_column, shown};
use super::types::Type;

/// The names of the language itself: its types, and the first part of the long names of some.
const DECLARED: [&str; 15] = [
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
    "dyn",
    "optional",
    "optional_type",
    "google",
    "net",
];

/// What is wrong with an expression, and what it results in.
pub(super) struct Checker<'t, 's> {
    text: &'t str,
    positions: Positions<'t>,
    /// The names that are known, the inner ones last.
    scope: Vec<(String, Type<'s>)>,
    faults: Vec<String>,
}

impl<'t, 's> Checker<'t, 's> {
    pub(super) fn new(text: &'t str, subject: Type<'s>, old: Type<'s>) -> Self {
        let scope = vec![("self".to_owned(), subject), ("oldSelf".to_owned(), old)];
        Self { text, positions: Positions::of(text), scope, faults: Vec::new() }
    }

    pub(super) fn into_faults(self) -> Vec<String> {
        self.faults
    }

    fn fault(&mut self, place: usize, what: &str) {
        self.faults.push(shown(self.text, line_and_column(self.text, place), what));
    }

    pub(super) fn check(&mut self, expression: &Expression) -> Type<'s> {
        match &expression.expr {
            Expr::Literal(literal) => of_literal(literal),
            Expr::Ident(name) => self.ident(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => {
                let kinds: Vec<_> = list.elements.iter().map(|element| self.check(element)).collect();
                let item = kinds.split_first().map_or(Type::Unknown, |(first, rest)| {
                    if rest.iter().any(|kind| first.is_other_than(kind)) { Type::Unknown } else { first.clone() }
                });
                Type::List(Box::new(item))
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

    fn ident(&mut self, name: &str) -> Type<'s> {
        if name.starts_with('@') {
            return Type::Unknown; // of a macro
        }
        let place = self.positions.next(name);
        if let Some((_, kind)) = self.scope.iter().rev().find(|(known, _)| known == name) {
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
        match operand.field(&select.field) {
            Some(_) if select.test => Type::Bool,
            Some(kind) => kind,
            None => {
                let dot = self.text[..place].rfind('.').unwrap_or(place);
                self.fault(dot, &format!("undefined field '{}'", select.field));
                Type::Unknown
            }
        }
    }

    fn call(&mut self, call: &CallExpr) -> Type<'s> {
        if is_of_macro(call) {
            call.args.iter().for_each(|arg| drop(self.check(arg)));
            return Type::Unknown;
        }
        let target = call.target.as_ref().map(|target| self.check(target));
        let Some((first, rest)) = call.args.split_first() else { return of_function(&call.func_name, target.as_ref()) };
        let first_kind = self.check(first);
        let place = operator(&call.func_name).map(|sign| self.positions.next(sign));
        let kinds: Vec<_> = rest.iter().map(|arg| self.check(arg)).collect();
        match (call.func_name.as_str(), kinds.as_slice()) {
            (operators::EQUALS | operators::NOT_EQUALS, [second]) => {
                if first_kind.cannot_equal(second) {
                    let name = &call.func_name;
                    let what = format!("found no matching overload for '{name}' applied to '({first_kind}, {second})'");
                    self.fault(place.unwrap_or_default(), &what);
                }
                Type::Bool
            }
            (operators::INDEX, _) => first_kind.at_index(),
            (operators::CONDITIONAL, [one, other]) if !one.is_other_than(other) => one.clone(),
            (operators::ADD, [second]) if matches!((&first_kind, second), (Type::String, Type::String)) => Type::String,
            (
                operators::ADD | operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE | operators::MODULO,
                [second],
            ) if matches!((&first_kind, second), (Type::Int, Type::Int)) => Type::Int,
            (name, _) => of_function(name, target.as_ref()),
        }
    }

    fn comprehension(&mut self, loops: &ComprehensionExpr) -> Type<'s> {
        let over = self.check(&loops.iter_range);
        // The name of the variable stands before what is done with it.
        self.positions.next(&loops.iter_var);
        let known = self.scope.len();
        let item = if loops.iter_var2.is_some() { Type::Unknown } else { over.element() };
        self.scope.push((loops.iter_var.clone(), item));
        self.scope.extend(loops.iter_var2.iter().map(|name| (name.clone(), Type::Unknown)));
        self.check(&loops.loop_step);
        self.scope.truncate(known);
        match &loops.accu_init.expr {
            Expr::Literal(LiteralValue::Boolean(_) | LiteralValue::Int(_)) => Type::Bool,
            _ => Type::Unknown,
        }
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

/// How an operator is written.
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

/// What a function results in, as far as its name says.
fn of_function<'s>(name: &str, target: Option<&Type<'s>>) -> Type<'s> {
    match name {
        operators::LOGICAL_AND
        | operators::LOGICAL_OR
        | operators::LOGICAL_NOT
        | operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS
        | operators::IN => Type::Bool,
        "size" | "int" => Type::Int,
        "string" => Type::String,
        "double" => Type::Double,
        "matches" | "contains" | "startsWith" | "endsWith" if matches!(target, Some(Type::String)) => Type::Bool,
        _ => Type::Unknown,
    }
}
