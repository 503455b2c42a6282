//! What operators take and result in. Upstream: cel-go's `common/stdlib/standard.go`.

use cel::common::ast::operators;

use super::Type;

/// What an operator between two operands results in; `None` if it does not take them.
pub(super) fn of<'s>(operator: &str, one: &Type<'s>, other: &Type<'s>) -> Option<Type<'s>> {
    match operator {
        operators::EQUALS | operators::NOT_EQUALS => (!one.cannot_equal(other)).then_some(Type::Bool),
        operators::LOGICAL_AND | operators::LOGICAL_OR => Some(Type::Bool), // what is no bool is found out when it runs
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS => {
            can_be_ordered(one, other).then_some(Type::Bool)
        }
        operators::ADD => arithmetic(one, other, &[Type::Int, Type::Uint, Type::Double, Type::String, Type::Bytes]),
        operators::SUBSTRACT | operators::MULTIPLY | operators::DIVIDE => {
            arithmetic(one, other, &[Type::Int, Type::Uint, Type::Double])
        }
        operators::MODULO => arithmetic(one, other, &[Type::Int, Type::Uint]),
        operators::IN => (other.is_open() || matches!(other, Type::List(_) | Type::Map(_))).then_some(Type::Bool),
        _ => Some(Type::Unknown),
    }
}

fn can_be_ordered(one: &Type<'_>, other: &Type<'_>) -> bool {
    let is_number = |kind: &Type<'_>| matches!(kind, Type::Int | Type::Uint | Type::Double);
    let is_ordered = |kind: &Type<'_>| {
        is_number(kind)
            || matches!(kind, Type::Bool | Type::String | Type::Bytes | Type::Timestamp | Type::Duration)
            || kind.is_open()
    };
    is_ordered(one)
        && is_ordered(other)
        && (one.is_open() || other.is_open() || one.is_same(other) || is_number(one) && is_number(other))
}

/// Both operands are of the same type, which is one of these, or what follows from one of them if the other is any; or one of them has
/// operators of its own.
fn arithmetic<'s>(one: &Type<'s>, other: &Type<'s>, plain: &[Type<'s>]) -> Option<Type<'s>> {
    let has_more = |kind: &Type<'_>| matches!(kind, Type::Timestamp | Type::Duration | Type::List(_));
    match (one, other) {
        (Type::Unknown, _) | (_, Type::Unknown) => Some(Type::Unknown),
        (Type::Dyn, Type::Dyn) => Some(Type::Dyn),
        (kind, other) if has_more(kind) || has_more(other) => Some(Type::Unknown),
        (Type::Dyn, kind) | (kind, Type::Dyn) => plain.iter().any(|one| one.is_same(kind)).then(|| kind.clone()),
        (one, other) => (one.is_same(other) && plain.iter().any(|kind| kind.is_same(one))).then(|| one.clone()),
    }
}
