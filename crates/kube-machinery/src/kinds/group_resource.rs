//! The type [`GroupResource`]: a kind in any version, identified by its plural and its group.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use super::row::ResourceRow;

/// A kind in any version, ordered by plural, then by group. It has only names, so a map with such keys keeps no
/// CustomResourceDefinition in memory. Upstream: `GroupResource`.
#[derive(Clone)]
pub struct GroupResource(Names);

#[derive(Clone)]
enum Names {
    BuiltIn(&'static ResourceRow),
    Defined(Arc<Defined>),
}

/// The names in a CustomResourceDefinition.
struct Defined {
    plural: String,
    group: String,
}

impl GroupResource {
    pub(super) const fn of(row: &'static ResourceRow) -> Self {
        Self(Names::BuiltIn(row))
    }

    /// Returns the kind that a CustomResourceDefinition names.
    pub fn defined(plural: &str, group: &str) -> Self {
        Self(Names::Defined(Arc::new(Defined { plural: plural.to_owned(), group: group.to_owned() })))
    }

    pub fn plural(&self) -> &str {
        match &self.0 {
            Names::BuiltIn(row) => row.plural,
            Names::Defined(names) => &names.plural,
        }
    }

    pub fn group(&self) -> &str {
        match &self.0 {
            Names::BuiltIn(row) => row.group,
            Names::Defined(names) => &names.group,
        }
    }
}

impl fmt::Debug for GroupResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.plural(), self.group())
    }
}

impl Ord for GroupResource {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.plural(), self.group()).cmp(&(other.plural(), other.group()))
    }
}

impl PartialOrd for GroupResource {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for GroupResource {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for GroupResource {}
