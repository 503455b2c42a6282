//! The judge of the exercise `recreated`: the program takes a re-created pod for an update of the old one, although its
//! uid is new.

use std::time::Duration;

use kube_informers::cache::observe::Event;

use super::{Backends, THREE_PODS};
use crate::bilingual::Bilingual;
use crate::journal::EntryKind;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::verdict::Mistake;

/// Returns the setting. Its scenario deletes a pod and creates another of the same name while the watch sends no
/// events; only the relist shows the new pod.
pub fn setting() -> Setting {
    let scenario = "
- {at: 4s, fault: 'hide-events:resource=pods,for=1s'}
- {at: 4300ms, delete: web-2}
- {at: 4600ms, run: web-2}
- {at: 5s, fault: compact}
- {at: 5500ms, fault: 'drop-watches:resource=pods'}
- {at: 10s, delete: web-1}
";
    Setting { pods: THREE_PODS, scenario: scenario.to_owned(), lasts: Duration::from_secs(15), ..Setting::default() }
}

/// Passes if, in the end, the backends are exactly the uids of the pods that exist.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let uids = outcome.pods.iter().filter_map(|pod| pod.metadata.uid.clone());
    let backends = Backends::of(outcome, uids);
    if backends.extra.is_empty() {
        return backends.check_complete(outcome);
    }
    Err(Mistake {
        sentence: Bilingual::new(
            "web-2 is another pod than before, and the load balancer still sends requests to the one that is gone.",
            "web-2 已经是另一个 Pod 了，负载均衡器还在给原来那个发请求。",
        ),
        evidence: outcome.excerpt(|kind| match kind {
            EntryKind::Step(_) | EntryKind::Balanced { .. } => true,
            EntryKind::Event(Event::Notified { key, .. }) => key == "default/web-2",
            EntryKind::Event(event) => matches!(event, Event::Relisting { .. }),
            _ => false,
        }),
        hint: Bilingual::new(
            "What was the program told of web-2 after the second list, and which uids have the two objects of that notification?",
            "第二次 list 之后，程序收到的关于 web-2 的通知是什么？通知里的两个对象，uid 各是什么？",
        ),
    })
}
