//! Estimates the costs of the functions that libraries add to the language. Upstream: `EstimateCallCost` in
//! apiserver's `pkg/cel/library/cost.go`, and the estimators of cel-go's `ext/lists.go` and `ext/sets.go`.

use cel::common::ast::operators;

use super::calls::{Argument, CallEstimate};
use super::size::{OF_A_CHARACTER, OF_A_PATTERN, Size, priced};
use super::{Estimator, Form, Type};
use crate::codec::expression::checker::functions::{Overload, Parameter};
use crate::codec::expression::interpreter::OF_A_LIST;
use crate::codec::expression::macros;

/// The size of an address in bytes.
const OF_AN_ADDRESS: Size = Size { least: 4, most: 16 };
/// The size of a format's name. Upstream: `MaxFormatSize`.
const OF_A_FORMAT: Size = Size { least: 1, most: 64 };
/// The length of a format's regular expression. Upstream: `MaxNameFormatRegexSize`.
const PATTERN_OF_A_FORMAT: f64 = 128.0;

impl<'s> Estimator<'_, 's> {
    /// Estimates a call, or returns `None` for a function that no library estimates.
    pub(super) fn estimate_of_library(
        &self,
        name: &str,
        overload: &Overload,
        target: Option<&Argument<'s>>,
        args: &[Argument<'s>],
    ) -> Option<CallEstimate> {
        Some(match (name, target, args) {
            ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes", Some(target), _) => {
                CallEstimate::of(self.search(name, target))
            }
            ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(target), _) => same_size(target),
            ("url", None, [arg]) => same_size(arg),
            ("replace", Some(target), [from, to, ..]) => replaced(target.size, from.size, to.size),
            ("split", Some(target), _) => split(target.size, args.get(1)),
            ("join", Some(target), _) => self.join(target, args.first()),
            ("find" | "findAll", Some(target), [pattern, ..]) => {
                let text = target.size.plus(Size::exactly(1)).at(OF_A_CHARACTER);
                let cost = text.saturating_mul(pattern.size.at(OF_A_PATTERN));
                CallEstimate { cost, result: Some(Size::up_to(target.size.most)) }
            }
            ("cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver", _, [arg, ..])
            | ("ip", None, [arg]) => CallEstimate::of(arg.size.at(OF_A_CHARACTER)),
            ("ip.isCanonical", None, [arg]) => CallEstimate::of(arg.size.at(2.0 * OF_A_CHARACTER)),
            ("containsIP", _, [arg]) => CallEstimate::of(contained(overload, arg)),
            ("containsCIDR", _, [arg]) => {
                CallEstimate::of(contained(overload, arg) + OF_AN_ADDRESS.at(OF_A_CHARACTER) + 1)
            }
            ("validate", _, [arg]) => {
                CallEstimate::of(priced(arg.size.at(OF_A_CHARACTER), PATTERN_OF_A_FORMAT * OF_A_PATTERN))
            }
            (operators::EQUALS, None, [one, other]) => return equal(one, other),
            _ => return estimate_of_lists(name, overload, target, args),
        })
    }

    /// Estimates a walk over a list with comparisons, or over a text.
    fn search(&self, name: &str, target: &Argument<'s>) -> u64 {
        match self.items(target) {
            Some((kind, items)) => {
                let is_text = matches!(kind, Type::String | Type::Bytes);
                let each = if is_text { items.at(OF_A_CHARACTER).saturating_add(1) } else { 1 };
                target.size.most.saturating_mul(each)
            }
            None if name == "includes" => target.size.most,
            None => target.size.at(OF_A_CHARACTER),
        }
    }

    /// Estimates `join`, by the length of the text that it makes.
    fn join(&self, target: &Argument<'s>, separator: Option<&Argument<'s>>) -> CallEstimate {
        let list = target.size;
        let items = self.items(target).map_or(Size::exactly(0), |(_, items)| list.times(items));
        let separators = Size { least: list.least.saturating_sub(1), most: list.most.saturating_sub(1) };
        let size = separator.map_or(items, |separator| items.plus(separator.size.times(separators)));
        CallEstimate { cost: size.at(OF_A_CHARACTER), result: Some(size) }
    }

    /// Returns the type and the size of what a value contains; `None` if its type has no parameters. Upstream:
    /// `listElementNode`.
    fn items(&self, of: &Argument<'s>) -> Option<(Type<'s>, Size)> {
        let kind = match &of.part.kind {
            Type::List(of) | Type::Map(of, _) | Type::Optional(of) => Type::clone(of),
            _ => return None,
        };
        let path = &of.part.path;
        let declared = if path.is_empty() { None } else { self.declared.size_at(&path.copy_with("@items")) };
        Some((kind, declared.unwrap_or(Size::UNKNOWN)))
    }
}

