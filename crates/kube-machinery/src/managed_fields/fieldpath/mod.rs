//! Paths to the fields of an object, and sets of paths, which say what a manager owns. Upstream: the package
//! `fieldpath` of structured-merge-diff.

mod fields_v1;
mod filter;
mod path;
mod path_element;
mod set;

pub use self::filter::{Filter, SetMatcher};
pub(crate) use self::path::Path;
pub use self::path_element::PathElement;
pub use self::set::Set;
