//! The judge of the exercise `stale`: a controller does not yet see in its cache the pod that it has just created, and creates another.

use kube_informers::cache::observe::Event;

use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// Passes if the program creates one pod for each pod that was deleted.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let evidence = || {
        outcome.excerpt(|kind| match kind {
            EntryKind::Step(_) => true,
            EntryKind::Request(request) | EntryKind::Refused(request, _) => request.verb == "CREATE",
            EntryKind::Event(event) => matches!(event, Event::Stored { .. } | Event::Removed { .. }),
            _ => false,
        })
    };
    let requested = outcome.requests().filter(|request| request.verb == "CREATE").count();
    // A program that gives pods deterministic names is right too: its second creation is refused as a duplicate, so it does not count.
    let refused = |kind: &EntryKind| matches!(kind, EntryKind::Refused(request, _) if request.verb == "CREATE");
    let created = requested - outcome.entries.iter().filter(|entry| refused(&entry.kind)).count();
    let pods = outcome.pods.len();
    if created > 2 {
        return Err(Mistake {
            sentence: Words::new(
                format!(
                    "Two pods were missing, one after the other, and the program created {created}: there are {pods} now."
                ),
                format!("先后只缺了两个 Pod，程序却创建了 {created} 个：现在一共有 {pods} 个。"),
            ),
            evidence: evidence(),
            hint: Words::new(
                "After a creation the program looks at its cache again. Does the cache have the new pod by then?",
                "创建之后，程序又去看自己的缓存。那时缓存里有新的 Pod 吗？",
            ),
        });
    }
    if pods != 3 {
        return Err(Mistake {
            sentence: Words::new(
                format!("Three pods are wanted, and in the end there are {pods}."),
                format!("需要三个 Pod，最后却有 {pods} 个。"),
            ),
            evidence: evidence(),
            hint: Words::new("Each pod that is deleted has to be replaced.", "每个被删除的 Pod 都要补上。"),
        });
    }
    Ok(())
}
