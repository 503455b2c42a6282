//! Counts of pods by topology, such as `topology.kubernetes.io/zone: a`. Upstream: `topologyToMatchedTermCount`.

use foldhash::HashMap;
use kube_machinery::value::SmolStr;

use super::node_info::Node;

/// The counts by the key and the value of the nodes' label. A count of zero is absent.
#[derive(Clone, Default)]
pub(super) struct TopologyCounts(HashMap<(SmolStr, SmolStr), i64>);

impl TopologyCounts {
    /// Adds `change` to the count of the node's topology, if the node has the label.
    pub(super) fn update(&mut self, node: &Node, key: &SmolStr, change: i64) {
        let Some(topology) = topology(node, key) else { return };
        let count = self.0.entry(topology.clone()).or_default();
        *count += change;
        if *count == 0 {
            self.0.remove(&topology);
        }
    }

    pub(super) fn is_positive(&self, node: &Node, key: &SmolStr) -> bool {
        topology(node, key).and_then(|topology| self.0.get(&topology)).is_some_and(|count| *count > 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn topology(node: &Node, key: &SmolStr) -> Option<(SmolStr, SmolStr)> {
    Some((key.clone(), node.labels[&**key].as_str()?.into()))
}
