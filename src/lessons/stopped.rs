//! Lesson `stopped`: one of two informers is stopped. Its store stays as it was, and the informer cannot run again.
//!
//! Chapter: `lessons/25-when-lists-fail`. Trace: `fixtures/traces/stopped.txt`.

use std::time::Duration;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::shared::pod_handler::PodHandler;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{ListWatch, SharedIndexInformer};

// ANCHOR: stopped
/// Runs two informers, and stops the second one after half a second.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = || ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let first = lab.informer(SharedIndexInformer::builder(pods()));
    let second = lab.informer(SharedIndexInformer::builder(pods()));
    first.add_event_handler(PodHandler::new(lab, 0, "first"))?;
    second.add_event_handler(PodHandler::new(lab, 1, "second"))?;

    let own_stop = lab.stop().child_token(); // ends with the lesson, or earlier
    let stop_second = async {
        lab.stop().run_until_cancelled(sleep(Duration::from_millis(500))).await;
        lab.print(Style::Plain, "stop second");
        own_stop.cancel();
        anyhow::Ok(())
    };
    let run_first = async { Ok(first.clone().run(lab.stop()).await?) };
    let run_second = async { Ok(second.clone().run(own_stop.clone()).await?) };
    try_join!(run_first, run_second, stop_second)?;

    for (name, informer) in [("first", &first), ("second", &second)] {
        let (synced, pods) = (informer.has_synced(), informer.reader().len());
        lab.print(Style::Synced, format_args!("{name}: synced {synced}, {pods} pods in the store"));
    }
    if let Err(error) = second.add_event_handler(PodHandler::new(lab, 1, "second")) {
        lab.print(Style::Deleted, format_args!("second, add a handler: {error}"));
    }
    if let Err(error) = second.run(lab.stop()).await {
        lab.print(Style::Deleted, format_args!("second, run: {error}"));
    }
    Ok(())
}
// ANCHOR_END: stopped
