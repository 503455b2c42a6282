//! The judge of the exercise `recreated`: the program takes a re-created pod for an update of the old one, although its
//! uid is new.

use kube_informers::cache::observe::Event;

use super::Backends;
use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// Passes if, in the end, the backends are exactly the uids of the pods that exist.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let uids = outcome.pods.iter().filter_map(|pod| pod.metadata.uid.clone());
    let backends = Backends::of(outcome, uids);
    backends.check(outcome, |_| Mistake {
        sentence: Words::new(
            "web-2 is a different pod now, and the load balancer still sends requests to the old one.",
            "web-2 已经是另一个 Pod 了，负载均衡器还在给原来那个发请求。",
        ),
        evidence: outcome.excerpt(|kind| match kind {
            EntryKind::Step(_) | EntryKind::Balanced { .. } => true,
            EntryKind::Event(Event::Notified { key, .. }) => key == "default/web-2",
            EntryKind::Event(event) => matches!(event, Event::Relisting { .. }),
            _ => false,
        }),
        hint: Words::new(
            "Which notification of web-2 did the program get after the second list, and which uids do its two objects have?",
            "第二次 list 之后，程序收到的关于 web-2 的通知是什么？通知里的两个对象，uid 各是什么？",
        ),
    })
}
