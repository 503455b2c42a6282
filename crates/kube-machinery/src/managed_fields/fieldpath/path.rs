//! The path from an object to one of its fields, in which list items are named by their keys and not by their index.
//! Conflicts of server-side apply show such paths. Upstream: `fieldpath/path.go`.

use std::fmt::{self, Display};

use super::PathElement;

/// The elements from the object to the field. It displays as in upstream's messages: `.spec.ports[port=80].name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub(crate) Vec<PathElement>);

impl Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}
