//! The judge of the exercise `resync`: the program relies on the resync to retry, but a resync never repeats a deletion.

use std::time::Duration;

use kube_informers::cache::observe::Event;

use super::{Backends, THREE_PODS};
use crate::bilingual::Bilingual;
use crate::journal::EntryKind;
use crate::outcome::Outcome;
use crate::outside::Behaviour;
use crate::setting::Setting;
use crate::verdict::Mistake;

/// Returns the setting. Its scenario creates a pod and deletes another while the load balancer is down. Three resyncs
/// follow.
pub fn setting() -> Setting {
    let scenario = "[{at: 5s, run: web-4}, {at: 6s, delete: web-1}]".to_owned();
    let down = Duration::from_secs(4)..Duration::from_secs(8);
    let balancer = Behaviour { down, ..Behaviour::default() };
    Setting { pods: THREE_PODS, scenario, lasts: Duration::from_secs(100), balancer, ..Setting::default() }
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
            format!(
                "{extra} was deleted while the load balancer was down, and a minute and a half later it is still a backend."
            ),
            format!("{extra} 是在负载均衡器故障期间删除的，一分半钟之后它仍然是后端。"),
        ),
        evidence: outcome.excerpt(|kind| match kind {
            EntryKind::Step(_) | EntryKind::Balanced { .. } => true,
            EntryKind::Event(event) => matches!(event, Event::Queued { delta: "SyncAll", .. }),
            _ => false,
        }),
        hint: Bilingual::new(
            "The resyncs brought the new pod again. From where does a resync take what it tells, and what is not there any more?",
            "resync 把新增的 Pod 又交付了一次。resync 交付的内容从哪里来？那里已经没有了什么？",
        ),
    })
}
