//! Prepares a pod as the kubelet does before its containers run: mounts the volumes, runs the init containers, then
//! makes the configuration of the containers. While an object that the pod refers to is missing, the pod waits, and its
//! status and an Event say so. Upstream: `SyncPod` in `pkg/kubelet/kubelet.go`, and `startContainer` in
//! `pkg/kubelet/kuberuntime`.

use std::time::Duration;

use kube_client::Error;

use super::container_status::CREATING;
use super::containers;
use super::event_correlator::{KUBELET, PodEvent};
use super::pod_worker::PodWorker;
use super::references::Lookup;
use super::{environment, volumes};
use crate::nodes::requests::ObjectRef;
use crate::nodes::stages::{ContainerState, StageAction};
use kube_machinery::value::Value;

/// The number of failures that give Events, and of objects that a pod waits for at once, because a pod may refer to
/// very many. Upstream's `EventSourceObjectSpamFilter` lets as many Events about one pod through.
const MOST: usize = 25;

/// The parts of a pod that are prepared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prepared {
    Nothing,
    Volumes,
    /// The volumes, and what the init containers make.
    Initialized,
    /// All that, and the configurations of the regular containers.
    Containers,
}

/// A reason why a pod cannot be prepared.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Failure {
    /// The container that cannot be created; `None` if the failure is that of a volume.
    pub(super) container: Option<String>,
    pub(super) message: String,
    /// The failure lasts at least until one of these objects is written.
    pub(super) waits_for: Vec<ObjectRef>,
}

impl Prepared {
    /// Returns the parts that a kubelet finds prepared when it begins with a pod. The containers of a pod that runs
    /// were created before, and the stages of a pod that is being deleted create none.
    pub(super) fn before(pod: &Value) -> Self {
        let is_deleting = !pod["metadata"]["deletionTimestamp"].is_null();
        if is_deleting || pod["status"]["phase"] == "Running" { Self::Containers } else { Self::Nothing }
    }

    /// Returns the parts that must be prepared before an action of a stage.
    fn needed_by(action: &StageAction) -> Self {
        match action {
            StageAction::Bind(_) | StageAction::Steps(_) | StageAction::Repeat(..) | StageAction::Remove => {
                Self::Nothing
            }
            StageAction::Containers(ContainerState::Waiting { reason, .. }, _) if reason == CREATING => Self::Nothing,
            StageAction::Containers(ContainerState::Waiting { .. }, _) => Self::Initialized,
            StageAction::Containers(..) => Self::Containers,
            StageAction::Status(status) if status["phase"] == "Running" || status["phase"] == "Succeeded" => {
                Self::Containers
            }
            StageAction::Status(_) => Self::Nothing,
            StageAction::Event(notice) if notice.from != KUBELET => Self::Nothing,
            StageAction::Event(notice) if notice.reason == "Created" || notice.reason == "Started" => Self::Containers,
            StageAction::Event(_) | StageAction::Log(_) => Self::Initialized,
            StageAction::Annotations(_) => Self::Volumes, // the network gives the pod its address before any container
        }
    }

    /// Returns the parts that are prepared after a report of the containers' state. A container that does not run is
    /// created again before it runs.
    pub(super) fn after(self, reported: &ContainerState) -> Self {
        match reported {
            ContainerState::Running { .. } => self,
            ContainerState::Waiting { .. } | ContainerState::Terminated { .. } => self.min(Self::Initialized),
        }
    }
}

impl PodWorker {
    /// Prepares the parts that an action needs. Waits while an object is missing.
    pub(super) async fn prepare(&mut self, action: &StageAction) -> Result<(), Error> {
        let needed = Prepared::needed_by(action);
        if self.initializing.is_some() {
            // The volumes are mounted already. Only this init container has to be prepared.
            return if needed == Prepared::Containers { self.wait_for_objects(needed).await } else { Ok(()) };
        }
        for part in [Prepared::Volumes, Prepared::Initialized, Prepared::Containers] {
            if self.prepared < part && part <= needed && !self.is_over {
                match part {
                    Prepared::Initialized => self.initialize().await?,
                    Prepared::Volumes => {
                        self.wait_for_objects(part).await?;
                        self.prepare_resource_claims().await?;
                    }
                    _ => self.wait_for_objects(part).await?,
                }
                self.prepared = part;
            }
        }
        Ok(())
    }

    /// Waits until no object is missing that a part of the pod needs. Upstream's kubelet tries again at intervals; this
    /// one tries again when a missing object is written, so that an idle cluster stays idle.
    async fn wait_for_objects(&mut self, part: Prepared) -> Result<(), Error> {
        if self.pod["spec"]["nodeName"].is_null() {
            return Ok(()); // a kubelet looks for the objects of the pods on its node
        }
        let mut failures = self.failures(part).await?;
        while !failures.is_empty() {
            // The pod needs all of the objects, so it is enough to wait for some of them.
            let missing = failures.iter().flat_map(|failure| &failure.waits_for).take(MOST);
            let changed = self.context.api.changed(missing.cloned().collect());
            // An object may have been written before `changed` began to watch.
            let again = self.failures(part).await?;
            if again == failures {
                self.report(part, &failures).await?;
                let _resting = self.mark_resting();
                changed.await;
                self.wait_for_node().await;
                failures = self.failures(part).await?;
            } else {
                failures = again;
            }
        }
        Ok(())
    }

    async fn failures(&self, part: Prepared) -> Result<Vec<Failure>, Error> {
        let mut lookup = self.lookup();
        match part {
            Prepared::Nothing | Prepared::Initialized => Ok(Vec::new()),
            Prepared::Volumes => volumes::failures(&self.pod, self.context.claims, &mut lookup).await,
            Prepared::Containers => environment::failures(self.containers_at_work(), &mut lookup).await,
        }
    }

    pub(super) fn lookup(&self) -> Lookup {
        Lookup::new(self.context.api.clone(), self.text("namespace"))
    }

    /// Writes the failures into Events and into the status.
    async fn report(&mut self, part: Prepared, failures: &[Failure]) -> Result<(), Error> {
        for Failure { container, message, .. } in failures.iter().take(MOST) {
            let event = match container {
                Some(_) => PodEvent::warning("Failed", format!("Error: {message}"), container.clone()),
                None => PodEvent::warning("FailedMount", message.clone(), None),
            };
            self.recorder.record(&self.pod, event).await;
        }
        if part == Prepared::Containers {
            let now = self.context.clock.now();
            let status = containers::config_error_status(&self.pod, failures, &self.inputs(&now, ""));
            return self.write_status(status).await;
        }
        self.report_creating().await
    }

    /// Reports that the containers are being created.
    pub(super) async fn report_creating(&mut self) -> Result<(), Error> {
        if self.pod["status"]["containerStatuses"].is_array() {
            return Ok(()); // an earlier stage has reported that the containers are being created
        }
        let creating = ContainerState::Waiting { reason: CREATING.to_owned(), message: None };
        self.containers(&creating, None, Duration::ZERO).await
    }
}
