//! Compares resourceVersions as numbers, so that [`Reader::at_least`](super::Reader::at_least) can wait for one.
//! Upstream: `CompareResourceVersion` in apimachinery's `resourceversion`.

/// Returns true if the resourceVersion is a decimal number, of any length, and can be compared. From Kubernetes 1.35
/// on, all resourceVersions are.
pub(crate) fn is_comparable(version: &str) -> bool {
    !version.is_empty() && !version.starts_with('0') && version.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns true if `version` is equal to or later than `other`. Both must be comparable or empty; the empty one is the
/// earliest.
pub(crate) fn at_least(version: &str, other: &str) -> bool {
    (version.len(), version) >= (other.len(), other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers_of_any_length() {
        assert!(at_least("10", "9") && at_least("9", "9") && !at_least("9", "10") && at_least("1", ""));
        assert!(at_least("100000000000000000000000000001", "99999999999999999999999999999"));
    }

    #[test]
    fn only_decimal_numbers_without_leading_zeros_are_comparable() {
        assert!(is_comparable("17") && is_comparable("340282366920938463463374607431768211456"));
        assert!(["", "0", "017", "-1", "a", "1 "].iter().all(|version| !is_comparable(version)));
    }
}
