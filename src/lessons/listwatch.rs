//! ListWatch: what the API server sends for a LIST, and then for a WATCH without a resourceVersion.
//!
//! Chapter: `lessons/listwatch.md`. Traces: `fixtures/traces/listwatch*.txt`.

use std::time::Duration;

use anyhow::Result;
use futures::StreamExt;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::pods::{name, phase};
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{ApiError, ListOptions, ListWatch, ListerWatcher, ReflectorError, WatchEvent, WatchStream};

/// Lists the pods, then watches them.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());

    lab.narrate("List", "List");
    let list = pods.list(ListOptions::default()).await;
    for pod in list.map_err(|error| ReflectorError::List(pods.description(), error))?.items {
        lab.print(Style::Plain, name(&pod));
    }

    lab.narrate("Watch: without a resourceVersion it begins with every pod there is", "Watch，一开始会打印所有的 Pod");
    let mut seen = ListOptions::default();
    let watch = pods.watch(seen.clone()).await;
    let mut events = watch.map_err(|error| ReflectorError::Watch(pods.description(), error))?;
    let stop = lab.stop();
    let watching = async {
        loop {
            follow(lab, &mut events, &mut seen).await;
            lab.narrate("the server ended the watch; watching again", "服务端结束了 watch，重新 watch");
            events = again(lab, &pods, &seen).await;
        }
    };
    stop.run_until_cancelled(watching).await;
    Ok(())
}

/// Prints the events of one watch, and keeps the last version.
async fn follow(lab: &Lab, events: &mut WatchStream<Pod>, seen: &mut ListOptions) {
    while let Some(event) = events.next().await {
        let (style, kind, pod) = match event {
            WatchEvent::Added(pod) => (Style::Added, "ADDED", pod),
            WatchEvent::Modified(pod) => (Style::Updated, "MODIFIED", pod),
            WatchEvent::Deleted(pod) => (Style::Deleted, "DELETED", pod),
            WatchEvent::Bookmark { .. } => continue,
            WatchEvent::Error(status) => {
                *seen = ListOptions::default();
                return lab.retrying(&ApiError::Status(status));
            }
        };
        lab.print(style, format!("{kind} : {} , Status:  {}", name(&pod), phase(&pod)));
        seen.resource_version.clone_from(&pod.metadata.resource_version);
    }
}

/// Watches again after a second, from the last version.
async fn again(lab: &Lab, pods: &ListWatch<Pod>, seen: &ListOptions) -> WatchStream<Pod> {
    loop {
        sleep(Duration::from_secs(1)).await;
        match pods.watch(seen.clone()).await {
            Ok(events) => return events,
            Err(error) => lab.retrying(&ReflectorError::Watch(pods.description(), error)),
        }
    }
}
