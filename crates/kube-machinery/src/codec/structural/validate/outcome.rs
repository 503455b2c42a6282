//! The outcome of validating a value against a schema. Checks of parts return outcomes that are merged into that of the
//! whole. Upstream: kube-openapi's `pkg/validation/validate/result.go`.

use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;

/// The causes, and upstream's `MatchCount`: roughly the number of checks that ran, because a failed check counts too.
/// `anyOf` and `oneOf` report the causes of the schema with the highest count.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) causes: Causes,
    pub(super) matches: u64,
}

impl Outcome {
    pub(super) fn with_cause(cause: Cause) -> Self {
        Self { causes: Causes::from([cause]), matches: 0 }
    }

    pub(super) fn of(cause: Option<Cause>) -> Self {
        Self { causes: cause.into_iter().collect(), matches: 0 }
    }

    pub(super) fn is_valid(&self) -> bool {
        self.causes.is_empty()
    }

    pub(super) fn push(&mut self, cause: Cause) {
        self.causes.push(cause);
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.matches += other.matches;
        if self.causes.is_empty() {
            self.causes = other.causes;
        } else {
            self.causes.extend(other.causes);
        }
    }

    /// Adds the outcome of a part of the check, and counts the part. As upstream, a part counts even if it failed.
    pub(super) fn merge_counted(&mut self, other: Self) {
        self.merge(other);
        self.matches += 1;
    }
}
