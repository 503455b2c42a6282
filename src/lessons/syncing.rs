//! Lesson `syncing`: handlers of one informer have different resync periods. A resync goes to the handlers that are
//! due, a change to all. Upstream's name: `syncingListeners`.
//!
//! Chapter: `lessons/18-resync`. Trace: `fixtures/traces/syncing.txt`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::Instant;

use super::pods::name;
use crate::lab::Lab;
use crate::trace::Style;
use kube_informers::cache::{EventHandler, HandlerOptions, InitialList, ListWatch, SharedIndexInformer};

// ANCHOR: syncing
/// Adds a handler that wants a resync every two seconds, one every three, and one never.
pub async fn run(lab: &Lab) -> Result<()> {
    let pods = ListWatch::<Pod>::namespaced(lab.client(), lab.namespace());
    let informer = lab.informer(SharedIndexInformer::builder(pods));
    let resync = |seconds| HandlerOptions::new().resync(Duration::from_secs(seconds));
    informer.add_event_handler_with(TimedHandler::new(lab, 0, "every-2s"), resync(2))?;
    informer.add_event_handler_with(TimedHandler::new(lab, 1, "every-3s"), resync(3))?;
    informer.add_event_handler_with(TimedHandler::new(lab, 2, "never"), resync(0))?;
    Ok(informer.run(lab.stop()).await?)
}

/// Prints each notification, with the milliseconds since the start and the resourceVersions of an update.
struct TimedHandler {
    lab: Lab,
    style: Style,
    name: &'static str,
    start: Instant,
}

impl EventHandler<Pod> for TimedHandler {
    fn on_add(&mut self, pod: Arc<Pod>, _initial: InitialList) {
        self.print(format!("OnAdd:{} {}", self.name, name(&pod)));
    }

    fn on_update(&mut self, old: Arc<Pod>, new: Arc<Pod>) {
        let [before, after] = [&old, &new].map(|pod| pod.metadata.resource_version.as_deref().unwrap_or_default());
        self.print(format!("OnUpdate:{} {} {before} -> {after}", self.name, name(&new)));
    }
}
// ANCHOR_END: syncing

impl TimedHandler {
    fn new(lab: &Lab, number: usize, name: &'static str) -> Self {
        Self { lab: lab.clone(), style: Style::Handler(number), name, start: Instant::now() }
    }

    fn print(&self, called: String) {
        self.lab.print(self.style, format_args!("{:>5} ms  {called}", self.start.elapsed().as_millis()));
    }
}
