//! Synced: the store may have the first list before the handlers have seen it.
//!
//! Chapter: `lessons/20-late-and-synced`. Traces: `fixtures/traces/synced*.txt`.

use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{AsyncEventHandler, ListWatch, Notification, SharedIndexInformer};

/// Waits for the store, for a handler that takes a tenth of a second per pod, and for one that takes half a second.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods)).build();
    let quick = PacedHandler { lab: lab.clone(), number: 0, name: "quick", takes: Duration::from_millis(100) };
    let slow = PacedHandler { lab: lab.clone(), number: 1, name: "slow", takes: Duration::from_millis(500) };
    let quick = informer.add_event_handler(quick)?;
    let slow = informer.add_event_handler(slow)?;

    let wait = async {
        informer.synced().await?;
        lab.print(Style::Synced, "informer synced");
        lab.narrate("the store is filled; who reads it may begin", "store 已填满；读它的人可以开始了");
        quick.synced().await?;
        lab.print(Style::Synced, "quick synced");
        slow.synced().await?;
        lab.print(Style::Synced, "slow synced");
        lab.narrate(
            "a controller whose handlers fill a queue waits for the handlers, not for the store",
            "handler 往队列里填东西的控制器，等的应该是 handler，而不是 store",
        );
        anyhow::Ok(())
    };
    let stop = lab.stop();
    let wait = async { stop.run_until_cancelled(wait).await.unwrap_or(Ok(())) };
    let run = async { Ok(informer.clone().run(lab.stop()).await?) };
    futures::try_join!(wait, run)?;
    Ok(())
}

struct PacedHandler {
    lab: Lab,
    number: usize,
    name: &'static str,
    takes: Duration,
}

impl AsyncEventHandler<Pod> for PacedHandler {
    async fn handle(&mut self, notification: Notification<Pod>) {
        sleep(self.takes).await;
        if let Notification::Add { object, .. } = notification {
            self.lab.print(Style::Handler(self.number), format_args!("OnAdd:{} {}", self.name, name(&object)));
        }
    }
}
