//! The judge of the exercise `tombstone`: the program ignores a deletion whose final state is unknown, so a deleted pod stays a backend.

use kube_informers::cache::observe::Event;

use super::Backends;
use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// Passes if, in the end, the backends are exactly the pods that exist.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let backends = Backends::of(outcome, outcome.keys().into_iter());
    backends.check(outcome, |extra| Mistake {
        sentence: Words::new(
            format!("{extra} does not exist any more, and the load balancer still sends requests to it."),
            format!("{extra} 已经不存在了，负载均衡器还在给它发请求。"),
        ),
        evidence: outcome.excerpt(|kind| match kind {
            EntryKind::Step(_) | EntryKind::Balanced { .. } => true,
            EntryKind::Event(Event::Notified { notification, .. }) => *notification == "delete",
            EntryKind::Event(event) => matches!(event, Event::Relisting { .. }),
            _ => false,
        }),
        hint: Words::new(
            "The program got both deletions. In which form did the second one arrive, and what does the program do with it?",
            "两次删除都通知了程序。第二次它是怎么知道的？知道之后又做了什么？",
        ),
    })
}
