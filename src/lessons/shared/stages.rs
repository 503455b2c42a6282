//! Lesson `shared --step stages`: builds the two stages of a processorListener by hand: `add` → addCh →
//! pendingNotifications → nextCh → `run`.
//!
//! Trace: `fixtures/traces/shared-stages.txt`.

use std::collections::VecDeque;
use std::time::Duration;

use anyhow::Result;
use futures::join;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::sleep;

use crate::lab::Lab;
use crate::lessons::go;
use crate::trace::Style;

// ANCHOR: stages
/// Adds six pods, one a second, for a handler that takes two and a half seconds for each.
pub async fn run(lab: &Lab) -> Result<()> {
    let (add_ch, added) = channel(1); // Go's channels hold nothing; tokio's hold one at least
    let (next_ch, mut next) = channel(1);
    let add = async move {
        for pod in ["pod0", "pod1", "pod2", "pod3", "pod4", "pod5"] {
            sleep(Duration::from_secs(1)).await;
            lab.print(Style::Plain, format_args!("add {pod}"));
            if add_ch.send(pod).await.is_err() {
                return; // pop has ended
            }
        }
    };
    let run = async {
        while let Some(pod) = next.recv().await {
            sleep(Duration::from_millis(2500)).await; // the handler
            lab.print(Style::Handler(0), format_args!("OnAdd: {pod}"));
        }
    };
    let stages = async { join!(add, pop(lab, added, next_ch), run) };
    lab.stop().run_until_cancelled(stages).await;
    Ok(())
}

/// Takes each pod as soon as it is added, so that `add` never waits for the handler, and hands it on when the handler
/// is ready. The pods in between are the buffer, which has no limit.
async fn pop(lab: &Lab, mut add_ch: Receiver<&'static str>, next_ch: Sender<&'static str>) {
    let mut pending_notifications = VecDeque::new();
    loop {
        tokio::select! {
            Ok(ready) = next_ch.reserve(), if !pending_notifications.is_empty() => {
                if let Some(pod) = pending_notifications.pop_front() {
                    ready.send(pod);
                }
            }
            added = add_ch.recv(), if !add_ch.is_closed() => pending_notifications.extend(added),
            else => return,
        }
        lab.print(Style::Synced, format_args!("pending {}", go::slice(&pending_notifications)));
    }
}
// ANCHOR_END: stages
