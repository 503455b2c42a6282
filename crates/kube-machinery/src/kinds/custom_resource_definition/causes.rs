//! What is wrong with a definition, as far as it is told.

use super::path::Path;
use crate::conventions::cause::Cause;

/// How many bytes of causes are told. Upstream tells all of them, with a path that can be as long as the definition each.
const MOST_BYTES: usize = 1 << 20;

/// A list of causes with an end.
#[derive(Default)]
pub(super) struct Causes {
    list: Vec<Cause>,
    /// Those that are told after all others.
    later: Vec<Cause>,
    bytes: usize,
}

impl Causes {
    /// Adds a cause for the field at this path.
    pub(super) fn add(&mut self, at: &Path<'_>, cause: impl FnOnce(String) -> Cause) {
        if !self.is_full() {
            self.push(cause(at.to_string()));
        }
    }

    /// The same of a cause that is told after the others: what is wrong with an expression. Upstream: `CELErrors`.
    #[cfg(feature = "cel")]
    pub(super) fn add_later(&mut self, at: &Path<'_>, cause: impl FnOnce(String) -> Cause) {
        if !self.is_full() {
            let cause = cause(at.to_string());
            self.bytes += cause.size();
            self.later.push(cause);
        }
    }

    /// How many there are, but for those that are told later.
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
