//! The judge of the exercise `tombstone`: the program ignores a deletion whose final state is unknown, so a deleted pod stays a backend.

use std::time::Duration;

use kube_informers::cache::observe::Event;

use super::{Backends, THREE_PODS};
use crate::bilingual::Bilingual;
use crate::journal::EntryKind;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::verdict::Mistake;

/// Returns the setting. Its scenario deletes one pod while the watch works. It deletes a second while the watch sends
/// no events, then compacts the history, so that only the relist reveals the second deletion.
pub fn setting() -> Setting {
    let scenario = "
- {at: 2s, delete: web-1}
- {at: 4s, fault: 'hide-events:resource=pods,for=1s'}
- {at: 4500ms, delete: web-2}
- {at: 5s, fault: compact}
- {at: 5500ms, fault: 'drop-watches:resource=pods'}
";
    Setting { pods: THREE_PODS, scenario: scenario.to_owned(), lasts: Duration::from_secs(15), ..Setting::default() }
}

/// Passes if, in the end, the backends are exactly the pods that exist.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let backends = Backends::of(outcome, outcome.keys().into_iter());
    if backends.extra.is_empty() {
        return backends.check_complete(outcome);
    }
    let extra = backends.extra.join(", ");
    Err(Mistake {
        sentence: Bilingual::new(
            format!("{extra} does not exist any more, and the load balancer still sends requests to it."),
            format!("{extra} 已经不存在了，负载均衡器还在给它发请求。"),
        ),
        evidence: outcome.excerpt(|kind| match kind {
            EntryKind::Step(_) | EntryKind::Balanced { .. } => true,
            EntryKind::Event(Event::Notified { notification, .. }) => *notification == "delete",
            EntryKind::Event(event) => matches!(event, Event::Relisting { .. }),
            _ => false,
        }),
        hint: Bilingual::new(
            "The program was told of both deletions. How did it learn of the second one, and what does it do then?",
            "两次删除都通知了程序。第二次它是怎么知道的？知道之后又做了什么？",
        ),
    })
}
