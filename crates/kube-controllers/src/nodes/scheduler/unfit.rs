//! The result of an attempt that found no node: the reason in kube-scheduler's words, which users see in the pod's
//! status and in an Event, and the pods that must end so that the pod fits. Upstream: `FitError`.

use std::sync::Arc;

use super::filters::Rejection;
use super::pod_info::PodInfo;
use super::preemption::Preemption;
use super::reasons::Reasons;
use kube_machinery::value::SmolStr;

/// The result of an attempt that found no node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unfit {
    /// The whole sentence.
    pub(crate) message: Arc<str>,
    /// The node where pods end so that the pod will fit.
    pub(crate) nominated_node: Option<Arc<str>>,
    /// The pods that the pod's task has to preempt.
    pub(crate) victims: Arc<[Victim]>,
}

/// A pod that ends to make room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Victim {
    pub(crate) namespace: SmolStr,
    pub(crate) name: SmolStr,
    pub(crate) uid: SmolStr,
    /// The generation of the pod, which its condition names.
    pub(crate) generation: i64,
}

impl Victim {
    pub(super) fn of(pod: &PodInfo) -> Self {
        let (namespace, name, uid) = (pod.namespace.clone(), pod.name.clone(), pod.uid.clone());
        Self { namespace, name, uid, generation: pod.generation }
    }
}

impl Unfit {
    /// Upstream: `ErrNoNodesAvailable`.
    pub(super) fn no_nodes() -> Self {
        let message = "no nodes available to schedule pods".into();
        Self { message, nominated_node: None, victims: Arc::default() }
    }
}

/// The verdict of the filters on each node. Upstream: `Diagnosis`.
#[derive(Debug, Default)]
pub(super) struct Diagnosis<'a> {
    pub(super) reasons: Reasons,
    /// The names of the nodes where the pod could fit if other pods left.
    pub(super) potential: Vec<&'a str>,
    /// The message of a plugin that refuses all nodes before the filters. Upstream: `PreFilterMsg`.
    refusal: Option<&'a str>,
}

impl<'a> Diagnosis<'a> {
    /// Refuses all of this number of nodes.
    pub(super) fn refused(why: &'a str, nodes: usize) -> Self {
        Self { reasons: Reasons::of(nodes), potential: Vec::new(), refusal: Some(why) }
    }

    pub(super) fn add(&mut self, node: &'a str, rejection: Rejection) {
        self.reasons.add_node(rejection.reasons);
        if rejection.is_resolvable {
            self.potential.push(node);
        }
    }

    pub(super) fn message(&self, preemption: &Preemption) -> String {
        let sentence = match self.refusal {
            Some(why) => format!("0/{} nodes are available: {why}.", self.reasons.nodes()),
            None => self.reasons.sentence(),
        };
        format!("{sentence} preemption: {}", preemption.message())
    }
}
