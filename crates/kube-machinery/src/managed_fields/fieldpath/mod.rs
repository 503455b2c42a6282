//! Paths to fields, and sets of paths. Upstream: the package `fieldpath`.

mod fields_v1;
mod filter;
mod path;
mod path_element;
mod set;

pub use self::filter::{Filter, SetMatcher};
pub(crate) use self::path::Path;
pub use self::path_element::PathElement;
pub use self::set::Set;
