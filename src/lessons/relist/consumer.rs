//! The consumer of the `relist` lessons: prints, stores and delivers the popped deltas. When a deletion begins, it
//! breaks the link (`outage.rs`), so that the watch misses the deletion.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use super::outage::Link;
use crate::lab::Lab;
use crate::lessons::go;
use crate::lessons::pods::{name, shown, style};
use crate::trace::Style;
use kube_informers::cache::{Deletion, Deltas, Error, EventHandler, InitialList, Store, process_deltas};

// ANCHOR: consumer
/// Prints the deltas, breaks the link when a deletion begins, and stores the deltas.
pub(super) fn consume(
    lab: &Lab,
    link: &Link,
    store: &Store<Pod>,
    deltas: Deltas<Pod>,
    initial: InitialList,
) -> Result<(), Error> {
    for delta in &deltas {
        lab.print(style(delta), shown(delta));
        link.break_at_deletion(delta);
    }
    process_deltas(store, deltas, initial, &mut |change| change.deliver(&mut Deletions(lab)))
}

/// A handler that prints deletions, and of a tombstone its key and the resourceVersion of the last known state.
struct Deletions<'a>(&'a Lab);

impl EventHandler<Pod> for Deletions<'_> {
    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        let text = match deletion {
            Deletion::Final(pod) => format!("  OnDelete: {}", name(&pod)),
            Deletion::FinalStateUnknown { key, last_known } => {
                let version = last_known.and_then(|pod| pod.metadata.resource_version.clone()).unwrap_or_default();
                format!("  OnDelete: DeletedFinalStateUnknown{{{key}, last seen at resourceVersion {version}}}")
            }
        };
        self.0.print(Style::Deleted, text);
    }
}
// ANCHOR_END: consumer

pub(super) fn print_store(lab: &Lab, store: &Store<Pod>) {
    let mut names: Vec<_> = store.list().iter().map(Arc::clone).collect();
    names.sort_unstable_by(|a, b| name(a).cmp(name(b)));
    lab.print(Style::Plain, format_args!("store : {}", go::slice(names.iter().map(|pod| name(pod)))));
}
