//! The path of a field, as validation causes name it: `spec.containers[0].name`. Upstream: `field.Path` in
//! `k8s.io/apimachinery/pkg/util/validation/field`.

use std::fmt;

/// A path, linked to its parent, for walks over objects and schemas. It is formatted only for a cause, since an object
/// has many fields, whose names can be long.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The path at which the walk begins; empty for a whole object, where upstream's path is nil.
    Root(&'a str),
    /// A field: `.name`.
    Child(&'a Path<'a>, &'a str),
    /// A key of a map: `[key]`.
    Key(&'a Path<'a>, &'a str),
    /// An item of a list: `[0]`.
    Index(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    pub(crate) fn child(&'a self, name: &'a str) -> Self {
        Self::Child(self, name)
    }

    pub(crate) fn key(&'a self, name: &'a str) -> Self {
        Self::Key(self, name)
    }

    pub(crate) fn index(&'a self, n: usize) -> Self {
        Self::Index(self, n)
    }

    /// Returns true if this is the path of a whole object.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Root(""))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) => f.write_str(name),
            Self::Child(parent, name) => {
                parent.write(f)?;
                match *name {
                    "" => f.write_str("[]"), // as upstream, which takes an element without a name for an index
                    name if parent.is_empty() => f.write_str(name),
                    name => write!(f, ".{name}"),
                }
            }
            Self::Key(parent, name) => {
                parent.write(f)?;
                write!(f, "[{name}]")
            }
            Self::Index(parent, n) => {
                parent.write(f)?;
                write!(f, "[{n}]")
            }
        }
    }
}

/// The path of a whole object displays as `<nil>`.
impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() { f.write_str("<nil>") } else { self.write(f) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_displays_as_upstream() {
        let (whole, spec) = (Path::Root(""), Path::Root("spec"));
        assert_eq!(whole.to_string(), "<nil>");
        assert_eq!(whole.child("spec").to_string(), "spec");
        assert_eq!(whole.key("a").child("b").to_string(), "[a].b");
        assert_eq!(spec.child("list").index(0).child("name").to_string(), "spec.list[0].name");
        assert_eq!(spec.child("").key("a.b").to_string(), "spec[][a.b]");
    }
}
