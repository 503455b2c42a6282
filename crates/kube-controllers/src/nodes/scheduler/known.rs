//! The scheduler's copy of all Node objects, and of their latest changes. With the changes, a waiting pod only has to
//! look at the nodes that are different since its last attempt.

use std::sync::Arc;

use imbl::{OrdMap, Vector};

use kube_machinery::value::Value;

/// The number of changes that are remembered for waiting pods.
const CHANGES: usize = 1_024;

/// The Node objects by name, reduced to the fields that scheduling needs. Cloning takes constant time.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownNodes {
    pub(super) nodes: OrdMap<String, Arc<Value>>,
    /// The latest changes, oldest first.
    changes: Vector<NodeChange>,
    /// The number of changes so far.
    pub(super) number: u64,
}

/// A node before and after a change; `None` where the node does not exist.
#[derive(Clone, Debug)]
pub(super) struct NodeChange {
    pub(super) before: Option<Arc<Value>>,
    pub(super) after: Option<Arc<Value>>,
}

impl KnownNodes {
    /// Adds or replaces a node, or removes it if `node` is `None`.
    pub(super) fn set(&mut self, name: &str, node: Option<Value>) {
        let after = node.map(Arc::new);
        let before = match &after {
            Some(node) => self.nodes.insert(name.to_owned(), node.clone()),
            None => self.nodes.remove(name),
        };
        self.changes.push_back(NodeChange { before, after });
        self.number += 1;
        if self.changes.len() > CHANGES {
            self.changes.pop_front();
        }
    }

    /// Returns the changes after the first `seen` ones, or `None` if some of them are forgotten.
    pub(super) fn changes_after(&self, seen: u64) -> Option<impl Iterator<Item = &NodeChange>> {
        let new = usize::try_from(self.number - seen).ok()?;
        let old = self.changes.len().checked_sub(new)?;
        Some(self.changes.iter().skip(old))
    }
}
