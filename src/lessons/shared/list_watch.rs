//! Lesson `shared --step list-watch`: runs the library's shared informer over list and watch, with two handlers.
//!
//! [`super::by_hand`] builds the same by hand. Traces: `fixtures/traces/shared-list-watch*.txt`.

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::pod_handler::PodHandler;
use crate::lab::Lab;
use kube_informers::cache::{ListWatch, SharedIndexInformer};

// ANCHOR: list_watch
/// Runs two handlers over one list and watch.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods));
    informer.add_event_handler(PodHandler::new(lab, 0, ""))?;
    informer.add_event_handler(PodHandler::new(lab, 1, "second"))?;
    Ok(informer.run(lab.stop()).await?)
}
// ANCHOR_END: list_watch
