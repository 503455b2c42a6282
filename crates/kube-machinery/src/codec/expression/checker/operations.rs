//! Checks the operators of a CEL expression: an overload must take their operands.

use cel::common::ast::{CallExpr, Expr, operators};
use cel::parser::Expression;

use super::{Checker, Type, functions};

impl<'s> Checker<'_, 's> {
    /// Checks an operator with two operands.
    pub(super) fn operation(&mut self, call: &CallExpr, sign: &str) -> Type<'s> {
        let Some((first, rest)) = call.args.split_first() else { return Type::Unknown };
        if matches!(call.func_name.as_str(), operators::LOGICAL_AND | operators::LOGICAL_OR) {
            call.args.iter().for_each(|part| self.condition(part));
            return Type::Bool;
        }
        let mut kinds = vec![self.check(first)];
        let offset = self.positions.next(sign);
        kinds.extend(rest.iter().map(|arg| self.check(arg)));
        self.offset = offset;
        let [one, _] = kinds.as_slice() else { return Type::Unknown };
        // An object's fields have different types, so `object['name']` may be anything.
        let is_of_object = sign.starts_with('[') && one.is_object();
        let found = if is_of_object { Some(Type::Unknown) } else { functions::of(&call.func_name, None, &kinds) };
        found.unwrap_or_else(|| self.mismatch(offset, &call.func_name, &kinds))
    }

    /// Checks a part that must be a bool.
    pub(super) fn condition(&mut self, part: &Expression) {
        let kind = self.check(part);
        if !kind.is_open() && kind.is_other_than(&Type::Bool) {
            self.fault(self.offset, &format!("expected type 'bool' but found '{kind}'"));
        }
    }

    pub(super) fn not(&mut self, operand: &Expression) -> Type<'s> {
        let offset = self.positions.next("!");
        let kind = self.check(operand);
        self.offset = offset;
        if !kind.is_open() && kind.is_other_than(&Type::Bool) {
            return self.mismatch(offset, operators::LOGICAL_NOT, &[kind]);
        }
        Type::Bool
    }

    pub(super) fn negative(&mut self, operand: &Expression) -> Type<'s> {
        let offset = self.positions.next("-");
        let kind = self.check(operand);
        self.offset = offset;
        let result = functions::of(operators::NEGATE, None, std::slice::from_ref(&kind));
        result.unwrap_or_else(|| self.mismatch(offset, operators::NEGATE, &[kind]))
    }

    /// Checks `a.?b`, which selects a field of an optional or of an object.
    pub(super) fn optional_select(&mut self, of: &Expression, field: &str) -> Type<'s> {
        let operand = self.check(of);
        let offset = self.positions.next(field);
        self.offset = self.text[..offset].rfind('.').unwrap_or(offset);
        let found = match operand {
            Type::Optional(held) => held.field(field),
            other => other.field(field),
        };
        Type::Optional(Box::new(found.unwrap_or(Type::Unknown)))
    }

    pub(super) fn conditional(&mut self, [condition, yes, no]: [&Expression; 3]) -> Type<'s> {
        let condition = self.check(condition);
        let offset = self.positions.next("?");
        let (yes, no) = (self.check(yes), self.check(no));
        self.offset = offset;
        let kinds = [condition, yes, no];
        let found = functions::of(operators::CONDITIONAL, None, &kinds);
        found.unwrap_or_else(|| self.mismatch(offset, operators::CONDITIONAL, &kinds))
    }

    /// Reports that the operator does not take these types. Returns the unknown type.
    fn mismatch(&mut self, offset: usize, operator: &str, kinds: &[Type<'s>]) -> Type<'s> {
        let kinds = kinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        self.fault(offset, &format!("found no matching overload for '{operator}' applied to '({kinds})'"));
        Type::Unknown
    }
}

/// Returns true if a macro made this call, which shows in the macro's own variable (`@…`) among its arguments.
pub(super) fn is_of_macro(call: &CallExpr) -> bool {
    call.args.iter().any(|arg| match &arg.expr {
        Expr::Ident(name) => name.starts_with('@'),
        Expr::Call(inner) => operator(&inner.func_name).is_some() && is_of_macro(inner),
        _ => false,
    })
}

/// Returns the sign of an operator with two operands.
pub(super) fn operator(function: &str) -> Option<&'static str> {
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
        operators::INDEX => "[",
        operators::OPT_INDEX => "[?",
        _ => return None,
    })
}
