//! Lesson `shared --step listener`: runs a processorListener, which is one handler behind a buffer, with a new pod
//! every second.
//!
//! Trace: `fixtures/traces/shared-listener.txt`.

use anyhow::Result;
use futures::join;

use super::insert::insert;
use super::pod_handler::PodHandler;
use crate::lab::Lab;
use kube_informers::cache::ProcessorListener;

// ANCHOR: listener
/// Adds pods at one end and runs the handler at the other.
pub async fn run(lab: &Lab) -> Result<()> {
    let listener = ProcessorListener::new(0).observer(lab.observer());
    let produce = async {
        lab.stop().run_until_cancelled(insert(&listener)).await;
        listener.close(); // the handler ends when it has handled everything
    };
    join!(produce, listener.run(PodHandler::new(lab, 0, "")));
    Ok(())
}
// ANCHOR_END: listener
