//! The judge of the exercise `gap`: the program loses an event between its list and its watch.

use std::time::Duration;

use super::{Backends, THREE_PODS};
use crate::bilingual::Bilingual;
use crate::journal::EntryKind;
use crate::outcome::Outcome;
use crate::outside::Behaviour;
use crate::setting::Setting;
use crate::verdict::Mistake;

/// Returns the setting. Its scenario deletes a pod while the program still processes its list; later it creates
/// another pod and deletes a third.
pub fn setting() -> Setting {
    let scenario = "[{at: 1500ms, delete: web-1}, {at: 10s, run: web-4}, {at: 12s, delete: web-2}]".to_owned();
    let balancer = Behaviour { takes: Duration::from_secs(1), ..Behaviour::default() };
    Setting { pods: THREE_PODS, scenario, lasts: Duration::from_secs(20), balancer, ..Setting::default() }
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
            format!("{extra} was deleted after the list and before the watch, and no event told the program."),
            format!("{extra} 是在 list 之后、watch 之前删除的，没有任何事件告诉程序。"),
        ),
        evidence: outcome
            .excerpt(|kind| matches!(kind, EntryKind::Step(_) | EntryKind::Request(_) | EntryKind::Balanced { .. })),
        hint: Bilingual::new(
            "Look at the WATCH request: from which state on does it ask for changes?",
            "看 WATCH 请求：它要的是从哪个状态开始的变化？",
        ),
    })
}
