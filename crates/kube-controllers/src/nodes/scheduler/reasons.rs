//! The number of nodes that each reason excludes, and the sentence about them.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Upstream: the reasons of a `FitError`.
#[derive(Debug, Default)]
pub(super) struct Reasons {
    nodes: usize,
    counts: BTreeMap<Cow<'static, str>, usize>,
}

impl Reasons {
    /// Returns no reasons for this number of nodes.
    pub(super) fn of(nodes: usize) -> Self {
        Self { nodes, counts: BTreeMap::new() }
    }

    /// Adds a node that is excluded for these reasons.
    pub(super) fn add_node(&mut self, reasons: impl IntoIterator<Item = Cow<'static, str>>) {
        self.nodes += 1;
        reasons.into_iter().for_each(|reason| self.add(reason));
    }

    /// Adds a reason that excludes one of the nodes.
    pub(super) fn add(&mut self, reason: Cow<'static, str>) {
        *self.counts.entry(reason).or_default() += 1;
    }

    /// Adds a reason that excludes some of the nodes.
    pub(super) fn add_many(&mut self, reason: &'static str, count: usize) {
        if count > 0 {
            *self.counts.entry(reason.into()).or_default() += count;
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Upstream: `FitError.Error`.
    pub(super) fn sentence(&self) -> String {
        let mut counted: Vec<String> = self.counts.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
        counted.sort_unstable();
        format!("0/{} nodes are available: {}.", self.nodes, counted.join(", "))
    }
}
