//! The field path of a place in a definition. Upstream: `field.Path`.

use std::fmt;

/// A path, linked to its parent. It is formatted only for a cause, since a schema has many places, whose names can be
/// long.
#[derive(Clone, Copy)]
pub(super) enum Path<'a> {
    Root(&'a str),
    Child(&'a Path<'a>, &'a str),
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(super) fn child(&'a self, name: &'a str) -> Self {
        Self::Child(self, name)
    }

    pub(super) fn key(&'a self, name: &'a str) -> Self {
        Self::Key(self, name)
    }

    pub(super) fn index(&'a self, n: usize) -> Self {
        Self::Index(self, n)
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) => f.write_str(name),
            Self::Child(parent, name) => write!(f, "{parent}.{name}"),
            Self::Key(parent, name) => write!(f, "{parent}[{name}]"),
            Self::Index(parent, n) => write!(f, "{parent}[{n}]"),
        }
    }
}
