//! What came out of a check. Upstream: `result.go`.

use crate::conventions::cause::Cause;

/// How many causes are collected. Upstream has no limit, but its time grows with the square of their number.
const MOST_CAUSES: usize = 10_000;

/// The causes, and how many checks a value passed: of the schemas of which one must be met, that one is told about which was met
/// best.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) causes: Vec<Cause>,
    pub(super) matches: u64,
}

impl Outcome {
    /// The outcome of a check that found one cause.
    pub(super) fn refused(cause: Cause) -> Self {
        Self { causes: vec![cause], matches: 0 }
    }

    /// The outcome of a check that found a cause or none.
    pub(super) fn of(cause: Option<Cause>) -> Self {
        Self { causes: cause.into_iter().collect(), matches: 0 }
    }

    pub(super) fn is_valid(&self) -> bool {
        self.causes.is_empty()
    }

    pub(super) fn push(&mut self, cause: Cause) {
        if self.causes.len() < MOST_CAUSES {
            self.causes.push(cause);
        }
    }

    /// Adds what a part of the check found.
    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        if self.causes.is_empty() {
            self.causes = other.causes;
        } else {
            let room = MOST_CAUSES.saturating_sub(self.causes.len());
            self.causes.extend(other.causes.into_iter().take(room));
        }
    }

    /// Adds what a part of the check found, and counts that it was made.
    pub(super) fn step(&mut self, other: Self) {
        self.merge(other);
        self.matches += 1;
    }
}
