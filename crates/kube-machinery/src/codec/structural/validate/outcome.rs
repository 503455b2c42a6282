//! The outcome of validating a value against a schema. Checks of parts return outcomes that are merged into that of the
//! whole. Upstream: kube-openapi's `pkg/validation/validate/result.go`.

use crate::conventions::cause::Cause;

/// The largest number of causes. Upstream has no limit, but its time grows with the square of their number.
const MOST_CAUSES: usize = 10_000;

/// The causes, and the number of checks that passed. `anyOf` and `oneOf` report the causes of the schema with the most
/// passed checks.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) causes: Vec<Cause>,
    pub(super) matches: u64,
}

impl Outcome {
    pub(super) fn with_cause(cause: Cause) -> Self {
        Self { causes: vec![cause], matches: 0 }
    }

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

    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        if self.causes.is_empty() {
            self.causes = other.causes;
        } else {
            let room = MOST_CAUSES.saturating_sub(self.causes.len());
            self.causes.extend(other.causes.into_iter().take(room));
        }
    }

    /// Adds the outcome of a part of the check, and counts the part as passed.
    pub(super) fn merge_passed(&mut self, other: Self) {
        self.merge(other);
        self.matches += 1;
    }
}
