//! Lesson `indexer`: stores two pods in an Indexer, and looks one up by the label `app`.
//!
//! Trace: `fixtures/traces/indexer.txt`.

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pod;
use crate::lab::Lab;
use crate::lessons::go;
use crate::trace::Style;
use kube_informers::cache::{IndexValues, Indexer, Object};

// ANCHOR: label
/// cr7258's `myKeyFunc`: `namespace---name`. The index holds the keys that it returns.
fn my_key(pod: &Pod) -> String {
    let meta = pod.meta();
    if meta.namespace.is_empty() { meta.name.to_owned() } else { format!("{}---{}", meta.namespace, meta.name) }
}

/// The tutorials' `LabelsIndexFunc`: the value of the label `app`, empty without one.
pub(super) fn app_label(pod: &Pod) -> IndexValues<'_> {
    let app = pod.metadata.labels.as_ref().and_then(|labels| labels.get("app"));
    app.map_or("", String::as_str).into()
}

/// Stores two pods and finds one by its label.
pub async fn run(lab: &Lab) -> Result<()> {
    let indexer = Indexer::new(my_key).observer(lab.observer());
    let by_app = indexer.index("app", app_label)?;
    lab.narrate("Add(ns1/pod1, app=l1) Add(ns2/pod2, app=l2)", "Add(ns1/pod1, app=l1) Add(ns2/pod2, app=l2)");
    indexer.add(pod("ns1", "pod1", "l1"))?;
    indexer.add(pod("ns2", "pod2", "l2"))?;

    lab.narrate("the indices, as Go prints them: index, value, keys", "所有索引（Go 的打印格式）：索引名、索引值、key");
    lab.print(Style::Plain, go::indices(&indexer.indices()));
    lab.narrate(
        "IndexKeys(\"app\", \"l1\"): which keys have app=l1? <nil> is Go's \"no error\"",
        "IndexKeys(\"app\", \"l1\")：哪些 key 的 app=l1？<nil> 是 Go 的“没有错误”",
    );
    lab.print(Style::Plain, format_args!("{} <nil>", go::slice(by_app.keys("l1"))));
    Ok(())
}
// ANCHOR_END: label
