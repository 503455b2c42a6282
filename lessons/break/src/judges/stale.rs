//! A controller on a stale cache: it does not see what it has just created, and creates again.

use std::time::Duration;

use kube_informers::cache::observe::Event;

use super::THREE_PODS;
use crate::journal::What;
use crate::say::Both;
use crate::seen::Seen;
use crate::setting::Setting;
use crate::verdict::Mistake;

/// Two pods are deleted, ten seconds apart. Just after the first deletion the watch cache of the API server lags for four seconds.
pub fn setting() -> Setting {
    let scenario = "
- {at: 10100ms, delete: web-1}
- {at: 10200ms, fault: 'lag:resource=pods,for=4s'}
- {at: 20100ms, delete: web-2}
";
    Setting { pods: THREE_PODS, scenario: scenario.to_owned(), lasts: Duration::from_secs(30), ..Setting::default() }
}

/// For each pod that was deleted, one is created.
pub fn judge(seen: &Seen) -> Result<(), Mistake> {
    let evidence = || {
        seen.excerpt(|what| match what {
            What::Step(_) => true,
            What::Request(request) | What::Refused(request, _) => request.verb == "CREATE",
            What::Event(event) => matches!(event, Event::Stored { .. } | Event::Removed { .. }),
            _ => false,
        })
    };
    let asked = seen.requests().filter(|request| request.verb == "CREATE").count();
    // Who gives a pod a name that follows from what is wanted is refused the second one: that is right too.
    let refused = |what: &What| matches!(what, What::Refused(request, _) if request.verb == "CREATE");
    let created = asked - seen.entries.iter().filter(|entry| refused(&entry.what)).count();
    let there = seen.pods.len();
    if created > 2 {
        return Err(Mistake {
            sentence: Both::new(
                format!(
                    "Two pods were missing, one after the other, and the program created {created}: there are {there} now."
                ),
                format!("先后只缺了两个 Pod，程序却创建了 {created} 个：现在一共有 {there} 个。"),
            ),
            evidence: evidence(),
            look: Both::new(
                "After a creation the program looks at its cache again. Does the cache have the new pod by then?",
                "创建之后，程序又去看自己的缓存。那时缓存里有新的 Pod 吗？",
            ),
        });
    }
    if there != 3 {
        return Err(Mistake {
            sentence: Both::new(
                format!("Three pods are wanted, and in the end there are {there}."),
                format!("需要三个 Pod，最后却有 {there} 个。"),
            ),
            evidence: evidence(),
            look: Both::new("Each pod that is deleted has to be replaced.", "每个被删除的 Pod 都要补上。"),
        });
    }
    Ok(())
}
