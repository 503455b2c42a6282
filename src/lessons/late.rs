//! Late: a handler that is added while the informer runs first gets everything that exists. A slow handler only fills
//! its own buffer, which may coalesce the notifications of an object.
//!
//! Chapter: `lessons/20-late-and-synced`. Traces: `fixtures/traces/late*.txt`.

use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{
    AsyncEventHandler, Buffer, HandlerOptions, InitialList, ListWatch, Notification, SharedIndexInformer,
};

/// How long a slow handler takes for each notification.
const SLOW: Duration = Duration::from_millis(350);

/// Adds a quick and two slow handlers at the start, one of them with a coalescing buffer, and a fourth handler two
/// seconds later.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods)).build();
    let quick = BufferedHandler { lab: lab.clone(), number: 0, name: "quick", takes: Duration::ZERO };
    let slow = BufferedHandler { lab: lab.clone(), number: 1, name: "slow", takes: SLOW };
    let merged = BufferedHandler { lab: lab.clone(), number: 2, name: "merged", takes: SLOW };
    let quick = informer.add_event_handler(quick)?;
    let slow = informer.add_event_handler(slow)?;
    let merged = informer.add_event_handler_with(merged, HandlerOptions::new().buffer(Buffer::Coalesced))?;

    let watch_and_join = async {
        for second in 1.. {
            sleep(Duration::from_millis(600)).await;
            let (quick, slow, merged) = (quick.pending(), slow.pending(), merged.pending());
            lab.print(Style::Plain, format_args!("pending: quick {quick}, slow {slow}, merged {merged}"));
            sleep(Duration::from_millis(400)).await;
            if second == 2 {
                lab.narrate(
                    "another handler joins: it is told first what the store has, all of it as initial",
                    "又一个 handler 加入：先被告知 store 里的全部对象，都算 initial",
                );
                let late = BufferedHandler { lab: lab.clone(), number: 3, name: "late", takes: Duration::ZERO };
                informer.add_event_handler(late)?;
            }
        }
        anyhow::Ok(())
    };
    lab.narrate(
        "each handler has a buffer of its own: a slow one delays nobody and pays with memory, unless its buffer keeps only \
         the newest state of each object, as that of merged does; updates wait and count like additions, printed or not",
        "每个 handler 有自己的缓冲：慢的不拖累别人，代价是内存；merged 的缓冲例外，每个对象只留最新状态；\
         更新也排队、也计数，只是不打印",
    );
    let stop = lab.stop();
    let join = async { stop.run_until_cancelled(watch_and_join).await.unwrap_or(Ok(())) };
    let run = async { Ok(informer.clone().run(lab.stop()).await?) };
    futures::try_join!(join, run)?;
    Ok(())
}

struct BufferedHandler {
    lab: Lab,
    number: usize,
    name: &'static str,
    takes: Duration,
}

impl AsyncEventHandler<Pod> for BufferedHandler {
    async fn handle(&mut self, notification: Notification<Pod>) {
        sleep(self.takes).await;
        let Notification::Add { object, initial } = notification else { return };
        let initial = if initial == InitialList::Yes { " (initial)" } else { "" };
        self.lab.print(Style::Handler(self.number), format_args!("OnAdd:{} {}{initial}", self.name, name(&object)));
    }
}
