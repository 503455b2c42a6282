//! Computes with amounts by the name of their resource. Upstream: `resources.go` in `k8s.io/apiserver/pkg/quota/v1`.

use crate::conventions::quantity::Quantity;
use crate::kinds::core::pod::amounts::Amounts;
use crate::value::{Value, json};

/// Returns the sum of two lists. Upstream: `Add`.
pub(super) fn sum(mut one: Amounts, other: &Amounts) -> Amounts {
    crate::kinds::core::pod::amounts::add(&mut one, other);
    one
}

/// Returns one list minus the other; 0 instead of a negative amount. Upstream: `SubtractWithNonNegativeResult`.
pub(super) fn increase(from: &Amounts, to: &Amounts) -> Amounts {
    let more = |(name, amount): (&String, &Quantity)| {
        let difference = from.get(name).map_or_else(|| amount.clone(), |before| amount.minus(before));
        (!difference.is_zero() && !difference.is_negative()).then(|| (name.clone(), difference))
    };
    to.iter().filter_map(more).collect()
}

/// Returns the amounts whose names the function accepts. Upstream: `Mask`.
pub(super) fn mask(amounts: &Amounts, accepts: impl Fn(&str) -> bool) -> Amounts {
    let kept = amounts.iter().filter(|(name, _)| accepts(name));
    kept.map(|(name, amount)| (name.clone(), amount.clone())).collect()
}

/// Returns true if both lists have the same amounts, whatever their notations are. Upstream: `Equals`.
pub(super) fn are_equal(one: &Amounts, other: &Amounts) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|(one, other)| one.0 == other.0 && one.1.compare(other.1).is_eq())
}

/// Returns the amounts as in `pods=1,requests.cpu=500m`. Upstream: `prettyPrint`.
pub(super) fn print(amounts: &Amounts) -> String {
    let parts: Vec<String> = amounts.iter().map(|(name, amount)| format!("{name}={amount}")).collect();
    parts.join(",")
}

pub(super) fn to_json(amounts: &Amounts) -> Value {
    let mut list = json!({});
    for (name, amount) in amounts {
        list[name.as_str()] = amount.to_string().into();
    }
    list
}

pub(super) fn one() -> Quantity {
    count(1)
}

/// Returns a number of objects as an amount.
pub(super) fn count(objects: usize) -> Quantity {
    Quantity::of_count(objects)
}
