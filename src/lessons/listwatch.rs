//! Lesson `listwatch`: prints what the API server sends for a LIST, and then for a WATCH without a resourceVersion.
//!
//! Chapter: `lessons/02-listwatch`. Traces: `fixtures/traces/listwatch*.txt`.

use std::time::Duration;

use anyhow::Result;
use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::changes::Changes;
use super::pods::{name, phase};
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{ApiError, ListOptions, ListWatch, ListerWatcher, WatchEvent, WatchStream};

// ANCHOR: listwatch
/// Lists the pods, then watches them.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());

    lab.narrate("List", "List");
    for pod in pods.list(ListOptions::default()).await?.items {
        lab.print(Style::Plain, name(&pod));
    }

    lab.narrate("Watch: without a resourceVersion, it begins with all existing pods", WATCH_ZH);
    let watch = pods.watch(ListOptions::default()).await?;
    lab.stop().run_until_cancelled(follow(lab, &pods, watch)).await;
    Ok(())
}

/// Prints each event. A watch that ends is opened again at the version of its last event.
async fn follow(lab: &Lab, pods: &ListWatch<Pod>, mut watch: WatchStream<Pod>) {
    // `resume` has the options of the next watch: the version of the last event.
    let (mut resume, mut changes) = (ListOptions::default(), Changes::default());
    loop {
        while let Some(event) = watch.next().await {
            let (style, kind, pod) = match event {
                WatchEvent::Added(pod) => (Style::Added, "ADDED", pod),
                WatchEvent::Modified(pod) => (Style::Updated, "MODIFIED", pod),
                WatchEvent::Deleted(pod) => (Style::Deleted, "DELETED", pod),
                WatchEvent::Error(status) => {
                    lab.retrying(&ApiError::Status(status));
                    resume = ListOptions::default(); // the server no longer has this version: begin with all pods again
                    continue;
                }
                _ => continue, // a bookmark
            };
            changes.narrate(lab, &pod);
            lab.print(style, format_args!("{kind} : {} , Status:  {}", name(&pod), phase(&pod)));
            resume.resource_version.clone_from(&pod.metadata.resource_version);
        }
        lab.narrate("the watch has ended; watching again", "watch 断了，重新 watch");
        watch = again(lab, pods, &resume).await;
    }
}
// ANCHOR_END: listwatch

const WATCH_ZH: &str = "Watch：没有带 resourceVersion，所以一开始会收到已有的每个 Pod";

/// Opens the watch again, and retries each second until that succeeds.
async fn again(lab: &Lab, pods: &ListWatch<Pod>, options: &ListOptions) -> WatchStream<Pod> {
    loop {
        sleep(Duration::from_secs(1)).await;
        match pods.watch(options.clone()).await {
            Ok(watch) => return watch,
            Err(error) => lab.retrying(&error),
        }
    }
}
