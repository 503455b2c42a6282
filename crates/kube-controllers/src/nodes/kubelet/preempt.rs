//! Preempts pods so that a waiting pod will fit: each victim gets a condition, is deleted, and gets an Event. Upstream:
//! `Executor.PreemptPod`.

use kube_client::Api;
use kube_client::api::{DeleteParams, DynamicObject, Preconditions};

use super::event_correlator::{EventCorrelator, PodEvent};
use super::pod_worker::PodWorker;
use super::run_stages::is_temporary;
use super::schedule::SCHEDULER;
use crate::nodes::dynamic::api_resource;
use crate::nodes::requests::{Author, ObjectRef, Received};
use crate::nodes::scheduler::{Scheduler, Unfit, Victim};
use kube_machinery::kinds::PODS;
use kube_machinery::value::json;

impl PodWorker {
    /// Preempts the victims. The scheduler takes note of a victim that cannot be preempted, so that the pod does not
    /// wait for its end.
    pub(super) async fn preempt(&mut self, scheduler: &Scheduler, unfit: &Unfit) -> Result<(), kube_client::Error> {
        let node = unfit.nominated_node.as_deref().unwrap_or_default();
        for victim in unfit.victims.iter() {
            match self.preempt_pod(victim).await {
                Ok(pod) => self.record_preempted(&pod, node).await,
                Err(error) if is_temporary(&error) => return Err(error),
                Err(error) => {
                    tracing::debug!(pod = %victim.name, %error, "a pod could not be preempted");
                    scheduler.not_preempted(victim);
                }
            }
        }
        Ok(())
    }

    /// Writes the condition that explains the end of a pod, and deletes the pod. Returns the pod.
    async fn preempt_pod(&self, victim: &Victim) -> Result<Received, kube_client::Error> {
        let Victim { namespace, name, uid, generation } = victim;
        let condition = json!({
            "type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler",
            "message": format!("{SCHEDULER}: preempting to accommodate a higher priority pod"),
            "lastTransitionTime": self.context.clock.now(), "observedGeneration": generation,
        });
        let reference = ObjectRef { resource: PODS, namespace: namespace.to_string(), name: name.to_string() };
        let status = json!({"conditions": [condition]});
        let pod = self.context.api.write_status(Author::Scheduler, reference, uid.to_string(), status).await?;
        let preconditions = Some(Preconditions { uid: Some(uid.to_string()), ..Preconditions::default() });
        let params = DeleteParams { preconditions, ..DeleteParams::default() };
        let pods: Api<DynamicObject> =
            Api::namespaced_with(self.context.client.clone(), namespace, &api_resource(PODS));
        pods.delete(name, &params).await?;
        Ok(pod)
    }

    /// Writes the Event of a victim. Its correlator is not that of the preemptor, because two victims have two Events.
    async fn record_preempted(&self, victim: &Received, node: &str) {
        let message = format!("Preempted by pod {} on node {node}", self.uid());
        let event = PodEvent::of_pod(SCHEDULER, "Normal", "Preempted", message);
        let mut recorder = EventCorrelator::new(self.context.api.clone(), self.context.clock);
        recorder.record(victim, PodEvent { related: Some((*self.pod).clone()), ..event }).await;
    }
}
