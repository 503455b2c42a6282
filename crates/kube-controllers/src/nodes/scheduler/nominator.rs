//! The nodes that are nominated for waiting pods: other pods end there, to make room. Filters count a nominated pod as
//! if it ran there already, for pods of the same or a lower priority. Upstream: `nominator`.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;
use kube_machinery::value::SmolStr;

use super::pod_info::PodInfo;

#[derive(Default)]
pub(super) struct Nominator {
    /// The node of each nominated pod, by the pod's uid.
    nodes: HashMap<SmolStr, String>,
    /// The pods that are nominated for each node, by uid; no map is empty.
    pods: BTreeMap<String, BTreeMap<SmolStr, Arc<PodInfo>>>,
}

impl Nominator {
    /// Nominates a node for a pod, instead of the one before. Upstream: `AddNominatedPod`.
    pub(super) fn set(&mut self, node: &str, pod: Arc<PodInfo>) {
        self.remove(&pod.uid);
        self.nodes.insert(pod.uid.clone(), node.to_owned());
        self.pods.entry(node.to_owned()).or_default().insert(pod.uid.clone(), pod);
    }

    /// Upstream: `DeleteNominatedPodIfExists`.
    pub(super) fn remove(&mut self, uid: &str) {
        let Some(node) = self.nodes.remove(uid) else { return };
        if let Some(pods) = self.pods.get_mut(&node) {
            pods.remove(uid);
            if pods.is_empty() {
                self.pods.remove(&node);
            }
        }
    }

    pub(super) fn node_of(&self, uid: &str) -> Option<&str> {
        self.nodes.get(uid).map(String::as_str)
    }

    /// Upstream: `NominatedPodsForNode`.
    pub(super) fn pods_for(&self, node: &str) -> impl Iterator<Item = &Arc<PodInfo>> {
        self.pods.get(node).into_iter().flat_map(BTreeMap::values)
    }
}
