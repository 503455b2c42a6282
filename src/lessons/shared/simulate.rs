//! Lesson `shared`: runs a sharedProcessor with two handlers side by side, each with a listener, and inserts pods by
//! hand.
//!
//! Trace: `fixtures/traces/shared-simulate.txt`.

use anyhow::Result;
use k8s_openapi::api::core::v1::Pod;

use super::insert::insert;
use super::pod_handler::PodHandler;
use crate::lab::Lab;
use kube_informers::cache::SharedProcessor;

// ANCHOR: simulate
/// Runs two handlers, with a pod a second for each.
pub async fn run(lab: &Lab) -> Result<()> {
    let informer = MySharedInformer { processor: SharedProcessor::default().observer(lab.observer()) };
    informer.add_event_handler(lab, PodHandler::new(lab, 0, ""));
    informer.add_event_handler(lab, PodHandler::new(lab, 1, "second"));
    lab.narrate(
        "each handler has its own task: the order within a handler is fixed, the order between handlers is not",
        "每个 handler 各在自己的任务里运行：各自内部有序，两者之间没有顺序",
    );
    Ok(informer.processor.run(lab.stop()).await?)
}

/// The tutorials' first `MySharedInformer`: nothing but a processor.
struct MySharedInformer {
    processor: SharedProcessor<Pod>,
}

impl MySharedInformer {
    fn add_event_handler(&self, lab: &Lab, handler: PodHandler) {
        let registration = self.processor.add_listener(handler);
        let insert = async move { insert(registration.listener()).await };
        tokio::spawn(lab.stop().run_until_cancelled_owned(insert)); // instead of list and watch
    }
}
// ANCHOR_END: simulate
