//! Lists the fields of a variable that an expression mentions, such as `a` in `variables.a`. An admission policy
//! computes the variables that another variable mentions before it computes that other one, so that a long chain of
//! variables does not recurse.

use cel::common::ast::{EntryExpr, Expr};

use super::Expression;

/// Returns all fields that the expression mentions, whether evaluation needs them or not.
pub fn fields_of<'e>(variable: &str, expression: &'e Expression) -> Vec<&'e str> {
    let (mut names, mut open) = (Vec::new(), vec![expression]);
    while let Some(next) = open.pop() {
        match &next.expr {
            Expr::Select(select) => {
                match &select.operand.expr {
                    Expr::Ident(of) if of == variable => names.push(select.field.as_str()),
                    _ => open.push(&select.operand),
                };
            }
            Expr::Call(call) => open.extend(call.target.as_deref().into_iter().chain(&call.args)),
            Expr::List(list) => open.extend(&list.elements),
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        open.extend([&entry.key, &entry.value]);
                    }
                }
            }
            Expr::Comprehension(of) => {
                open.extend([&of.iter_range, &of.accu_init, &of.loop_cond, &of.loop_step, &of.result]);
            }
            Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) | Expr::Struct(_) => {}
        }
    }
    names
}
