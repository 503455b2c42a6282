//! The judge of the exercise `updates`: the program never sends an update to its handler. The tutorials that the lessons
//! follow have this bug.

use std::collections::BTreeMap;
use std::time::Duration;

use kube_informers::cache::Notification;
use kube_informers::cache::observe::Event;
use kube_testcluster::Stages;

use crate::bilingual::Bilingual;
use crate::journal::EntryKind;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::verdict::Mistake;

/// Returns the setting. Its scenario creates a pod and deletes it. In between, the kubelet and the scheduler change
/// it several times.
pub fn setting() -> Setting {
    let scenario = "[{at: 1s, run: nettool}, {at: 4s, delete: nettool}]".to_owned();
    Setting { stages: Stages::default(), scenario, lasts: Duration::from_secs(8), ..Setting::default() }
}

/// Passes if the handler receives every watched change, and the old state of each update is the state that the handler saw last.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let watched = outcome.events().filter(|event| matches!(event, Event::Watched { .. })).count();
    let changes: Vec<_> = outcome.notifications("handler").collect();
    let updates = changes.iter().filter(|change| change.kind() == "update").count();
    if updates == 0 {
        return Err(mistake(
            outcome,
            Bilingual::new(
                "The cluster changed nettool again and again, and the handler was told of no update.",
                "集群一次次修改 nettool，handler 却一次更新也没收到。",
            ),
            Bilingual::new(
                "`Updated` is popped, and then nothing is stored and nobody is told. What decides about that?",
                "`Updated` 出队之后，既没有写入 store，也没有通知任何人。这是由哪个条件决定的？",
            ),
        ));
    }
    if changes.len() < watched {
        let (handled, watched) = (changes.len(), watched);
        return Err(mistake(
            outcome,
            Bilingual::new(
                format!("The informer watched {watched} changes, and the handler was told of {handled}."),
                format!("informer 收到 {watched} 次变化，handler 只收到 {handled} 次。"),
            ),
            Bilingual::new("Each delta that is popped has to be told.", "每个出队的 delta 都要通知。"),
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
                Bilingual::new(
                    "The handler was told of an update from a state that it was not told of before: the store is behind.",
                    "handler 收到的更新，旧对象不是上一次交付的那个：store 没有跟上。",
                ),
                Bilingual::new(
                    "First the store, then the handlers, for each kind of delta.",
                    "每种 delta 都一样：先写 store，再通知 handler。",
                ),
            ));
        }
        last.insert(key, change.object().and_then(|pod| pod.metadata.resource_version.clone()));
    }
    Ok(())
}

fn mistake(outcome: &Outcome, sentence: Bilingual, hint: Bilingual) -> Mistake {
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
