//! Lesson `synced`: "synced" has two meanings. The informer has synced once its store has the first list; a handler has
//! synced once it has processed that list, which is later.
//!
//! Chapter: `lessons/20-late-and-synced`. Traces: `fixtures/traces/synced*.txt`.

use std::time::Duration;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{AsyncEventHandler, ListWatch, Notification, SharedIndexInformer};

// ANCHOR: synced
/// Waits for the store, for a handler that takes a tenth of a second per pod, and for one that takes half a second.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods));
    let quick = informer.add_event_handler(PacedHandler::new(lab, 0, "quick", Duration::from_millis(100)))?;
    let slow = informer.add_event_handler(PacedHandler::new(lab, 1, "slow", Duration::from_millis(500)))?;

    let wait = async {
        informer.synced().await?;
        lab.print(Style::Synced, "informer synced");
        let (stored, quick_pending, slow_pending) = (informer.reader().len(), quick.pending(), slow.pending());
        lab.narrate(
            &format!("{stored} objects in the store; in the buffers: quick {quick_pending}, slow {slow_pending}"),
            &format!("store 里已有 {stored} 个对象；还在缓冲里的通知：quick {quick_pending}，slow {slow_pending}"),
        );
        quick.synced().await?;
        lab.print(Style::Synced, "quick synced");
        slow.synced().await?;
        lab.print(Style::Synced, "slow synced");
        anyhow::Ok(())
    };
    let wait = async { lab.stop().run_until_cancelled(wait).await.unwrap_or(Ok(())) };
    let run = async { Ok(informer.clone().run(lab.stop()).await?) };
    try_join!(wait, run)?;
    Ok(())
}

/// Prints each addition after some time.
struct PacedHandler {
    lab: Lab,
    style: Style,
    name: &'static str,
    takes: Duration,
}

impl AsyncEventHandler<Pod> for PacedHandler {
    async fn handle(&mut self, notification: Notification<Pod>) {
        sleep(self.takes).await;
        if let Notification::Add { object, .. } = notification {
            self.lab.print(self.style, format_args!("OnAdd:{} {}", self.name, name(&object)));
        }
    }
}
// ANCHOR_END: synced

impl PacedHandler {
    fn new(lab: &Lab, number: usize, name: &'static str, takes: Duration) -> Self {
        Self { lab: lab.clone(), style: Style::Handler(number), name, takes }
    }
}
