//! Expands the macros of CEL that the parser of the crate `cel` does not know and leaves as calls: those with two
//! variables (`map.all(k, v, …)`), `sortBy`, `optMap` and `optFlatMap`. A macro becomes a comprehension, CEL's loop: it
//! has a range, a variable, and an accumulator, which each step computes anew.
//!
//! Upstream: cel-go's `ext/comprehensions.go`, `ext/lists.go` and `cel/library.go`.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, ListExpr, LiteralValue, MapExpr, operators};
use cel::parser::Expression;

/// The internal function that `sortBy` expands to.
pub(super) const SORT_BY: &str = "@sortByAssociatedKeys";
/// The internal function that adds entries to a map.
pub(super) const INSERT: &str = "cel.@mapInsert";

/// The accumulator of an expanded loop: the variable that holds its result so far.
const ACCUMULATOR: &str = "@result";
/// The variable that holds the input of `sortBy`.
const SORTED: &str = "@__sortBy_input__";
/// The loop variable of a comprehension that only binds a name.
const UNUSED: &str = "#unused";

/// Expands the macros with two variables, and `sortBy`, everywhere in an expression.
pub(super) fn expand(expression: &mut Expression) {
    let below: Vec<&mut Expression> = match &mut expression.expr {
        Expr::Call(call) => call.target.as_deref_mut().into_iter().chain(&mut call.args).collect(),
        Expr::Select(select) => vec![&mut select.operand],
        Expr::List(list) => list.elements.iter_mut().collect(),
        Expr::Map(map) => map
            .entries
            .iter_mut()
            .flat_map(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) => vec![&mut entry.key, &mut entry.value],
                EntryExpr::StructField(field) => vec![&mut field.value],
            })
            .collect(),
        Expr::Comprehension(of) => vec![&mut of.iter_range, &mut of.loop_step],
        _ => Vec::new(),
    };
    below.into_iter().for_each(expand);
    if let Expr::Call(call) = &expression.expr
        && let Some(expanded) = expanded(call)
    {
        *expression = expanded;
    }
}

/// Returns the expansion of a call; `None` if the call is no such macro.
fn expanded(call: &CallExpr) -> Option<Expression> {
    let target = call.target.as_deref()?.clone();
    let (names, parts) = match call.args.as_slice() {
        [Expression { expr: Expr::Ident(one), .. }, key] if call.func_name == "sortBy" => {
            return Some(sorted(target, one.clone(), key.clone()));
        }
        [Expression { expr: Expr::Ident(one), .. }, Expression { expr: Expr::Ident(other), .. }, parts @ ..] => {
            ((one.clone(), Some(other.clone())), parts)
        }
        _ => return None,
    };
    let comprehension = |init, condition, step, result| {
        let (iter_var, iter_var2) = names.clone();
        loop_over(target.clone(), iter_var, iter_var2, [init, condition, step, result])
    };
    // With a filter, a step keeps the accumulator (`result()`) unless the filter is true.
    let step = |made: Expression, filter: Option<&Expression>| match filter {
        Some(filter) => of(operators::CONDITIONAL, vec![filter.clone(), made, result()]),
        None => made,
    };
    let (filter, made) = match parts {
        [made] => (None, made),
        [filter, made] => (Some(filter), made),
        _ => return None,
    };
    let (init, made) = match (call.func_name.as_str(), filter) {
        ("all", None) => {
            let goes_on = of(operators::NOT_STRICTLY_FALSE, vec![result()]);
            let step = of(operators::LOGICAL_AND, vec![result(), made.clone()]);
            return Some(comprehension(bool(true), goes_on, step, result()));
        }
        ("exists", None) => {
            let not = of(operators::LOGICAL_NOT, vec![result()]);
            let goes_on = of(operators::NOT_STRICTLY_FALSE, vec![not]);
            let step = of(operators::LOGICAL_OR, vec![result(), made.clone()]);
            return Some(comprehension(bool(false), goes_on, step, result()));
        }
        ("exists_one" | "existsOne", None) => {
            let one_more = of(operators::ADD, vec![result(), int(1)]);
            let is_one = of(operators::EQUALS, vec![result(), int(1)]);
            return Some(comprehension(int(0), bool(true), step(one_more, Some(made)), is_one));
        }
        ("transformList", _) => (list(Vec::new()), of(operators::ADD, vec![result(), list(vec![made.clone()])])),
        ("transformMap", _) => (map(), of(INSERT, vec![result(), ident(&names.0), made.clone()])),
        ("transformMapEntry", _) => (map(), of(INSERT, vec![result(), made.clone()])),
        _ => return None,
    };
    Some(comprehension(init, bool(true), step(made, filter), result()))
}

/// Expands `sortBy`: computes the keys of the items, and sorts the items by them.
fn sorted(target: Expression, name: String, key: Expression) -> Expression {
    let one_more = of(operators::ADD, vec![result(), list(vec![key])]);
    let keys = loop_over(ident(SORTED), name, None, [list(Vec::new()), bool(true), one_more, result()]);
    let call = CallExpr { func_name: SORT_BY.to_owned(), target: Some(Box::new(ident(SORTED))), args: vec![keys] };
    bound(SORTED, target, plain(Expr::Call(call)))
}

