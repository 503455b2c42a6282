//! The type checker of CEL. It runs when a CustomResourceDefinition or an admission policy is written, so that a wrong
//! expression is refused then, with cel-go's messages.
//!
//! The checker relies on declared types only. A part whose type would need all of cel-go's inference is of type
//! [`Type::Unknown`]; its errors show when the expression runs.
//!
//! Upstream: cel-go's `checker/checker.go`.

mod admission;
pub(super) mod functions;
mod literals;
mod loops;
mod operations;
mod positions;
mod types;

use cel::common::ast::{CallExpr, EntryExpr, Expr, ListExpr, LiteralValue, MapExpr, SelectExpr, operators};
use cel::parser::Expression;

use self::operations::{is_of_macro, operator};
use self::positions::{Positions, line_and_column, to_display_string};
use super::interpreter::{Program, is_prefix};
use super::macros;
use super::parse::parse;

pub(crate) use self::admission::{AUTHORIZER, DEVICE, NAMESPACE, REQUEST};
pub(crate) use self::types::Type;
pub(super) use self::types::unescaped;

/// The identifiers that the language itself declares: its types, and the first parts of qualified names of types such
/// as `net.IP`.
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

/// An expression that passed the check, and the type of its value.
pub(crate) struct Checked<'s> {
    pub(crate) expression: Expression,
    pub(crate) kind: Type<'s>,
}

impl Checked<'_> {
    /// Makes a program that can run.
    ///
    /// # Errors
    /// cel-go's message for a constant that cannot be computed.
    pub(crate) fn program(self) -> Result<Program, String> {
        Program::of(self.expression).map_err(|why| format!("instantiation failed: {why}"))
    }
}

/// Parses an expression and checks its types.
///
/// # Errors
/// cel-go's messages for all faults of the expression.
pub(crate) fn check<'s>(source: &str, variables: Vec<(String, Type<'s>)>) -> Result<Checked<'s>, String> {
    let expression = parse(source).map_err(|faults| {
        let lines = faults
            .iter()
            .take(MOST_FAULTS)
            .map(|fault| to_display_string(source, fault.position, &fault.what))
            .collect();
        join_truncated(lines, faults.len())
    })?;
    let mut checker = Checker {
        text: source,
        positions: Positions::of(source),
        scope: variables,
        faults: Vec::new(),
        invalid: Vec::new(),
        offset: 0,
        formats: 0,
        list: Vec::new(),
    };
    let kind = checker.check(&expression);
    // The errors of the validators count only if there is no type error.
    let faults = if checker.faults.is_empty() { checker.invalid } else { checker.faults };
    if faults.is_empty() { Ok(Checked { expression, kind }) } else { Err(error_message(source, faults)) }
}

/// Prints the faults in the order of the text.
fn error_message(text: &str, mut faults: Vec<(usize, String)>) -> String {
    let found = faults.len();
    // As in cel-go, the faults that were found first are kept, wherever they are in the text.
    faults.truncate(MOST_FAULTS);
    faults.sort_by_key(|(offset, _)| *offset);
    let lines = faults.into_iter().map(|(offset, what)| to_display_string(text, line_and_column(text, offset), &what));
    join_truncated(lines.collect(), found)
}

/// The most faults that an error message lists.
const MOST_FAULTS: usize = 100;

/// Joins the faults that are listed. `found` is the number of all faults.
fn join_truncated(mut faults: Vec<String>, found: usize) -> String {
    if found > MOST_FAULTS {
        faults.push(format!("{} more errors were truncated", found - MOST_FAULTS));
    }
    faults.join("\n")
}

