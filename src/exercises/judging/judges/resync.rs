//! The judge of the exercise `resync`: the program relies on the resync to retry, but a resync never repeats a deletion.

use kube_informers::cache::observe::Event;

use super::Backends;
use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// Passes if, in the end, the backends are exactly the pods that exist.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let backends = Backends::of(outcome, outcome.keys().into_iter());
    backends.check(outcome, |extra| Mistake {
        sentence: Words::new(
            format!(
                "{extra} was deleted while the load balancer was down, and after several resyncs it is still a backend."
            ),
            format!("{extra} 是在负载均衡器故障期间删除的，几次 resync 之后它仍然是后端。"),
        ),
        evidence: outcome.excerpt(|kind| match kind {
            EntryKind::Step(_) | EntryKind::Balanced { .. } => true,
            EntryKind::Event(event) => matches!(event, Event::Queued { delta: "SyncAll", .. }),
            _ => false,
        }),
        hint: Words::new(
            "The resyncs brought the new pod again. Where does a resync take its objects from, and which object is no longer there?",
            "resync 把新增的 Pod 又交付了一次。resync 交付的内容从哪里来？那里已经没有了什么？",
        ),
    })
}
