//! What is wrong with a definition, as far as it is told.

use super::path::Path;
use crate::machinery::cause::Cause;

/// How many bytes of causes are told. Upstream tells all of them, with a path that can be as long as the definition each.
const MOST_BYTES: usize = 1 << 20;

/// A list of causes with an end.
#[derive(Default)]
pub(super) struct Causes {
    list: Vec<Cause>,
    bytes: usize,
}

impl Causes {
    /// Adds a cause for the field at this path.
    pub(super) fn add(&mut self, at: &Path<'_>, cause: impl FnOnce(String) -> Cause) {
        if !self.is_full() {
            self.push(cause(at.to_string()));
        }
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
        self.list.is_empty()
    }

    pub(super) fn into_list(self) -> Vec<Cause> {
        self.list
    }
}
