//! The judge of the exercise `shared`: the program runs one informer per consumer, so the API server serves the same watch three times.

use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// The names of the program's consumers, each of which notes its notifications with a handler of this name.
pub const CONSUMERS: [&str; 3] = ["metrics", "audit", "search"];

/// Passes if the program opens one watch and every consumer receives every notification.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let evidence = || outcome.excerpt(|kind| matches!(kind, EntryKind::Request(_)));
    let watches = outcome.requests().filter(|request| request.verb == "WATCH").count();
    for consumer in CONSUMERS {
        let kinds = |kind| outcome.notifications(consumer).filter(|change| change.kind() == kind).count();
        let (added, deleted) = (kinds("add"), kinds("delete"));
        if (added, deleted) != (4, 1) {
            return Err(Mistake {
                sentence: Words::new(
                    format!("Of 4 additions and 1 deletion, {consumer} was told of {added} and {deleted}."),
                    format!("共有 4 次新增、1 次删除，{consumer} 收到的是 {added} 次和 {deleted} 次。"),
                ),
                evidence: outcome.excerpt(|kind| matches!(kind, EntryKind::Step(_) | EntryKind::Notified { .. })),
                hint: Words::new(
                    "Every consumer needs a handler of its own: a handler is not an informer.",
                    "每个消费者都要有自己的 handler：handler 不等于 informer。",
                ),
            });
        }
    }
    if watches > 1 {
        return Err(Mistake {
            sentence: Words::new(
                format!("The API server has {watches} watches of the same pods open, one for each consumer."),
                format!("同样的 Pod，API server 上开了 {watches} 个 watch：每个消费者一个。"),
            ),
            evidence: evidence(),
            hint: Words::new(
                "Each watch sends every change once more, and each informer has a cache of its own. What can the consumers share?",
                "每个 watch 都把所有变化再发一遍，每个 informer 又各有一份缓存。消费者之间可以共用什么？",
            ),
        });
    }
    Ok(())
}
