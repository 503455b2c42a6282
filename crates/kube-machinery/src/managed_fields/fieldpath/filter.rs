//! Filters for sets of fields. They take away the fields that a write never changes, such as `status` in a write to the
//! main resource, so the manager does not own them. Upstream: `Filter` and `SetMatcher` in `fieldpath/set.go`.

use super::set::Node;
use super::{PathElement, Set};

#[derive(Clone, Debug)]
pub enum Filter {
    /// Takes away the fields in this set and all fields below them.
    Exclude(Set),
    /// Takes away the fields that do not match.
    Include(SetMatcher),
}

/// A pattern of paths.
#[derive(Clone, Debug)]
pub enum SetMatcher {
    Any,
    /// The paths whose first element is one of these (`None` is any element), and whose rest matches its pattern.
    Members(Vec<(Option<PathElement>, SetMatcher)>),
}

impl Filter {
    pub(crate) fn filter(&self, set: &Set) -> Set {
        match self {
            Self::Exclude(excluded) => set.recursive_difference(excluded),
            Self::Include(matcher) => set.matching(matcher),
        }
    }
}

impl SetMatcher {
    /// Returns the pattern of all paths with this prefix; `None` stands for any element.
    pub fn prefix(path: &[Option<PathElement>]) -> Self {
        path.iter().rev().fold(Self::Any, |rest, element| Self::Members(vec![(element.clone(), rest)]))
    }

    /// Returns the pattern that matches what either of two patterns matches. Upstream: `Merge`.
    pub fn or(self, other: Self) -> Self {
        let (Self::Members(mut members), Self::Members(others)) = (self, other) else { return Self::Any };
        for (element, rest) in others {
            match members.iter_mut().find(|(known, _)| *known == element) {
                Some((_, known)) => *known = std::mem::replace(known, Self::Any).or(rest),
                None => members.push((element, rest)),
            }
        }
        members.sort_by(|(left, _), (right, _)| left.cmp(right)); // any element comes first
        Self::Members(members)
    }
}

impl Set {
    /// Returns the paths that match.
    pub(crate) fn matching(&self, matcher: &SetMatcher) -> Self {
        let SetMatcher::Members(members) = matcher else { return self.clone() };
        let matching = |node: &Node| {
            let (_, rest) =
                members.iter().find(|(element, _)| element.as_ref().is_none_or(|wanted| *wanted == node.element))?;
            let children = node.children.matching(rest);
            (node.member || !children.is_empty()).then(|| Node { children, ..node.clone() })
        };
        Self { nodes: self.nodes.iter().filter_map(matching).collect() }
    }
}
