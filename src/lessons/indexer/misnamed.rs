//! Lesson `indexer --by misnamed`: an index with the name `namespace` whose function returns the label `app`, as a
//! listing in the note on the shenyisyn course has it.
//!
//! Trace: `fixtures/traces/indexer-misnamed.txt`.

use anyhow::Result;

use super::label::app_label;
use super::pod;
use crate::lab::Lab;
use crate::lessons::go;
use crate::trace::Style;
use kube_informers::cache::{Indexer, NAMESPACE_INDEX, meta_namespace_key};

// ANCHOR: misnamed
/// Asks an index by label for a namespace, and then for a label.
pub async fn run(lab: &Lab) -> Result<()> {
    let indexer = Indexer::new(meta_namespace_key).observer(lab.observer());
    let misnamed = indexer.index(NAMESPACE_INDEX, app_label)?;
    indexer.add(pod("ns1", "pod1", "l1"))?;
    indexer.add(pod("ns2", "pod2", "l2"))?;

    for value in ["ns1", "l1"] {
        lab.narrate(
            &format!("IndexKeys(\"namespace\", \"{value}\")"),
            &format!("IndexKeys(\"namespace\", \"{value}\")"),
        );
        lab.print(Style::Plain, format_args!("{} <nil>", go::slice(misnamed.keys(value))));
    }
    Ok(())
}
// ANCHOR_END: misnamed
