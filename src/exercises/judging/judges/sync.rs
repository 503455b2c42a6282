//! The judge of the exercise `sync`: workers start before the caches are synced and act on an incomplete cache.

use crate::exercises::judging::{EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// A pod on each of two nodes, and a third pod on a node that does not exist.
pub const PODS: &str = "
{metadata: {name: web-1}, spec: {nodeName: node-1, containers: [{name: main, image: nginx}]}}
---
{metadata: {name: web-2}, spec: {nodeName: node-2, containers: [{name: main, image: nginx}]}}
---
{metadata: {name: orphan}, spec: {nodeName: node-9, containers: [{name: main, image: nginx}]}}
";

/// Passes if the program deletes the pod `orphan`, whose node does not exist, and no other pod.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let evidence = || outcome.excerpt(|kind| matches!(kind, EntryKind::Request(_)));
    let deleted: Vec<&str> = outcome
        .requests()
        .filter(|request| request.verb == "DELETE")
        .filter_map(|request| request.target.strip_prefix("pods/"))
        .collect();
    if let Some(victim) = deleted.iter().find(|name| **name != "orphan") {
        return Err(Mistake {
            sentence: Words::new(
                format!("The program deleted {victim}, whose node exists."),
                format!("{victim} 所在的节点存在，程序却把这个 Pod 删了。"),
            ),
            evidence: evidence(),
            hint: Words::new(
                "The list of the nodes took longer than that of the pods. Which nodes did the program know when it deleted the pod?",
                "节点的 list 比 Pod 的 list 慢。程序删除 Pod 时，对节点知道些什么？",
            ),
        });
    }
    if outcome.keys().contains("default/orphan") {
        return Err(Mistake {
            sentence: Words::new(
                "The program did not delete orphan, whose node does not exist.",
                "orphan 的节点不存在，程序却没有删除它。",
            ),
            evidence: evidence(),
            hint: Words::new(
                "Once the caches are complete, the workers have to begin.",
                "缓存填满之后，worker 就该开始工作。",
            ),
        });
    }
    Ok(())
}