struct Checker<'t, 's> {
    text: &'t str,
    positions: Positions<'t>,
    /// The variables in scope, the innermost last.
    scope: Vec<(String, Type<'s>)>,
    /// Type errors, with their offsets in the text.
    faults: Vec<(usize, String)>,
    /// Errors of cel-go's validators, which check more than types, such as literal arguments. Upstream:
    /// `cel/validator.go`.
    invalid: Vec<(usize, String)>,
    /// The offset of the part that was checked last.
    offset: usize,
    /// The number of `format` calls around the current part.
    formats: usize,
    /// The items of the list that was checked last: their types and offsets.
    list: Vec<(Type<'s>, usize)>,
}

impl<'s> Checker<'_, 's> {
    fn fault(&mut self, offset: usize, what: &str) {
        self.faults.push((offset, what.to_owned()));
    }

    /// Returns the type of a part of the expression, and leaves its offset in `offset`.
    fn check(&mut self, expression: &Expression) -> Type<'s> {
        match &expression.expr {
            Expr::Literal(literal) => {
                self.offset = self.positions.next_literal(is_negative(literal));
                Type::of_literal(literal)
            }
            Expr::Ident(name) => self.ident(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => self.list(list),
            Expr::Map(map) => self.map(map),
            Expr::Struct(_) | Expr::Unspecified => Type::Unknown,
        }
    }

    fn list(&mut self, list: &ListExpr) -> Type<'s> {
        let offset = self.positions.next("[");
        let (mut items, mut is_mixed) = (Vec::new(), false);
        let mut offsets = Vec::new();
        for (i, element) in list.elements.iter().enumerate() {
            let kind = self.check(element).without_optional(list.optional_indices.contains(&i));
            // Only the first item of another type is reported.
            is_mixed |= !is_mixed && self.is_other(items.first(), &kind);
            items.push(kind);
            offsets.push(self.offset);
        }
        self.offset = offset;
        let joined = Type::joined(&items);
        self.list = items.into_iter().zip(offsets).collect();
        Type::List(Box::new(joined))
    }

