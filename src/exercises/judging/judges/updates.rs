//! The judge of the exercise `updates`: the program never sends an update to its handler. The tutorials that the lessons
//! follow have this bug.

use std::collections::BTreeMap;

use kube_informers::cache::Notification;
use kube_informers::cache::observe::Event;

use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// Passes if the handler receives every pod and every change, and the old state of each update is the state that the
/// handler saw last.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let written = outcome.writes().filter(|write| write.kind == "Pod").count();
    let changes: Vec<_> = outcome.notifications("handler").collect();
    let updates = changes.iter().filter(|change| change.kind() == "update").count();
    if updates == 0 {
        return Err(mistake(
            outcome,
            Words::new(
                "The cluster changed nettool again and again, and the handler received no update.",
                "集群一次次修改 nettool，handler 却一次更新也没收到。",
            ),
            Words::new(
                "`Updated` is popped, but it is neither stored nor delivered. Which condition decides that?",
                "`Updated` 出队之后，既没有写入 store，也没有通知任何人。这是由哪个条件决定的？",
            ),
        ));
    }
    if changes.len() < written {
        let handled = changes.len();
        return Err(mistake(
            outcome,
            Words::new(
                format!(
                    "The cluster reported {written} pods and changes, and the handler received {handled} notifications."
                ),
                format!("集群一共有 {written} 次新增、修改和删除，handler 只收到 {handled} 次通知。"),
            ),
            Words::new("Each popped delta must be delivered.", "每个出队的 delta 都要通知。"),
        ));
    }
    let mut last = BTreeMap::new();
    for change in changes {
        let key = change.key();
        if let Notification::Update { old, .. } = change
            && last.get(&key) != Some(&old.metadata.resource_version)
        {
            return Err(mistake(
                outcome,
                Words::new(
                    "The handler received an update from a state that it had not received before: the store is behind.",
                    "handler 收到的更新里，旧对象不是它上一次收到的状态：store 没有跟上。",
                ),
                Words::new(
                    "First the store, then the handlers, for each kind of delta.",
                    "每种 delta 都一样：先写 store，再通知 handler。",
                ),
            ));
        }
        last.insert(key, change.object().and_then(|pod| pod.metadata.resource_version.clone()));
    }
    Ok(())
}

fn mistake(outcome: &Outcome, sentence: Words, hint: Words) -> Mistake {
    Mistake {
        sentence,
        evidence: outcome.excerpt(|kind| match kind {
            EntryKind::Event(event) => {
                matches!(event, Event::Popped { .. } | Event::Stored { .. } | Event::Removed { .. })
            }
            EntryKind::Step(_) | EntryKind::Notified { .. } => true,
            _ => false,
        }),
        hint,
    }
}
