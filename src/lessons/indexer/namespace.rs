//! Lesson `indexer --by namespace`: stores two pods in an Indexer, and looks one up by its namespace.
//!
//! Trace: `fixtures/traces/indexer-namespace.txt`.

use anyhow::Result;

use super::pod;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{Indexer, NAMESPACE_INDEX, meta_namespace_index, meta_namespace_key};

// ANCHOR: namespace
/// Stores two pods and finds one by its namespace.
pub async fn run(lab: &Lab) -> Result<()> {
    let indexer = Indexer::new(meta_namespace_key).observer(lab.observer());
    let by_namespace = indexer.index(NAMESPACE_INDEX, meta_namespace_index)?;
    lab.narrate("Add(ns1/pod1, app=l1) Add(ns2/pod2, app=l2)", "Add(ns1/pod1, app=l1) Add(ns2/pod2, app=l2)");
    indexer.add(pod("ns1", "pod1", "l1"))?;
    indexer.add(pod("ns2", "pod2", "l2"))?;

    lab.narrate(
        "IndexKeys(\"namespace\", \"ns1\"), then GetByKey of each key: whether it exists, and Go's error",
        "IndexKeys(\"namespace\", \"ns1\")，再对每个 key 调用 GetByKey：是否存在，以及 Go 的 error",
    );
    for key in by_namespace.keys("ns1") {
        let exists = indexer.get_by_key(&key).is_some();
        lab.print(Style::Plain, format_args!("{key} {exists} <nil>"));
    }
    Ok(())
}
// ANCHOR_END: namespace
