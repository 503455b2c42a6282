//! Sets of field paths. A manager's owned fields are such a set. Upstream: `fieldpath/set.go`.

use std::cmp::Ordering;

use super::super::schema::{Schema, TypeRef};
use super::{Path, PathElement};

/// A set of paths, as a tree of their elements. A path can be in the set (a member) without the paths above and below
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    /// Sorted by their elements. Each is a member itself or has members below it.
    pub(super) nodes: Vec<Node>,
}

/// A path element, and the part of the set below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) element: PathElement,
    /// True if the path that ends here is a member.
    pub(super) member: bool,
    /// The members below this one.
    pub(super) children: Set,
}

impl Node {
    /// Returns a node, or `None` if it would hold no member.
    fn some(element: &PathElement, member: bool, children: Set) -> Option<Self> {
        (member || !children.is_empty()).then(|| Self { element: element.clone(), member, children })
    }
}

impl Set {
    pub fn of(paths: impl IntoIterator<Item = Path>) -> Self {
        let mut set = Self::default();
        for path in paths {
            set.insert(&path.0);
        }
        set
    }

    /// Adds a path, without the paths above it. An empty path is ignored, because the whole object has no owner.
    pub(crate) fn insert(&mut self, path: &[PathElement]) {
        match path {
            [] => {}
            [last] => self.node(last).member = true,
            [first, rest @ ..] => self.node(first).children.insert(rest),
        }
    }

    /// Returns the node of an element, and creates it if it is missing; the caller must then give it a member.
    fn node(&mut self, element: &PathElement) -> &mut Node {
        let at = match self.place(element) {
            Ok(at) => at,
            Err(at) => {
                let node = Node { element: element.clone(), member: false, children: Self::default() };
                self.nodes.insert(at, node);
                at
            }
        };
        &mut self.nodes[at]
    }

    /// Returns the index of an element's node, or as an error the index where it belongs.
    fn place(&self, element: &PathElement) -> Result<usize, usize> {
        // Elements mostly arrive in their order, so compare with the last one first.
        if self.nodes.last().is_none_or(|last| last.element < *element) {
            return Err(self.nodes.len());
        }
        self.nodes.binary_search_by(|node| node.element.cmp(element))
    }

    fn get(&self, element: &PathElement) -> Option<&Node> {
        self.place(element).ok().map(|at| &self.nodes[at])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn has(&self, path: &[PathElement]) -> bool {
        match path {
            [] => false,
            [last] => self.get(last).is_some_and(|node| node.member),
            [first, rest @ ..] => self.get(first).is_some_and(|node| node.children.has(rest)),
        }
    }

    /// Returns the part of the set below an element. Upstream: `WithPrefix`.
    pub(crate) fn below(&self, element: &PathElement) -> Option<&Self> {
        self.get(element).map(|node| &node.children).filter(|children| !children.is_empty())
    }

    /// Returns the elements at the top level, and whether each is a member.
    pub(crate) fn elements(&self) -> impl Iterator<Item = (&PathElement, bool)> {
        self.nodes.iter().map(|node| (&node.element, node.member))
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        self.joined(other, |left, right| match (left, right) {
            (Some(left), Some(right)) => {
                let member = left.member || right.member;
                Node::some(&left.element, member, left.children.union(&right.children))
            }
            (one, other) => one.or(other).cloned(),
        })
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        self.joined(other, |left, right| {
            let (left, right) = (left?, right?);
            let member = left.member && right.member;
            Node::some(&left.element, member, left.children.intersection(&right.children))
        })
    }

    /// Returns the paths of this set that are not in the other. Each path counts alone.
    pub(crate) fn difference(&self, other: &Self) -> Self {
        self.joined(other, |left, right| match (left?, right) {
            (left, None) => Some(left.clone()),
            (left, Some(right)) => {
                let member = left.member && !right.member;
                Node::some(&left.element, member, left.children.difference(&right.children))
            }
        })
    }

    /// Returns the paths of this set that are neither in the other nor below a path in it.
    pub(crate) fn recursive_difference(&self, other: &Self) -> Self {
        self.joined(other, |left, right| match (left?, right) {
            (left, None) => Some(left.clone()),
            (_, Some(right)) if right.member => None,
            (left, Some(right)) => {
                Node::some(&left.element, left.member, left.children.recursive_difference(&right.children))
            }
        })
    }

    /// Walks over two sets in their common order, and joins the nodes of each element.
    fn joined(&self, other: &Self, join: impl Fn(Option<&Node>, Option<&Node>) -> Option<Node>) -> Self {
        let (mut lefts, mut rights) = (self.nodes.iter().peekable(), other.nodes.iter().peekable());
        let mut nodes = Vec::with_capacity(self.nodes.len());
        loop {
            let order = match (lefts.peek(), rights.peek()) {
                (None, None) => return Self { nodes },
                (Some(left), Some(right)) => left.element.cmp(&right.element),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            let left = if order.is_le() { lefts.next() } else { None };
            let right = if order.is_ge() { rights.next() } else { None };
            nodes.extend(join(left, right));
        }
    }

    /// Adds the declared fields that are above members of the set. The keys of maps are not added.
    pub(crate) fn ensure_named_fields_are_members(&self, schema: &Schema, of: &TypeRef) -> Self {
        let atom = schema.resolve(of).unwrap_or_default();
        let none = TypeRef::default();
        let with_fields = |node: &Node| {
            let (is_field, of) = match (&node.element, atom.map, atom.list) {
                (PathElement::FieldName(name), Some(map), _) => (map.fields.contains_key(name), map.type_of(name)),
                (PathElement::Key(_), _, Some(list)) => (false, &list.element),
                _ => (false, &none),
            };
            Node {
                element: node.element.clone(),
                member: node.member || is_field,
                children: node.children.ensure_named_fields_are_members(schema, of),
            }
        };
        Self { nodes: self.nodes.iter().map(with_fields).collect() }
    }

    /// Returns all paths; at each level, members come before paths below them.
    pub(crate) fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.add_paths(&mut Vec::new(), &mut paths);
        paths
    }

    fn add_paths(&self, prefix: &mut Vec<PathElement>, paths: &mut Vec<Path>) {
        for node in self.nodes.iter().filter(|node| node.member) {
            let path = prefix.iter().chain([&node.element]).cloned().collect();
            paths.push(Path(path));
        }
        for node in &self.nodes {
            prefix.push(node.element.clone());
            node.children.add_paths(prefix, paths);
            prefix.pop();
        }
    }
}