/// Estimates a function that reads a text once, and returns one of the same size.
fn same_size(arg: &Argument<'_>) -> CallEstimate {
    CallEstimate { cost: arg.size.at(OF_A_CHARACTER), result: Some(arg.size) }
}

/// Estimates `replace`, by the longest and the shortest text that it can make.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as upstream")]
fn replaced(text: Size, from: Size, to: Size) -> CallEstimate {
    let parts = |text: u64, part: u64| (text as f64 / part as f64).ceil() as u64;
    // An empty `from` is found before and after each character, and all characters stay.
    let (count, kept) = match from.least {
        0 => (text.most.saturating_add(1), text.most),
        least if to.most <= least => (0, text.most),
        least => (parts(text.most, least), 0),
    };
    let (fewest, kept_least) = match from.most {
        0 => (text.least.saturating_add(1), text.least),
        most if most <= to.least => (0, text.least),
        most => (parts(text.least, most), 0),
    };
    let result = Size { least: fewest, most: count }.times(to).plus(Size { least: kept_least, most: kept });
    CallEstimate { cost: text.at(2.0 * OF_A_CHARACTER), result: Some(result) }
}

/// Estimates `split`, which makes an item of each character at most, or as many items as its limit says.
fn split(text: Size, limit: Option<&Argument<'_>>) -> CallEstimate {
    let limit = limit.and_then(|limit| match limit.part.form {
        Form::Literal(int) => int,
        _ => None,
    });
    let most = limit.map_or(text.most, i64::cast_unsigned);
    CallEstimate { cost: text.at(2.0 * OF_A_CHARACTER), result: Some(Size::up_to(most)) }
}

/// Estimates the comparison of an argument with a network. An argument that is a text is parsed first.
fn contained(overload: &Overload, arg: &Argument<'_>) -> u64 {
    let parsed = if overload.parameter(1) == Parameter::Text { arg.size.at(OF_A_CHARACTER) } else { 0 };
    OF_AN_ADDRESS.plus(OF_AN_ADDRESS).at(OF_A_CHARACTER).saturating_add(parsed)
}

/// Estimates `==` of two values of an opaque type; `None` for other types.
fn equal(one: &Argument<'_>, other: &Argument<'_>) -> Option<CallEstimate> {
    let (Type::Opaque(kind), Type::Opaque(same)) = (&one.part.kind, &other.part.kind) else { return None };
    if kind != same {
        return None;
    }
    Some(CallEstimate::of(match *kind {
        "kubernetes.NamedFormat" => OF_A_FORMAT.at(OF_A_CHARACTER),
        "kubernetes.URL" => other.part.size.get().map_or(1, |size| size.at(OF_A_CHARACTER)),
        _ => 1,
    }))
}

/// Estimates the functions of lists and of sets.
fn estimate_of_lists(
    name: &str,
    overload: &Overload,
    target: Option<&Argument<'_>>,
    args: &[Argument<'_>],
) -> Option<CallEstimate> {
    Some(match (name, target, args) {
        ("slice", Some(target), [start, end]) => {
            let end = end.as_count().unwrap_or(target.size.most);
            made_list(1.0, Size::exactly(end.wrapping_sub(start.as_count().unwrap_or_default())))
        }
        ("lists.range", None, [count]) => made_list(1.0, Size::exactly(count.as_count().unwrap_or(u64::MAX))),
        ("reverse", Some(target), []) => made_list(1.0, target.size),
        ("flatten", Some(target), []) => made_list(1.0, target.size),
        ("flatten", Some(target), [depth]) => {
            #[expect(clippy::cast_precision_loss, reason = "as upstream")]
            let depth = depth.as_count().unwrap_or(u64::MAX) as f64;
            made_list(depth, target.size)
        }
        ("distinct", Some(target), []) => made_list(2.0, target.size.times(target.size)),
        ("sort", Some(list), []) | (macros::SORT_BY, Some(_), [list]) => {
            let at = usize::from(name == macros::SORT_BY);
            let is_text = matches!(overload.parameter_of_list(at), Parameter::Text | Parameter::Bytes);
            let price = if is_text { 2.0 + OF_A_CHARACTER } else { 2.0 };
            made_list(price, list.size.times(list.size))
        }
        ("sets.contains" | "sets.intersects", None, [one, other]) => {
            CallEstimate::of(one.size.times(other.size).at(1.0).saturating_add(1))
        }
        ("sets.equivalent", None, [one, other]) => {
            CallEstimate::of(one.size.times(other.size).at(2.0).saturating_add(1))
        }
        _ => return None,
    })
}

/// Estimates a call that makes a list. Upstream: `estimateAllocatingListCall`.
fn made_list(price: f64, size: Size) -> CallEstimate {
    CallEstimate { cost: size.at(price).saturating_add(1 + OF_A_LIST), result: Some(size) }
}