/// Expands `optMap` and `optFlatMap`. The expansion contains the target twice, so it happens after the type check,
/// which must see the target once.
pub(super) fn expand_of_optional(expression: &mut Expression) {
    let Expr::Call(call) = &expression.expr else { return };
    let (Some(target), Some((name, part))) = (&call.target, of_optional(call)) else { return };
    let method = |name: &str| {
        plain(Expr::Call(CallExpr { func_name: name.to_owned(), target: Some(target.clone()), args: Vec::new() }))
    };
    let made = bound(name, method("value"), part.clone());
    let optional = |name: &str, args| {
        plain(Expr::Call(CallExpr { func_name: name.to_owned(), target: Some(Box::new(ident("optional"))), args }))
    };
    let made = if call.func_name == "optMap" { optional("of", vec![made]) } else { made };
    *expression = of(operators::CONDITIONAL, vec![method("hasValue"), made, optional("none", Vec::new())]);
}

/// Returns the number of parts that an expression has when all macros are expanded: the expansions of `optMap` and
/// `optFlatMap` contain their targets twice, so a chain of them doubles with each.
pub(super) fn expanded_parts(expression: &Expression) -> u64 {
    let all = |parts: &[&Expression]| parts.iter().map(|part| expanded_parts(part)).fold(1, u64::saturating_add);
    match &expression.expr {
        Expr::Call(call) => {
            let target = call.target.as_deref().map_or(0, expanded_parts);
            let times = if of_optional(call).is_some() { 2 } else { 1 };
            call.args
                .iter()
                .map(expanded_parts)
                .fold(target.saturating_mul(times).saturating_add(1), u64::saturating_add)
        }
        Expr::Select(select) => all(&[&select.operand]),
        Expr::List(list) => all(&list.elements.iter().collect::<Vec<_>>()),
        Expr::Map(map) => map.entries.iter().fold(1, |parts, entry| match &entry.expr {
            EntryExpr::MapEntry(entry) => parts.saturating_add(all(&[&entry.key, &entry.value])),
            EntryExpr::StructField(field) => parts.saturating_add(all(&[&field.value])),
        }),
        Expr::Comprehension(of) => all(&[&of.iter_range, &of.accu_init, &of.loop_cond, &of.loop_step, &of.result]),
        _ => 1,
    }
}

/// Returns the variable of `optMap` or `optFlatMap`, and the expression that is computed with it.
pub(super) fn of_optional(call: &CallExpr) -> Option<(&str, &Expression)> {
    match (call.func_name.as_str(), call.args.as_slice()) {
        ("optMap" | "optFlatMap", [Expression { expr: Expr::Ident(name), .. }, part]) => Some((name, part)),
        _ => None,
    }
}

/// Returns true if a comprehension is no loop but binds a name to a value.
pub(super) fn is_binding(of: &ComprehensionExpr) -> bool {
    of.iter_var == UNUSED
}

/// Returns an expression in which a name is bound to a value.
fn bound(name: &str, value: Expression, result: Expression) -> Expression {
    plain(Expr::Comprehension(Box::new(ComprehensionExpr {
        iter_range: list(Vec::new()),
        iter_var: UNUSED.to_owned(),
        iter_var2: None,
        accu_var: name.to_owned(),
        accu_init: value,
        loop_cond: bool(false),
        loop_step: ident(name),
        result,
    })))
}

/// Returns a loop over a range, with the initial accumulator, the condition to go on, the step and the result.
fn loop_over(
    iter_range: Expression,
    iter_var: String,
    iter_var2: Option<String>,
    [accu_init, loop_cond, loop_step, result]: [Expression; 4],
) -> Expression {
    let accu_var = ACCUMULATOR.to_owned();
    let of = ComprehensionExpr { iter_range, iter_var, iter_var2, accu_var, accu_init, loop_cond, loop_step, result };
    plain(Expr::Comprehension(Box::new(of)))
}

fn plain(expr: Expr) -> Expression {
    Expression { id: 0, expr }
}

/// Returns a call of a function.
fn of(function: &str, args: Vec<Expression>) -> Expression {
    plain(Expr::Call(CallExpr { func_name: function.to_owned(), target: None, args }))
}

fn ident(name: &str) -> Expression {
    plain(Expr::Ident(name.to_owned()))
}

/// Returns the accumulator.
fn result() -> Expression {
    ident(ACCUMULATOR)
}

fn list(elements: Vec<Expression>) -> Expression {
    plain(Expr::List(ListExpr::new(elements)))
}

fn map() -> Expression {
    plain(Expr::Map(MapExpr { entries: Vec::new() }))
}

fn bool(value: bool) -> Expression {
    plain(Expr::Literal(LiteralValue::Boolean(value.into())))
}

fn int(value: i64) -> Expression {
    plain(Expr::Literal(LiteralValue::Int(value.into())))
}
