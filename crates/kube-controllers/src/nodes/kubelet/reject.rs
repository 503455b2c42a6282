//! Fails a pod that its node cannot run. Upstream: `rejectPod` in `pkg/kubelet/kubelet.go`.

use super::event_correlator::PodEvent;
use super::pod_worker::PodWorker;
use crate::nodes::items::items;
use crate::nodes::scheduler::{NotAdmitted, Scheduler};
use kube_machinery::value::{Value, json};

impl PodWorker {
    /// Fails the pod if it may not run on its node. Its stages end then.
    pub(super) async fn reject_unless_admitted(&mut self, scheduler: &Scheduler) -> Result<(), kube_client::Error> {
        let Some(NotAdmitted { reason, message }) = scheduler.not_admitted(self.uid()) else { return Ok(()) };
        self.recorder.record(&self.pod, PodEvent::warning(&reason, message.clone(), None)).await;
        let mut status = json!({
            "phase": "Failed", "reason": reason, "message": format!("Pod was rejected: {message}"),
            "startTime": self.context.clock.now(), "observedGeneration": self.pod["metadata"]["generation"],
        });
        // Upstream replaces the kubelet's conditions, one of which the binding has written.
        if items(&self.pod["status"]["conditions"]).iter().all(|condition| condition["type"] == "PodScheduled") {
            status["conditions"] = Value::Null;
        }
        self.write_status(status).await?;
        self.is_over = true;
        Ok(())
    }
}
