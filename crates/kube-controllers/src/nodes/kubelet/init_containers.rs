//! Runs the init containers of a pod one after the other, before its regular containers. An init container that fails
//! starts again, unless the pod is never restarted. A sidecar keeps running. Upstream: `computeInitContainerActions` in
//! `pkg/kubelet/kuberuntime/kuberuntime_container.go`.

use std::sync::Arc;
use std::time::Duration;

use kube_client::Error;
use tokio::time::Instant;

use super::backoff::Backoff;
use super::container_status::is_sidecar;
use super::containers::Changed;
use super::event_correlator::PodEvent;
use super::phase::{is_running, is_terminal};
use super::pod_worker::PodWorker;
use super::run_stages::run_round;
use crate::nodes::items::items;
use crate::nodes::stages::{ContainerState, Stage};
use kube_machinery::value::Value;

/// The delay of a restart without a back-off, after which the kubelet looks at a container again. Upstream:
/// `genericPlegRelistPeriod`.
const RESTART: Duration = Duration::from_secs(1);

impl PodWorker {
    /// Runs the init containers that have not succeeded. The pod may be over afterwards.
    pub(super) async fn initialize(&mut self) -> Result<(), Error> {
        for index in 0..items(&self.pod["spec"]["initContainers"]).len() {
            self.initializing = Some(index);
            let ended = self.run_init_container().await;
            self.initializing = None;
            ended?;
            if self.is_over {
                break;
            }
        }
        Ok(())
    }

    /// Runs an init container until it has succeeded, or has started if it is a sidecar.
    async fn run_init_container(&mut self) -> Result<(), Error> {
        let mut backoff = Backoff::default();
        let mut resting = None;
        let init = self.init.clone();
        let is_sidecar = is_sidecar(self.init_container());
        while !self.is_initialized() {
            let stages = match is_running(self.init_status()) {
                true => &init[start(&init)..], // an earlier kubelet has started it
                false if is_sidecar => &init[..start(&init)],
                false => &init[..],
            };
            run_round(self, stages, 0, Duration::ZERO).await?;
            if is_terminal(&self.pod["status"]["phase"]) {
                return self.fail_initialization().await;
            }
            if self.is_initialized() {
                break;
            }
            resting.get_or_insert_with(|| self.mark_resting());
            if is_running(self.init_status()) {
                std::future::pending::<()>().await; // no stage ends it
            }
            let failed = Instant::now();
            if let Some(wait) = backoff.failed() {
                self.back_off(wait).await?;
            } else {
                tokio::time::sleep(RESTART).await;
            }
            backoff.restarts(failed);
        }
        Ok(())
    }

    /// Waits until the failed init container may start again.
    async fn back_off(&mut self, backoff: Duration) -> Result<(), Error> {
        let (reason, message) = (
            "CrashLoopBackOff".to_owned(),
            "back-off $backoff restarting failed container=$container pod=$pod_$namespace($uid)".to_owned(),
        );
        let waiting = ContainerState::Waiting { reason, message: Some(message) };
        self.containers(&waiting, None, backoff).await?;
        let name = self.init_container()["name"].as_str().unwrap_or_default().to_owned();
        let (pod, namespace, uid) = (self.name(), self.text("namespace"), self.uid());
        let message = format!("Back-off restarting failed container {name} in pod {pod}_{namespace}({uid})");
        self.recorder.record(&self.pod, PodEvent::warning("BackOff", message, Some(name))).await;
        tokio::time::sleep(backoff).await;
        Ok(())
    }

    /// Ends a pod whose init container has failed for good.
    async fn fail_initialization(&mut self) -> Result<(), Error> {
        self.stop_sidecars().await;
        let creating = ContainerState::Waiting { reason: super::container_status::CREATING.to_owned(), message: None };
        self.write_status(self.status(Changed::All, &creating, None, Duration::ZERO)).await?;
        self.is_over = true;
        Ok(())
    }

    fn init_container(&self) -> &Value {
        self.containers_at_work().first().unwrap_or(&Value::Null)
    }

    fn init_status(&self) -> &Value {
        let name = &self.init_container()["name"];
        let statuses = items(&self.pod["status"]["initContainerStatuses"]);
        statuses.iter().find(|status| status["name"] == *name).unwrap_or(&Value::Null)
    }

    /// Returns true if the next container may start. Upstream: `isInitContainerInitialized`.
    fn is_initialized(&self) -> bool {
        let field = if is_sidecar(self.init_container()) { "started" } else { "ready" };
        self.init_status()[field] == true
    }
}

/// Returns the number of stages until the container runs.
fn start(stages: &Arc<[Stage]>) -> usize {
    stages.iter().position(Stage::starts_containers).map_or(stages.len(), |at| at + 1)
}
