//! The sizes that an estimate counts with: ranges whose sums and products saturate instead of overflowing. Upstream:
//! `SizeEstimate` in cel-go's `checker/cost.go`.

/// The price of reading one character. Upstream: `StringTraversalCostFactor`.
pub(super) const OF_A_CHARACTER: f64 = 0.1;
/// The price of one character of a regular expression. Upstream: `RegexStringLengthCostFactor`.
pub(super) const OF_A_PATTERN: f64 = 0.25;

/// The sizes that a text, a list or a map can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Size {
    pub(super) const UNKNOWN: Self = Self { least: 0, most: u64::MAX };

    pub(super) fn exactly(size: u64) -> Self {
        Self { least: size, most: size }
    }

    pub(super) fn up_to(most: u64) -> Self {
        Self { least: 0, most }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { least: self.least.saturating_add(other.least), most: self.most.saturating_add(other.most) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { least: self.least.saturating_mul(other.least), most: self.most.saturating_mul(other.most) }
    }

    pub(super) fn union(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }

    /// Returns the cost at a price for each character or item.
    pub(super) fn at(self, price: f64) -> u64 {
        priced(self.most, price)
    }
}

/// Returns an amount at a price, rounded up. Upstream: `multiplyByCostFactor`.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as upstream")]
pub(super) fn priced(amount: u64, price: f64) -> u64 {
    (amount as f64 * price).ceil() as u64 // the cast turns a number out of range into the largest one
}
