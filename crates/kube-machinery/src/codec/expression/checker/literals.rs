//! Rejects literal arguments in CEL expressions that have the right type but an invalid value, such as `duration('x')`.
//!
//! Upstream: the validators of cel-go's `cel/validator.go`.

use cel::common::ast::{CallExpr, Expr, LiteralValue};

use super::Type;
use crate::codec::expression::interpreter::{FORMATTED, clause, timestamp};
use crate::codec::structural::pattern;
use crate::conventions::go_duration::duration;

/// Returns the error for a call whose only argument is an invalid literal.
pub(super) fn fault(name: &str, call: &CallExpr) -> Option<String> {
    let [arg] = call.args.as_slice() else { return None };
    let Expr::Literal(literal) = &arg.expr else { return None };
    let is_wrong = match (name, literal) {
        ("duration", LiteralValue::String(text)) => duration(text.inner()).is_err(),
        ("timestamp", LiteralValue::String(text)) => timestamp(text.inner()).is_none(),
        // The seconds of the years 1 to 9999.
        ("timestamp", LiteralValue::Int(seconds)) => !(-62_135_596_800..=253_402_300_799).contains(seconds.inner()),
        ("matches", LiteralValue::String(text)) => pattern::fault(text.inner()).is_some(),
        _ => false,
    };
    is_wrong.then(|| format!("invalid {name} argument"))
}

/// Returns the error for the arguments of `format`, with the offset of the wrong argument; without an offset, the error
/// belongs to the call. `list` has the types and the offsets of the arguments.
///
/// Upstream: `stringFormatValidator` in `ext/formatting.go`.
pub(super) fn fault_of_format(call: &CallExpr, list: &[(Type<'_>, usize)]) -> Option<(Option<usize>, String)> {
    let (Some(Expr::Literal(LiteralValue::String(text))), [arg]) =
        (call.target.as_deref().map(|target| &target.expr), call.args.as_slice())
    else {
        return None;
    };
    if !matches!(arg.expr, Expr::List(_)) {
        return None;
    }
    let (mut rest, mut seen) = (text.inner(), 0);
    while let Some((_, after)) = rest.split_once('%') {
        if let Some(after) = after.strip_prefix('%') {
            rest = after;
            continue;
        }
        if after.is_empty() {
            return Some((None, "unexpected end of string".to_owned()));
        }
        let Some((kind, offset)) = list.get(seen) else { return Some((None, format!("index {seen} out of range"))) };
        seen += 1;
        match clause(after) {
            Err(why) => return Some((None, format!("could not parse formatting clause: {why}"))),
            Ok((letter, after)) => {
                if let Some(why) = wrong_type(letter, kind) {
                    return Some((Some(*offset), format!("error during formatting: {why}")));
                }
                rest = after;
            }
        }
    }
    let many = format!("too many arguments supplied to string.format (expected {seen}, got {})", list.len());
    (list.len() > seen).then_some((None, many))
}

/// Returns the error for an argument that this clause of a format cannot print.
///
/// Upstream: `stringFormatChecker`.
fn wrong_type(letter: char, kind: &Type<'_>) -> Option<String> {
    let fits = match (letter, kind) {
        (_, kind) if kind.is_open() => true,
        ('s', Type::Optional(_) | Type::Opaque(_)) => false,
        ('s', kind) => !kind.is_object(),
        ('d' | 'o', Type::Int | Type::Uint) => true,
        ('f' | 'e', Type::Double | Type::String) => true,
        ('b', Type::Int | Type::Uint | Type::Bool) => true,
        ('x' | 'X', Type::Int | Type::Uint | Type::String | Type::Bytes) => true,
        _ => false,
    };
    let takes = FORMATTED.iter().find(|(letters, _)| letters.contains(letter)).map_or("", |(_, takes)| takes);
    (!fits).then(|| format!("{takes}, was given {}", kind.plain_name()))
}
