//! Finds the types of comprehensions: of the loops that macros such as `all` and `map` expand to, and of `bind` macros.
//! The macro is known by the form of the loop's accumulator.

use cel::common::ast::{ComprehensionExpr, Expr, LiteralValue, operators};
use cel::parser::Expression;

use super::{Checker, Type, macros};

impl<'s> Checker<'_, 's> {
    pub(super) fn comprehension(&mut self, of: &ComprehensionExpr) -> Type<'s> {
        if macros::is_binding(of) {
            return self.bound(of);
        }
        let over = self.check(&of.iter_range);
        // The position of a name is found by counting its occurrences (`positions.rs`). The text names the loop's
        // variables before its body, so they are counted first.
        self.positions.next(&of.iter_var);
        if let Some(name) = &of.iter_var2 {
            self.positions.next(name);
        }
        let known = self.scope.len();
        let (item, second) = if of.iter_var2.is_some() { over.pair() } else { (over.element(), Type::Unknown) };
        self.scope.push((of.iter_var.clone(), item.clone()));
        self.scope.extend(of.iter_var2.iter().map(|name| (name.clone(), second.clone())));
        let made = match (&of.accu_init.expr, appended_by(&of.loop_step)) {
            // `all`, `exists` and `exists_one` begin with a bool or a count, and give a bool.
            (Expr::Literal(LiteralValue::Boolean(_) | LiteralValue::Int(_)), _) => {
                self.check(&of.loop_step);
                Type::Bool
            }
            // `map` and `filter` begin with an empty list, and append to it.
            (Expr::List(_), Some((condition, element))) => {
                condition.into_iter().for_each(|condition| drop(self.check(condition)));
                let is_item = matches!(&element.expr, Expr::Ident(name) if *name == of.iter_var);
                // The parser makes the element of `filter`, which is not in the text. Checking it would count one
                // occurrence of the name too many, and shift the positions of later errors.
                let kind = if condition.is_some() && is_item { item } else { self.check(element) };
                Type::List(Box::new(kind))
            }
            _ => {
                self.check(&of.loop_step);
                Type::Unknown
            }
        };
        self.scope.truncate(known);
        made
    }

    /// Checks a comprehension without a loop, which only binds a value to a name.
    fn bound(&mut self, of: &ComprehensionExpr) -> Type<'s> {
        let value = self.check(&of.accu_init);
        let known = self.scope.len();
        self.scope.push((of.accu_var.clone(), value));
        let made = self.check(&of.result);
        self.scope.truncate(known);
        made
    }
}

/// Returns the condition under which a step of a loop appends to the list, if there is one, and the item that it
/// appends.
fn appended_by(step: &Expression) -> Option<(Option<&Expression>, &Expression)> {
    let Expr::Call(call) = &step.expr else { return None };
    match (call.func_name.as_str(), call.args.as_slice()) {
        (operators::CONDITIONAL, [condition, step, _]) => Some((Some(condition), appended_by(step)?.1)),
        (operators::ADD, [_, added]) => match &added.expr {
            Expr::List(list) => list.elements.first().map(|element| (None, element)),
            _ => None,
        },
        _ => None,
    }
}
