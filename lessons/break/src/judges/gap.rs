//! The judge of the exercise `gap`: the program loses an event between its list and its watch.

use std::time::Duration;

use super::{Backends, THREE_PODS};
use crate::journal::What;
use crate::outside::Manners;
use crate::say::Both;
use crate::seen::Seen;
use crate::setting::Setting;
use crate::verdict::Mistake;

/// Deletes a pod while the program still processes its list; later creates another pod and deletes a third.
pub fn setting() -> Setting {
    let scenario = "[{at: 1500ms, delete: web-1}, {at: 10s, run: web-4}, {at: 12s, delete: web-2}]".to_owned();
    let balancer = Manners { takes: Duration::from_secs(1), ..Manners::default() };
    Setting { pods: THREE_PODS, scenario, lasts: Duration::from_secs(20), balancer, ..Setting::default() }
}

/// Passes if, in the end, the backends are exactly the pods that exist.
pub fn judge(seen: &Seen) -> Result<(), Mistake> {
    let backends = Backends::of(seen, seen.keys().into_iter());
    if backends.ghosts.is_empty() {
        return backends.complete(seen);
    }
    let ghosts = backends.ghosts.join(", ");
    Err(Mistake {
        sentence: Both::new(
            format!("{ghosts} was deleted after the list and before the watch, and no event told the program."),
            format!("{ghosts} 是在 list 之后、watch 之前删除的，没有任何事件告诉程序。"),
        ),
        evidence: seen.excerpt(|what| matches!(what, What::Step(_) | What::Request(_) | What::Balanced { .. })),
        look: Both::new(
            "Look at the WATCH request: from which state on does it ask for changes?",
            "看 WATCH 请求：它要的是从哪个状态开始的变化？",
        ),
    })
}
