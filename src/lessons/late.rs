//! Lesson `late`: a handler that is added while the informer runs first gets all objects of the store. A slow handler
//! fills only its own buffer, which may coalesce the notifications of one object.
//!
//! Chapter: `lessons/20-late-and-synced`. Traces: `fixtures/traces/late*.txt`.

use std::time::Duration;

use anyhow::Result;
use futures::try_join;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{
    AsyncEventHandler, Buffer, HandlerOptions, InitialList, ListWatch, Notification, SharedIndexInformer,
};

// ANCHOR: late
/// Adds a quick and two slow handlers at the start, one of them with a coalescing buffer, and a fourth handler two
/// seconds later.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods));
    let quick = informer.add_event_handler(BufferedHandler::new(lab, 0, "quick", Duration::ZERO))?;
    let slow = informer.add_event_handler(BufferedHandler::new(lab, 1, "slow", SLOW))?;
    let coalesced = HandlerOptions::new().buffer(Buffer::Coalesced);
    let merged = informer.add_event_handler_with(BufferedHandler::new(lab, 2, "merged", SLOW), coalesced)?;

    let count_and_join = async {
        for second in 1.. {
            sleep(Duration::from_millis(600)).await;
            let (quick, slow, merged) = (quick.pending(), slow.pending(), merged.pending());
            lab.print(Style::Plain, format_args!("pending: quick {quick}, slow {slow}, merged {merged}"));
            sleep(Duration::from_millis(400)).await;
            if second == 2 {
                lab.narrate("a handler named late is added", "又加入一个 handler：late");
                informer.add_event_handler(BufferedHandler::new(lab, 3, "late", Duration::ZERO))?;
            }
        }
        anyhow::Ok(())
    };
    let join = async { lab.stop().run_until_cancelled(count_and_join).await.unwrap_or(Ok(())) };
    let run = async { Ok(informer.clone().run(lab.stop()).await?) };
    try_join!(join, run)?;
    Ok(())
}

/// The time that a slow handler takes for each notification.
const SLOW: Duration = Duration::from_millis(350);

/// Prints each addition after a delay. Updates take the same time and count as pending, but are not printed.
struct BufferedHandler {
    lab: Lab,
    style: Style,
    name: &'static str,
    takes: Duration,
}

impl AsyncEventHandler<Pod> for BufferedHandler {
    async fn handle(&mut self, notification: Notification<Pod>) {
        sleep(self.takes).await;
        let Notification::Add { object, initial } = notification else { return };
        let initial = if initial == InitialList::Yes { " (initial)" } else { "" };
        self.lab.print(self.style, format_args!("OnAdd:{} {}{initial}", self.name, name(&object)));
    }
}
// ANCHOR_END: late

impl BufferedHandler {
    fn new(lab: &Lab, number: usize, name: &'static str, takes: Duration) -> Self {
        Self { lab: lab.clone(), style: Style::Handler(number), name, takes }
    }
}
