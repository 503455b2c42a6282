//! Lesson `shared --step slow-listener`: runs a processorListener with a handler that is slower than the pods arrive.
//! The buffer fills, and the producer never waits.
//!
//! Trace: `fixtures/traces/shared-slow-listener.txt`.

use std::time::Duration;

use anyhow::Result;
use futures::join;
use k8s_openapi::api::core::v1::Pod;
use tokio::time::sleep;

use crate::lab::Lab;
use crate::lessons::pods::name;
use crate::trace::Style;
use kube_informers::cache::{AsyncEventHandler, InitialList, Notification, ProcessorListener};

// ANCHOR: slow_listener
/// Adds six pods, one a second, for a handler that takes two and a half seconds for each.
pub async fn run(lab: &Lab) -> Result<()> {
    let listener = ProcessorListener::new(0).observer(lab.observer());
    let insert = async {
        for count in 0..6 {
            sleep(Duration::from_secs(1)).await;
            let mut pod = Pod::default();
            pod.metadata.name = Some(format!("pod{count}"));
            listener.add(Notification::Add { object: pod.into(), initial: InitialList::No });
            lab.print(Style::Plain, format_args!("add pod{count}: {} pending", listener.pending()));
        }
    };
    let produce = async {
        lab.stop().run_until_cancelled(insert).await;
        listener.close(); // the handler ends when it has handled everything
    };
    join!(produce, listener.run(SlowHandler { lab: lab.clone(), listener: listener.clone() }));
    Ok(())
}

struct SlowHandler {
    lab: Lab,
    listener: ProcessorListener<Pod>,
}

impl AsyncEventHandler<Pod> for SlowHandler {
    async fn handle(&mut self, notification: Notification<Pod>) {
        sleep(Duration::from_millis(2500)).await;
        let Notification::Add { object, .. } = notification else { return };
        let pending = self.listener.pending();
        self.lab.print(Style::Handler(0), format_args!("OnAdd: {}, {pending} pending", name(&object)));
    }
}
// ANCHOR_END: slow_listener
