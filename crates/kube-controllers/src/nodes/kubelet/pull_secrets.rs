//! Reports missing image pull secrets. They never keep a pod from starting: upstream writes an Event about them, and
//! only after an image could not be pulled. Upstream: `getPullSecretsForPod` in `pkg/kubelet/kubelet_pods.go`.

use kube_client::Error;

use super::event_correlator::PodEvent;
use super::pod_worker::PodWorker;
use super::references::Reference;
use crate::nodes::items::items;
use kube_machinery::kinds::SECRETS;

/// The reason of a container whose image could not be pulled just now. Upstream: `ErrImagePull`.
pub(super) const PULL_FAILED: &str = "ErrImagePull";

impl PodWorker {
    /// Writes an Event that names the image pull secrets that do not exist, if there are any.
    pub(super) async fn report_missing_pull_secrets(&mut self) -> Result<(), Error> {
        let mut lookup = self.lookup();
        let mut missing = Vec::new();
        for name in items(&self.pod["spec"]["imagePullSecrets"]).iter().filter_map(|secret| secret["name"].as_str()) {
            let reference = Reference { resource: SECRETS, name, keys: Vec::new(), fields: &[] };
            if !name.is_empty() && lookup.missing(&reference).await?.is_some() {
                missing.push(name);
            }
        }
        if !missing.is_empty() {
            let message = format!(
                "Unable to retrieve some image pull secrets ({}); attempting to pull the image may not succeed.",
                missing.join(", ")
            );
            let event = PodEvent::warning("FailedToRetrieveImagePullSecret", message, None);
            self.recorder.record(&self.pod, event).await;
        }
        Ok(())
    }
}
