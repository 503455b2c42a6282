//! Writes a new state of a pod's containers into its status. Upstream: `SyncPod` and `SyncTerminatingPod` in
//! `pkg/kubelet/kubelet.go`.

use std::time::Duration;

use kube_client::Error;

use super::containers::{self, Changed, KILLING, StatusInputs};
use super::event_correlator::PodEvent;
use super::phase::is_terminal;
use super::pod_conditions::set_conditions_from_phase;
use super::pod_worker::PodWorker;
use super::pull_secrets::PULL_FAILED;
use super::texts::go_duration;
use crate::nodes::stages::ContainerState;
use kube_machinery::codec::merge_patch;
use kube_machinery::value::Value;

impl PodWorker {
    /// Reports a state of the containers at work, and merges `extra` into the resulting status. If the pod ends, its
    /// sidecars end after the regular containers.
    pub(super) async fn containers(
        &mut self,
        change: &ContainerState,
        extra: Option<&Value>,
        backoff: Duration,
    ) -> Result<(), Error> {
        let changed = self.initializing.map_or(Changed::Regular, Changed::Init);
        if changed == Changed::Regular && matches!(change, ContainerState::Terminated { .. }) {
            self.end(change, extra, backoff).await?;
        } else {
            self.write_status(self.status(changed, change, extra, backoff)).await?;
        }
        self.prepared = self.prepared.after(change);
        match change {
            ContainerState::Waiting { reason, .. } if reason == PULL_FAILED => self.report_missing_pull_secrets().await,
            _ => Ok(()),
        }
    }

    /// Reports that the regular containers have ended. The sidecars go on if some of the containers start again.
    async fn end(&mut self, change: &ContainerState, extra: Option<&Value>, backoff: Duration) -> Result<(), Error> {
        let is_deleting = self.pod["metadata"]["deletionTimestamp"].is_string();
        let ended = self.status(Changed::All, change, extra, backoff);
        if !is_deleting && !is_terminal(&ended["phase"]) {
            return self.write_status(self.status(Changed::Regular, change, extra, backoff)).await;
        }
        if !is_deleting && containers::running_init(&self.pod).next().is_some() {
            // The pod goes on until its sidecars have ended.
            self.write_status(self.status(Changed::Regular, change, None, backoff)).await?;
            self.stop_sidecars().await;
        }
        self.write_status(self.status(Changed::All, change, extra, backoff)).await
    }

    /// Writes an Event about each sidecar that runs.
    pub(super) async fn stop_sidecars(&mut self) {
        self.record_killing(containers::names(containers::running_init(&self.pod))).await;
    }

    /// Writes an Event about the end of each of these containers.
    pub(super) async fn record_killing(&mut self, containers: Vec<String>) {
        for name in containers {
            let event = PodEvent::normal(KILLING, format!("Stopping container {name}"), &name);
            self.recorder.record(&self.pod, event).await;
        }
    }

    /// Returns the pod's status after a change of some containers.
    pub(super) fn status(
        &self,
        changed: Changed,
        to: &ContainerState,
        extra: Option<&Value>,
        backoff: Duration,
    ) -> Value {
        let (now, backoff_text) = (self.context.clock.now(), go_duration(backoff));
        let mut status = containers::status(&self.pod, changed, to, &self.inputs(&now, &backoff_text));
        if let Some(extra) = extra {
            let mut extra = extra.clone();
            self.fill_in(&mut extra, backoff);
            merge_patch::merge(&mut status, &extra);
            set_conditions_from_phase(&self.pod, &mut status, &now);
        }
        status
    }

    /// Returns the values for a status that only this worker knows.
    pub(super) fn inputs<'a>(&'a self, now: &'a str, backoff: &'a str) -> StatusInputs<'a> {
        StatusInputs { now, pod_ip: self.ip(), host_ip: &self.host_ip, backoff }
    }
}