    fn map(&mut self, map: &MapExpr) -> Type<'s> {
        let offset = self.positions.next("{");
        let (mut keys, mut values) = (Vec::new(), Vec::new());
        for entry in &map.entries {
            let EntryExpr::MapEntry(entry) = &entry.expr else { continue };
            let key = self.check(&entry.key);
            self.is_other(keys.first(), &key);
            let value = self.check(&entry.value).without_optional(entry.optional);
            self.is_other(values.first(), &value);
            keys.push(key);
            values.push(value);
        }
        self.offset = offset;
        Type::Map(Box::new(Type::joined(&keys)), Box::new(Type::joined(&values)))
    }

    /// Returns true if an item has another type than the first item of its list or map, and records that as an error.
    /// The arguments of `format` may be of different types. An object is never refused, because types of objects
    /// have no names here, by which cel-go compares them.
    fn is_other(&mut self, first: Option<&Type<'s>>, kind: &Type<'s>) -> bool {
        let Some(first) = first.filter(|first| self.formats == 0 && !first.is_like(kind) && !kind.is_object()) else {
            return false;
        };
        self.invalid.push((self.offset, format!("expected type '{first}' but found '{kind}'")));
        true
    }

    /// Returns true if `prefix.name` is a qualified function, such as `lists.range`, and not a method of a variable.
    fn is_prefix_of(&self, prefix: &str, name: &str) -> bool {
        is_prefix(prefix) && self.known(prefix).is_none() && functions::is_declared(&format!("{prefix}.{name}"))
    }

    fn known(&self, name: &str) -> Option<&Type<'s>> {
        self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, kind)| kind)
    }

    fn ident(&mut self, name: &str) -> Type<'s> {
        if name.starts_with('@') {
            return self.known(name).cloned().unwrap_or(Type::Unknown); // the variable of a macro
        }
        let offset = self.positions.next(name);
        self.offset = offset;
        if let Some(kind) = self.known(name) {
            return kind.clone();
        }
        if !DECLARED.contains(&name) {
            self.fault(offset, &format!("undeclared reference to '{name}' (in container '')"));
            return Type::Unknown;
        }
        if matches!(name, "google" | "net") { Type::Unknown } else { Type::Metatype }
    }

    fn select(&mut self, select: &SelectExpr) -> Type<'s> {
        let operand = self.check(&select.operand);
        // cel-go reports a selection at the dot before the name of the field, also inside of `has(self.name)`.
        let offset = self.positions.next(&select.field);
        let dot = self.text[..offset].rfind('.').unwrap_or(offset);
        self.offset = dot;
        if operand.has_no_fields() {
            self.fault(dot, &format!("type '{operand}' does not support field selection"));
            return Type::Unknown;
        }
        match operand.field(&select.field) {
            Some(_) if select.test => Type::Bool,
            Some(kind) => kind,
            None => {
                let what = match operand {
                    Type::Opaque(name) => format!("unexpected failed resolution of '{name}'"),
                    _ => format!("undefined field '{}'", select.field),
                };
                self.fault(dot, &what);
                Type::Unknown
            }
        }
    }

    fn call(&mut self, call: &CallExpr) -> Type<'s> {
        if is_of_macro(call) {
            let is_condition = matches!(call.func_name.as_str(), operators::LOGICAL_AND | operators::LOGICAL_OR);
            // A literal in such a call usually comes from the macro, so it has no position in the text.
            for part in call.args.iter().filter(|arg| !matches!(arg.expr, Expr::Literal(_))) {
                if is_condition { self.condition(part) } else { drop(self.check(part)) }
            }
            return Type::Unknown;
        }
        if let Some(sign) = operator(&call.func_name) {
            return self.operation(call, sign);
        }
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::LOGICAL_NOT, [operand]) => return self.not(operand),
            (operators::CONDITIONAL, [condition, yes, no]) => return self.conditional([condition, yes, no]),
            (operators::NEGATE, [operand]) => return self.negative(operand),
            (operators::OPT_SELECT, [of, Expression { expr: Expr::Literal(LiteralValue::String(field)), .. }]) => {
                return self.optional_select(of, field.inner());
            }
            _ => {}
        }
        if let (Some(target), Some((name, part))) = (&call.target, macros::of_optional(call)) {
            return self.part_of_optional(call, target, name, part);
        }
        let target = match &call.target {
            Some(target) => match &target.expr {
                Expr::Ident(prefix) if self.is_prefix_of(prefix, &call.func_name) => {
                    self.positions.next(prefix);
                    return self.function(&format!("{prefix}.{}", call.func_name), &call.func_name, None, call);
                }
                _ => Some(self.check(target)),
            },
            None => None,
        };
        self.function(&call.func_name, &call.func_name, target, call)
    }

    /// Checks the macros `optMap` and `optFlatMap`.
    fn part_of_optional(&mut self, call: &CallExpr, target: &Expression, name: &str, part: &Expression) -> Type<'s> {
        let held = match self.check(target) {
            Type::Optional(held) => *held,
            _ => Type::Unknown,
        };
        self.positions.next(name);
        self.scope.push((name.to_owned(), held));
        let made = self.check(part);
        self.scope.pop();
        if call.func_name == "optMap" { Type::Optional(Box::new(made)) } else { made }
    }

    /// Checks a call. `name` is the declared name of the function, `written` its last part as it stands in the text.
    fn function(&mut self, name: &str, written: &str, target: Option<Type<'s>>, call: &CallExpr) -> Type<'s> {
        let offset = self.positions.next(written);
        let (args, offsets) = self.arguments(name, call);
        let bracket = self.text[offset..].find('(').map_or(offset, |at| offset + at);
        self.offset = bracket;
        if !functions::is_declared(name) {
            self.fault(bracket, &format!("undeclared reference to '{name}' (in container '')"));
            return Type::Unknown;
        }
        if name == "format" {
            let fault = literals::fault_of_format(call, &self.list);
            self.invalid.extend(fault.map(|(at, why)| (at.unwrap_or(bracket), why)));
        }
        if let Some(why) = literals::fault(name, call) {
            self.invalid.push((offsets.last().copied().unwrap_or(bracket), why));
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

    /// Checks the arguments of a call. Returns their types and offsets.
    fn arguments(&mut self, name: &str, call: &CallExpr) -> (Vec<Type<'s>>, Vec<usize>) {
        self.formats += usize::from(name == "format");
        let checked = call.args.iter().map(|arg| (self.check(arg), self.offset)).unzip();
        self.formats -= usize::from(name == "format");
        checked
    }
}

fn is_negative(literal: &LiteralValue) -> bool {
    match literal {
        LiteralValue::Int(int) => *int.inner() < 0,
        LiteralValue::Double(double) => double.inner().is_sign_negative(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_hundred_faults_are_listed_and_the_others_counted() {
        let Err(message) = check(&("a&&".repeat(300) + "a"), Vec::new()) else { panic!("`a` is not declared") };
        assert_eq!(message.matches("undeclared reference").count(), 100);
        assert!(message.ends_with("\n201 more errors were truncated"), "{message}");
    }

    #[test]
    fn a_variable_that_contains_all_variables_is_of_unknown_type_so_that_types_do_not_grow_exponentially() {
        let variables = || Type::Variables([("a".to_owned(), Type::Int)].into_iter().collect::<HashMap<_, _>>().into());
        let kind =
            |of: &str| check(of, vec![("variables".to_owned(), variables())]).map(|checked| checked.kind.if_shallow());
        assert!(matches!(kind("variables.a"), Ok(Type::Int)));
        assert!(matches!(kind("variables"), Ok(Type::Unknown)));
        assert!(matches!(kind("[[variables]]"), Ok(Type::Unknown)));
    }
}
