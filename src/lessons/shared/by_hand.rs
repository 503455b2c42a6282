//! Lesson `shared --step by-hand`: runs a shared informer built by hand (`my_shared_informer.rs`) over list and watch.
//!
//! Trace: `fixtures/traces/shared-list-watch.txt`, the same as with the library's informer.

use std::sync::Arc;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::my_shared_informer::MySharedInformer;
use super::pod_handler::PodHandler;
use crate::lab::Lab;
use kube_informers::cache::{ListWatch, Store, meta_namespace_key};

// ANCHOR: by_hand
/// Runs two handlers over one list and watch.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let store = Arc::new(Store::new(meta_namespace_key).observer(lab.observer()));
    let informer = MySharedInformer::new(lab, pods, store);
    informer.add_event_handler(PodHandler::new(lab, 0, ""));
    informer.add_event_handler(PodHandler::new(lab, 1, "second"));
    informer.start(lab).await
}
// ANCHOR_END: by_hand
