//! Ends the pods that are active for longer than their `activeDeadlineSeconds`. Upstream:
//! `pkg/kubelet/active_deadline.go`.

use std::collections::BTreeSet;
use std::time::Duration;

use foldhash::HashMap;
use jiff::Timestamp;
use kube_client::Error;
use tokio::time::{Instant, sleep, sleep_until};

use super::RETRY;
use super::containers::{self, Changed};
use super::event_correlator::{KUBELET, PodEvent};
use super::phase::is_terminal;
use super::pod_worker::PodWorker;
use super::run_stages::is_temporary;
use super::terminate_pod::terminate;
use crate::clock::Clock;
use crate::nodes::pod;
use crate::nodes::requests::Received;
use crate::nodes::stages::ContainerState;
use kube_machinery::value::{Value, json};

const REASON: &str = "DeadlineExceeded";
const MESSAGE: &str = "Pod was active on the node longer than the specified deadline";

/// The deadlines of the pods that run.
#[derive(Default)]
pub(super) struct ActiveDeadlines {
    due: BTreeSet<(Instant, String)>,
    /// By uid: the deadline, and the latest state of the pod.
    pods: HashMap<String, (Instant, Received)>,
}

impl ActiveDeadlines {
    /// Takes over the deadline of a pod that runs, if it has one.
    pub(super) fn follow(&mut self, pod: &Received, clock: Clock) {
        let uid = pod::uid(pod);
        self.remove(uid);
        if let Some(rest) = rest(pod, clock.time()) {
            // A deadline beyond the clock's range never passes.
            let Some(due) = Instant::now().checked_add(rest) else { return };
            self.due.insert((due, uid.to_owned()));
            self.pods.insert(uid.to_owned(), (due, pod.clone()));
        }
    }

    /// Forgets a pod that has ended or is being deleted.
    pub(super) fn remove(&mut self, uid: &str) {
        if let Some((due, _)) = self.pods.remove(uid) {
            self.due.remove(&(due, uid.to_owned()));
        }
    }

    /// Waits until a deadline has passed, and returns its pod.
    pub(super) async fn passed(&mut self) -> Received {
        loop {
            let Some((due, _)) = self.due.first() else { return std::future::pending().await };
            sleep_until(*due).await;
            let passed = self.due.pop_first().and_then(|(_, uid)| self.pods.remove(&uid));
            if let Some((_, pod)) = passed {
                return pod;
            }
        }
    }
}

/// Returns the time that is left to an active pod with a deadline.
fn rest(pod: &Value, now: Timestamp) -> Option<Duration> {
    let (spec, status) = (&pod["spec"], &pod["status"]);
    let seconds = spec["activeDeadlineSeconds"].as_u64().filter(|_| !is_terminal(&status["phase"]))?;
    let start: Timestamp = status["startTime"].as_str()?.parse().ok()?;
    let active = Duration::try_from(now.duration_since(start)).unwrap_or_default();
    Some(Duration::from_secs(seconds).saturating_sub(active))
}

impl PodWorker {
    /// Fails the pod, and returns its uid.
    pub(super) async fn exceed_deadline(mut self) -> String {
        let uid = self.uid().to_owned();
        self.wait_for_node().await;
        loop {
            match self.fail_after_deadline().await {
                Err(error) if is_temporary(&error) => sleep(RETRY).await,
                Err(error) => {
                    tracing::debug!(pod = self.name(), %error, "a pod with a deadline could not be failed");
                    return uid;
                }
                Ok(()) => return uid,
            }
        }
    }

    async fn fail_after_deadline(&mut self) -> Result<(), Error> {
        let now = self.context.api.get(self.reference()).await?;
        let is_other = pod::uid(&now) != self.uid();
        if is_other || is_terminal(&now["status"]["phase"]) || now["metadata"]["deletionTimestamp"].is_string() {
            return Ok(());
        }
        self.pod = now;
        let event = PodEvent::of_pod(KUBELET, "Normal", REASON, MESSAGE.to_owned());
        self.recorder.record(&self.pod, event).await;
        self.record_killing(containers::names(containers::running(&self.pod))).await;
        let killed = ContainerState::Terminated { exit_code: 137, reason: "Error".to_owned(), message: None };
        let extra = json!({"phase": "Failed", "reason": REASON, "message": MESSAGE});
        let mut status = self.status(Changed::All, &killed, Some(&extra), Duration::ZERO);
        terminate(&self.pod, &mut status);
        self.write_status(status).await
    }
}
