//! The list into which the validation of a CustomResourceDefinition collects its causes. It has a limit, because the
//! path in a cause can be as long as the definition itself: a small malicious definition could make the server build a
//! huge response.

use crate::conventions::cause::Cause;
use crate::conventions::field::Path;

/// The largest size of the causes, in bytes. Upstream has no limit.
const MOST_BYTES: usize = 1 << 20;

/// A list of causes. Once it is full, it ignores further causes, and the walks over the schema end.
#[derive(Default)]
pub(super) struct Causes {
    list: Vec<Cause>,
    /// The causes about CEL expressions, which upstream reports after all others.
    later: Vec<Cause>,
    bytes: usize,
}

impl Causes {
    /// Adds a cause for the field at this path. `cause` makes it from the path, which is not formatted for a full list.
    pub(super) fn add(&mut self, at: &Path<'_>, cause: impl FnOnce(String) -> Cause) {
        if !self.is_full() {
            self.push(cause(at.to_string()));
        }
    }

    /// Adds a cause about a CEL expression, which comes after all others. Upstream: `CELErrors`.
    #[cfg(feature = "cel")]
    pub(super) fn add_later(&mut self, at: &Path<'_>, cause: impl FnOnce(String) -> Cause) {
        if !self.is_full() {
            let cause = cause(at.to_string());
            self.bytes += cause.size();
            self.later.push(cause);
        }
    }

    /// Returns the number of causes without those of `add_later`.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn push(&mut self, cause: Cause) {
        if !self.is_full() {
            self.bytes += cause.size();
            self.list.push(cause);
        }
    }

    pub(super) fn extend(&mut self, causes: impl IntoIterator<Item = Cause>) {
        causes.into_iter().for_each(|cause| self.push(cause));
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes > MOST_BYTES
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.later.is_empty()
    }

    pub(super) fn into_list(self) -> Vec<Cause> {
        [self.list, self.later].concat()
    }
}
