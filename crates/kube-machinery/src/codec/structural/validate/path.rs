//! Where a check is in its object.

use std::fmt::Write;

use crate::codec::structural::field;

/// A path that grows and shrinks with the walk, so that a valid value costs no text.
pub(super) struct Path {
    /// Where the walk began; empty at an object.
    at: String,
    /// The way from there, as upstream's messages begin.
    name: String,
}

impl Path {
    pub(super) fn new(at: &str) -> Self {
        Self { at: at.into(), name: String::new() }
    }

    /// The way from the beginning, as upstream's messages begin.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Where a cause without a name of its own belongs. Upstream: a nil `field.Path`.
    pub(super) fn root(&self) -> String {
        field::or_root(&self.at).into()
    }

    /// The field of a cause here.
    pub(super) fn field(&self) -> String {
        self.named(&self.name)
    }

    /// The field of a cause in a field of the value here.
    pub(super) fn field_of(&self, child: &str) -> String {
        self.named(&format!("{}.{child}", self.name))
    }

    fn named(&self, name: &str) -> String {
        match (self.at.as_str(), name.strip_prefix('.').unwrap_or(name)) {
            (_, "") => self.root(),
            ("", name) => name.into(),
            (at, name) => format!("{at}.{name}"),
        }
    }

    /// Goes to a field that the schema names. Returns what [`back`](Self::back) needs.
    pub(super) fn property(&mut self, name: &str) -> usize {
        let before = self.name.len();
        if before > 0 {
            self.name.push('.');
        }
        self.name.push_str(name);
        before
    }

    /// Goes to another field. At the root its name begins with a dot, as upstream.
    pub(super) fn additional(&mut self, name: &str) -> usize {
        let before = self.name.len();
        self.name.push('.');
        self.name.push_str(name);
        before
    }

    /// Goes to an item.
    pub(super) fn item(&mut self, index: usize) -> usize {
        let before = self.name.len();
        write!(self.name, "[{index}]").expect("writing to a String cannot fail");
        before
    }

    /// Goes back.
    pub(super) fn back(&mut self, before: usize) {
        self.name.truncate(before);
    }
}
