//! The judge of the exercise `gap`: the program loses an event between its list and its watch.

use super::Backends;
use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// Passes if, in the end, the backends are exactly the pods that exist.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let backends = Backends::of(outcome, outcome.keys().into_iter());
    backends.check(outcome, |extra| Mistake {
        sentence: Words::new(
            format!(
                "{extra} was deleted after the list and before the watch, and no event reported it to the program."
            ),
            format!("{extra} 是在 list 之后、watch 之前删除的，没有任何事件告诉程序。"),
        ),
        evidence: outcome
            .excerpt(|kind| matches!(kind, EntryKind::Step(_) | EntryKind::Request(_) | EntryKind::Balanced { .. })),
        hint: Words::new(
            "Look at the WATCH request: from which state on does it ask for changes?",
            "看 WATCH 请求：它要的是从哪个状态开始的变化？",
        ),
    })
}
