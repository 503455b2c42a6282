//! Limits the addresses of an Endpoints object, because a change of it is sent to all nodes as a whole. Upstream:
//! `truncateEndpoints`.

use serde_json::Value;

/// The largest number of addresses. Upstream: `maxCapacity`.
const MOST_ADDRESSES: usize = 1000;

/// Returns the number of addresses in one of the two lists, over all subsets.
fn count_in_all(subsets: &[Value], field: &str) -> usize {
    subsets.iter().map(|subset| count_in(subset, field)).sum()
}

fn count_in(subset: &Value, field: &str) -> usize {
    subset[field].as_array().map_or(0, Vec::len)
}

/// Returns true if the subsets have more addresses than an Endpoints object may have.
pub(super) fn is_exceeded(subsets: &[Value]) -> bool {
    count_in_all(subsets, "addresses") + count_in_all(subsets, "notReadyAddresses") > MOST_ADDRESSES
}

/// Removes addresses until an Endpoints object may have the rest. Returns true if it removed any. Addresses that are
/// not ready go first. Each subset keeps a share of its addresses, rounded up, so that the last one may have fewer.
pub(super) fn truncate(subsets: &mut [Value]) -> bool {
    if !is_exceeded(subsets) {
        return false;
    }
    let ready = count_in_all(subsets, "addresses");
    let (field, most, total) = match ready > MOST_ADDRESSES {
        true => ("addresses", MOST_ADDRESSES, ready),
        false => ("notReadyAddresses", MOST_ADDRESSES - ready, count_in_all(subsets, "notReadyAddresses")),
    };
    let mut left = most;
    for subset in subsets {
        let share = (count_in(subset, field) * most).div_ceil(total).min(left);
        left -= cut(subset, field, share);
        if ready > MOST_ADDRESSES {
            cut(subset, "notReadyAddresses", 0);
        }
    }
    true
}

/// Keeps the first addresses of a list, and returns how many it has now. A list that becomes empty is removed.
fn cut(subset: &mut Value, field: &str, most: usize) -> usize {
    let Some(subset) = subset.as_object_mut() else { return 0 };
    let kept = subset.get_mut(field).and_then(Value::as_array_mut).map_or(0, |addresses| {
        addresses.truncate(most);
        addresses.len()
    });
    if kept == 0 {
        subset.remove(field);
    }
    kept
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn subset(ready: usize, not_ready: usize) -> Value {
        json!({"addresses": vec!["a"; ready], "notReadyAddresses": vec!["b"; not_ready]})
    }

    /// The cases are upstream's, in `TestTruncateEndpoints`.
    #[test]
    fn the_addresses_are_cut_to_a_thousand_and_ready_ones_stay_longest() {
        for (before, after) in [
            (vec![(900, 100)], vec![(900, 100)]),
            (vec![(900, 200)], vec![(900, 100)]),
            (vec![(1000, 1)], vec![(1000, 0)]),
            (vec![(400, 100), (200, 100), (100, 200)], vec![(400, 75), (200, 75), (100, 150)]),
            (vec![(500, 10), (700, 9), (400, 8)], vec![(313, 0), (438, 0), (249, 0)]),
        ] {
            let mut subsets: Vec<Value> = before.iter().map(|(ready, not)| subset(*ready, *not)).collect();
            assert_eq!(truncate(&mut subsets), before != after);
            let sizes = subsets.iter().map(|one| (count_in(one, "addresses"), count_in(one, "notReadyAddresses")));
            assert_eq!(sizes.collect::<Vec<_>>(), after);
        }
    }
}
