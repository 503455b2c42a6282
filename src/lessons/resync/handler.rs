//! The handler of the `resync` lessons: returns early if the resourceVersion has not changed, as a controller should
//! when a resync repeats an object.

use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;

use crate::lab::Lab;
use crate::lessons::pods::name;
use crate::trace::Style;
use kube_informers::cache::{Deletion, EventHandler, InitialList};

// ANCHOR: handler
/// Prints each notification, with the resourceVersions of an update, and whether there is work to do.
pub(super) struct ResyncHandler(pub(super) Lab);

impl EventHandler<Pod> for ResyncHandler {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.0.print(Style::Added, format_args!("  OnAdd: {}", name(&pod)));
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        let [before, after] = [&old, &new].map(|pod| pod.metadata.resource_version.as_deref().unwrap_or_default());
        if before == after {
            self.0.print(Style::Synced, format_args!("  OnUpdate: {} {before} -> {after}, return", name(&new)));
            return;
        }
        self.0.print(Style::Updated, format_args!("  OnUpdate: {} {before} -> {after}, work", name(&new)));
    }

    fn on_delete(&mut self, deletion: Deletion<Pod>) {
        let pod = deletion.object().map(|pod| name(pod)).unwrap_or_default();
        self.0.print(Style::Deleted, format_args!("  OnDelete: {pod}"));
    }
}
// ANCHOR_END: handler
