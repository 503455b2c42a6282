//! The path of the value that is being validated. A cause has it twice: its message begins with the path from the start
//! of the walk (`name`), and its field is the path from the object (`field`). Both follow upstream's oddities, such as
//! a leading dot. [`field::Path`] does not fit, because upstream's messages quote this path in a form of its own.

use std::cell::Cell;
use std::fmt::Write;

use crate::conventions::field;

/// A path that grows and shrinks during the walk. It is formatted only for a cause, so a valid value costs no
/// allocation.
pub(super) struct Path {
    /// The path at which the walk began, such as `status`; empty for a whole object.
    at: String,
    /// The path from there, with which upstream's messages begin.
    name: String,
    /// The bytes of all paths that were formatted. The walk counts them as work, because it stops after too much work
    /// (`is_exhausted`).
    formatted: Cell<usize>,
}

impl Path {
    pub(super) fn new(at: &str) -> Self {
        Self { at: at.into(), name: String::new(), formatted: Cell::default() }
    }

    /// Returns the path from the beginning of the walk, with which upstream's messages begin.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the field of a cause for which upstream has a nil `field.Path`: the place where the walk began.
    pub(super) fn root(&self) -> String {
        field::Path::Root(&self.at).to_string()
    }

    /// Returns the field of a cause about the current value.
    pub(super) fn field(&self) -> String {
        self.counted_field(&self.name)
    }

    /// Returns the field of a cause about a child of the current value.
    pub(super) fn field_of(&self, child: &str) -> String {
        self.counted_field(&format!("{}.{child}", self.name))
    }

    pub(super) fn formatted(&self) -> usize {
        self.formatted.get()
    }

    /// Returns the path from the object to `name`, which is a path from the start of the walk. Adds its length to
    /// `formatted`.
    fn counted_field(&self, name: &str) -> String {
        self.formatted.set(self.formatted.get() + name.len());
        match (self.at.as_str(), name.strip_prefix('.').unwrap_or(name)) {
            (_, "") => self.root(),
            ("", name) => name.into(),
            (at, name) => format!("{at}.{name}"),
        }
    }

    /// Enters a field that `properties` names. Returns the argument for [`back`](Self::back).
    pub(super) fn property(&mut self, name: &str) -> usize {
        let before = self.name.len();
        if before > 0 {
            self.name.push('.');
        }
        self.name.push_str(name);
        before
    }

    /// Enters a field that `properties` does not name. As upstream, its path begins with a dot at the root.
    pub(super) fn additional(&mut self, name: &str) -> usize {
        let before = self.name.len();
        self.name.push('.');
        self.name.push_str(name);
        before
    }

    /// Enters a list item.
    pub(super) fn item(&mut self, index: usize) -> usize {
        let before = self.name.len();
        write!(self.name, "[{index}]").expect("writing to a String cannot fail");
        before
    }

    /// Returns to the value around the current one.
    pub(super) fn back(&mut self, before: usize) {
        self.name.truncate(before);
    }
}
