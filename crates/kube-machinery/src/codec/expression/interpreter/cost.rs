//! The cost of calls in CEL. An expression with too high a cost is stopped, so costs must equal upstream's.
//!
//! Upstream: cel-go's `interpreter/runtimecost.go`, the trackers of its `ext`, and `CallCost` of
//! `k8s.io/apiserver/pkg/cel/library/cost.go`.

use cel::common::ast::operators;

use super::{Value, library};
use crate::codec::expression::macros;

/// The cost of making a list, without its items. Upstream: `ListCreateBaseCost`.
pub(in crate::codec::expression) const OF_A_LIST: u64 = 10;
/// The cost of making a map, without its entries. Upstream: `MapCreateBaseCost`.
pub(in crate::codec::expression) const OF_A_MAP: u64 = 30;

/// Returns the cost of reading a string, or another value of this size. Upstream: `StringTraversalCostFactor`.
pub(super) fn text_cost(size: u64) -> u64 {
    size.div_ceil(10)
}

/// Returns the cost of a call. `args` begin with the receiver. `is_dynamic` means that the checker knows the type of
/// no argument and therefore not the overload; cel-go then charges a flat price for some functions.
pub(super) fn call_cost(name: &str, args: &[Value], result: Option<&Value>, is_dynamic: bool) -> u64 {
    let size = |i: usize| args.get(i).map_or(1, Value::size);
    let made = result.map_or(1, Value::size);
    match name {
        operators::EQUALS | operators::NOT_EQUALS => match args.first() {
            Some(Value::Object(_)) if name == operators::EQUALS => 1, // `CallCost` has a price for `==` alone
            _ => text_cost(size(0).min(size(1))),
        },
        operators::LESS | operators::LESS_EQUALS | operators::GREATER | operators::GREATER_EQUALS
            if !is_dynamic && is_text(args) =>
        {
            text_cost(size(0).min(size(1)))
        }
        operators::ADD if !is_dynamic && is_text(args) => text_cost(size(0).saturating_add(size(1))),
        operators::IN if !is_dynamic && matches!(args.get(1), Some(Value::List(_))) => size(1),
        "startsWith" | "endsWith" => text_cost(size(1)),
        "contains" => text_cost(size(0)).saturating_mul(text_cost(size(1))),
        "bytes" if !is_dynamic && is_text(args) => text_cost(size(0)),
        "string" if !is_dynamic && matches!(args, [Value::Bytes(_)]) => text_cost(size(0)),
        "strings.quote" | "format" => text_cost(size(0)),
        "matches" | "find" | "findAll" => text_cost(size(0) + 1).saturating_mul(size(1).div_ceil(4)),
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
            args.first().map_or(0, traversal_cost)
        }
        "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "cidr" | "isIP" | "isCIDR" | "quantity"
        | "isQuantity" | "semver" | "isSemver" => text_cost(size(0)),
        "ip" if is_text(args) => text_cost(size(0)),
        "replace" | "split" | "ip.isCanonical" => text_cost(size(0).saturating_mul(2)),
        "join" => text_cost(made.saturating_mul(2)),
        "containsIP" => text_cost(size(0) * 2) + cost_of_text_arg(args.get(1)),
        "containsCIDR" => text_cost(size(0) * 2) + text_cost(size(0)) + 1 + cost_of_text_arg(args.get(1)),
        "validate" => {
            let length = args.first().map_or(0, library::length_of);
            text_cost(size(1) + 1).saturating_mul(length.div_ceil(4))
        }
        "slice" | "lists.range" | "reverse" => 1 + OF_A_LIST + made,
        "flatten" => {
            let depth = match args.get(1) {
                Some(Value::Int(depth)) => u64::try_from(*depth).unwrap_or(1),
                _ => 1,
            };
            size(0).saturating_mul(depth) + 1 + OF_A_LIST
        }
        "sort" | macros::SORT_BY if is_dynamic => 1,
        "distinct" | "sort" | macros::SORT_BY => 1 + pairwise_cost(args.last()),
        "sets.contains" | "sets.intersects" => size(0).saturating_mul(size(1)) + 1,
        "sets.equivalent" => size(0).saturating_mul(size(1)).saturating_mul(2) + 1,
        "or" | "orValue" => 0,
        _ => 1,
    }
}

fn is_text(args: &[Value]) -> bool {
    matches!(args.first(), Some(Value::String(_) | Value::Bytes(_)))
}

fn cost_of_text_arg(arg: Option<&Value>) -> u64 {
    match arg {
        Some(text @ Value::String(_)) => text_cost(text.size()),
        _ => 0,
    }
}

/// Returns the cost of reading a value with all that it contains. Upstream: `traversalCost`, which rounds down.
fn traversal_cost(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64 / 10,
        Value::Bytes(bytes) => bytes.len() as u64 / 10,
        Value::List(items) => items.iter().map(traversal_cost).sum(),
        Value::Map(map) => map.iter().map(|(key, value)| traversal_cost(&key) + traversal_cost(value)).sum(),
        _ => 1,
    }
}

/// Returns the cost of comparing each item of a list with every other. Upstream: `trackListSelfCompare`.
fn pairwise_cost(list: Option<&Value>) -> u64 {
    let Some(Value::List(items)) = list else { return 0 };
    let pairs = (items.len() as u64).saturating_mul(items.len() as u64);
    OF_A_LIST + pairs.saturating_mul(2) + if is_text(items) { pairs / 10 } else { 0 }
}
