//! The reason why a pod fits on no node, in kube-scheduler's words, which users see in the pod's status and in an
//! Event. Upstream: `FitError`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::filters::Rejection;
use kube_machinery::value::Value;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("no nodes available to schedule pods")]
    NoNodes,
    /// The whole sentence.
    #[error("{0}")]
    Nowhere(Arc<str>),
}

/// The number of nodes that each reason excludes. Upstream: `Diagnosis`.
#[derive(Debug, Default)]
pub(super) struct Diagnosis {
    nodes: usize,
    /// The number of nodes where the pod could fit if other pods left.
    resolvable: usize,
    reasons: BTreeMap<Cow<'static, str>, usize>,
}

impl Diagnosis {
    pub(super) fn add(&mut self, rejection: Rejection) {
        self.nodes += 1;
        self.resolvable += usize::from(rejection.is_resolvable);
        for reason in rejection.reasons {
            *self.reasons.entry(reason).or_default() += 1;
        }
    }

    pub(super) fn unfit(&self, spec: &Value) -> Unfit {
        if self.nodes == 0 {
            return Unfit::NoNodes;
        }
        let reasons = self.sentence(self.reasons.iter().map(|(reason, count)| (reason.as_ref(), *count)));
        let preemption = match spec["preemptionPolicy"] == "Never" {
            true => "not eligible due to preemptionPolicy=Never.".to_owned(),
            false => {
                let unresolvable = self.nodes - self.resolvable;
                let no_victims = ("No preemption victims found for incoming pod", self.resolvable);
                let no_help = ("Preemption is not helpful for scheduling", unresolvable);
                self.sentence([no_victims, no_help].into_iter().filter(|(_, count)| *count > 0))
            }
        };
        Unfit::Nowhere(format!("{reasons} preemption: {preemption}").into())
    }

    fn sentence<'a>(&self, reasons: impl Iterator<Item = (&'a str, usize)>) -> String {
        let mut counted: Vec<String> = reasons.map(|(reason, count)| format!("{count} {reason}")).collect();
        counted.sort_unstable();
        format!("0/{} nodes are available: {}.", self.nodes, counted.join(", "))
    }
}
