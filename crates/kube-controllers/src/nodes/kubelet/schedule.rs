//! Schedules one pod, as a stage of the pod: waits until the scheduler finds a fitting node, and writes the binding.
//! While no node fits, writes the reason into the pod's status.

use std::time::Duration;

use super::event_correlator::PodEvent;
use super::pod_worker::PodWorker;
use super::sync_pod::is_untouched;
use crate::nodes::requests::Author;
use crate::nodes::scheduler::{Assignment, Attempt, Scheduler, Unfit};
use kube_machinery::conventions::conditions;
use kube_machinery::value::json;

pub(super) const SCHEDULER: &str = "default-scheduler";

/// The delay after which a pod is scheduled again whose claims could not be bound, at first and at most. Upstream:
/// `DefaultPodInitialBackoffDuration`, `DefaultPodMaxBackoffDuration`.
const INITIAL_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(10);

impl PodWorker {
    /// Binds the pod to the node that the scheduler chooses. Waits until a node fits. A pod that another client has
    /// bound fails if its node cannot run it.
    pub(super) async fn schedule(&mut self) -> Result<(), kube_client::Error> {
        let Some(mut scheduler) = self.context.scheduler.clone() else { return Ok(()) };
        self.bind_to_any(&mut scheduler).await?;
        self.reject_unless_admitted(&scheduler).await
    }

    async fn bind_to_any(&mut self, scheduler: &mut Scheduler) -> Result<(), kube_client::Error> {
        if self.pod["spec"]["nodeName"].is_null() {
            self.wait_for_resource_claims(scheduler).await?;
        }
        if self.is_over {
            return Ok(());
        }
        // The pod names its node itself, or another client has bound it meanwhile.
        if let Some(node) = self.pod["spec"]["nodeName"].as_str() {
            self.host_ip = scheduler.assignment_of(node).await.address;
            return Ok(());
        }
        let Assignment { node, address, .. } = self.assign(scheduler).await?;
        let unbound = self.pod.clone();
        match self.bind(&node).await {
            Ok(()) => self.host_ip = address,
            Err(kube_client::Error::Api(status)) if status.code == 409 => {
                // Another scheduler may have bound the pod first; its binding counts.
                self.pod = self.context.api.get(self.reference()).await?;
                let Some(theirs) = self.pod["spec"]["nodeName"].as_str() else {
                    scheduler.forget(self.uid());
                    return Err(kube_client::Error::Api(status));
                };
                if is_untouched(&self.pod) {
                    scheduler.admit(&self.pod);
                }
                scheduler.observe(&self.pod);
                self.host_ip = scheduler.assignment_of(theirs).await.address;
                return Ok(());
            }
            Err(error) => {
                scheduler.forget(self.uid());
                return Err(error);
            }
        }
        let (namespace, name) = (self.text("namespace"), self.name());
        let message = format!("Successfully assigned {namespace}/{name} to {node}");
        let event = PodEvent::of_pod(SCHEDULER, "Normal", "Scheduled", message);
        self.recorder.record(&unbound, event).await;
        Ok(())
    }

    /// Waits for a node where the pod fits, and until the claims of the pod are bound for it. Tries again if they
    /// cannot be bound.
    async fn assign(&mut self, scheduler: &mut Scheduler) -> Result<Assignment, kube_client::Error> {
        let mut backoff = INITIAL_BACKOFF;
        let mut resting = None;
        loop {
            let assignment = match scheduler.assign(&self.pod, self.uid()).await {
                Ok(assignment) => assignment,
                Err(attempt) => self.wait(scheduler, attempt).await?,
            };
            let Some(volumes) = &assignment.volumes else { return Ok(assignment) };
            self.expect(&assignment.node).await;
            let Err(why) = self.bind_volumes(scheduler, &assignment.node, volumes).await else {
                return Ok(assignment);
            };
            scheduler.forget(self.uid());
            let why = format!("running PreBind plugin \"VolumeBinding\": {why}");
            self.not_scheduled("SchedulerError", &why, None).await?;
            // From now on only another client can help, so that a test need not wait for this pod.
            resting.get_or_insert_with(|| self.mark_resting());
            tokio::time::sleep(backoff).await;
            backoff = MAX_BACKOFF.min(backoff * 2);
        }
    }

    /// Says where the pod will probably be bound. As upstream, the pod goes on if that cannot be written.
    async fn expect(&mut self, node: &str) {
        let expected = json!({"nominatedNodeName": node});
        if let Err(error) = self.write_status_as(Author::Scheduler, expected).await {
            tracing::debug!(pod = self.name(), %error, "the expected node could not be written");
        }
    }

    /// Waits until the pod fits on a node. Preempts the pods that have to end for it.
    async fn wait(&mut self, scheduler: &Scheduler, mut attempt: Attempt) -> Result<Assignment, kube_client::Error> {
        loop {
            match attempt.outcome() {
                Ok(assignment) => return Ok(assignment),
                Err(unfit) => {
                    self.unschedulable(&unfit).await?;
                    self.preempt(scheduler, &unfit).await?;
                }
            }
            attempt.changed().await;
        }
    }

    pub(super) async fn unschedulable(&mut self, unfit: &Unfit) -> Result<(), kube_client::Error> {
        self.not_scheduled("Unschedulable", &unfit.message, unfit.nominated_node.as_deref()).await
    }

    /// Writes the reason why the pod is not scheduled into its status and an Event, and the nominated node into its
    /// status, unless they are there already. Upstream: `handleSchedulingFailure`.
    async fn not_scheduled(
        &mut self,
        reason: &str,
        why: &str,
        nominated_node: Option<&str>,
    ) -> Result<(), kube_client::Error> {
        let before = conditions::find(&self.pod, "PodScheduled");
        let is_known = before.is_some_and(|condition| condition["message"] == why);
        if is_known && self.pod["status"]["nominatedNodeName"].as_str() == nominated_node {
            return Ok(());
        }
        let since = before.filter(|condition| condition["status"] == "False");
        let since = since.map_or_else(|| json!(self.context.clock.now()), |old| old["lastTransitionTime"].clone());
        let condition = json!({
            "type": "PodScheduled", "status": "False", "reason": reason, "message": why, "lastTransitionTime": since,
            "observedGeneration": self.pod["metadata"]["generation"],
        });
        let status = json!({"conditions": [condition], "nominatedNodeName": nominated_node});
        let before = self.pod.clone();
        self.write_status_as(Author::Scheduler, status).await?;
        if !is_known {
            let event = PodEvent::of_pod(SCHEDULER, "Warning", "FailedScheduling", why.to_owned());
            self.recorder.record(&before, event).await;
        }
        Ok(())
    }
}
