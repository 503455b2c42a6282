//! The list into which the validation of a CustomResourceDefinition collects its causes. It has a limit, because the
//! path in a cause can be as long as the definition itself: a small malicious definition could make the server build a
//! huge response.

use crate::conventions::cause::Cause;
use crate::conventions::causes;
use crate::conventions::field::Path;

#[derive(Default)]
pub(super) struct DefinitionCauses {
    list: causes::Causes,
    /// The causes about CEL expressions, which upstream reports after all others.
    later: causes::Causes,
}

impl DefinitionCauses {
    /// Adds a cause for the field at this path. `cause` makes the cause from the formatted path. If the list is full,
    /// the path is not even formatted.
    pub(super) fn add(&mut self, at: &Path<'_>, cause: impl FnOnce(String) -> Cause) {
        self.list.add(at, cause);
    }

    /// Adds a cause about a CEL expression, which comes after all others. Upstream: `CELErrors`.
    #[cfg(feature = "cel")]
    pub(super) fn add_later(&mut self, at: &Path<'_>, cause: impl FnOnce(String) -> Cause) {
        self.later.add(at, cause);
    }

    /// Returns the number of causes without those of `add_later`.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn push(&mut self, cause: Cause) {
        self.list.push(cause);
    }

    pub(super) fn extend(&mut self, causes: impl IntoIterator<Item = Cause>) {
        self.list.extend(causes);
    }

    pub(super) fn is_full(&self) -> bool {
        self.list.is_full() || self.later.is_full()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.later.is_empty()
    }

    pub(super) fn into_list(self) -> causes::Causes {
        let mut list = self.list;
        list.extend(self.later);
        list
    }
}
