//! The kubelet of all simulated nodes: watches pods, and runs each through its stages, which are steps that write what
//! a real pod's status would be. No containers run. The scheduler's binding is one of these stages.

mod active_deadline;
mod address;
mod backoff;
mod bind_volumes;
mod catch_up;
mod container_status;
mod containers;
mod environment;
mod event_correlator;
mod init_containers;
mod phase;
mod pod_conditions;
mod pod_worker;
mod preempt;
mod prepare;
mod pull_secrets;
mod references;
mod reject;
mod report_containers;
mod resource_claims;
mod run_stages;
mod schedule;
mod sync_pod;
mod terminate_pod;
mod texts;
mod volumes;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use foldhash::HashMap;
use futures::StreamExt;
use kube_client::Client;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

pub use super::claims::Claims;
use super::logs::Logs;
use super::pod;
pub use super::progress::Progress;
use super::progress::Resting;
use super::requests::{ObjectChange, ObjectWatch, Received, Requests};
use super::scheduler::{Nodeless, Scheduler};
use super::stages::Stages;
use crate::clock::Clock;
use active_deadline::ActiveDeadlines;
use address::number;
use kube_machinery::kinds::PODS;

/// The delay before a watch that has ended is started again, and before a refused write is tried again.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Clone)]
struct KubeletContext {
    /// For deletions, and for the watches of the scheduler.
    client: Client,
    api: Arc<dyn Requests>,
    clock: Clock,
    logs: Arc<Logs>,
    progress: watch::Sender<Progress>,
    claims: Claims,
    /// `None` if no stage needs a scheduler.
    scheduler: Option<Scheduler>,
}

/// The kubelet's task. The stages of each pod run in tasks of their own.
#[expect(missing_debug_implementations, reason = "tasks and channels have nothing to show")]
pub struct Kubelet {
    context: KubeletContext,
    stages: Stages,
    /// The tasks of pods. Each returns the uid of its pod.
    running: JoinSet<String>,
    /// The pods whose stages are running or have ended, by uid.
    pods: HashMap<String, Managed>,
    /// The tasks that react to changes of pods by other clients, by the uid of the pod. A pod has at most one, so that
    /// a container is not restarted twice for one change.
    reacting: HashMap<String, AbortHandle>,
    deadlines: ActiveDeadlines,
    /// The number of the last address that a pod got.
    addresses: u32,
    /// Whether the pods of the first list were run by an earlier kubelet of the same cluster.
    earlier: Earlier,
    scheduling: Scheduling,
}

/// The pods that an earlier kubelet of the same cluster ran, before a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// There are none: a bound pod with a status belongs to another kubelet.
    None,
    /// Their stages go on.
    Resumed,
}

/// The author of the bindings of pods to nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduling {
    /// The simulated scheduler.
    #[default]
    Simulated,
    /// Another program, such as kube-scheduler: a pod waits until it is bound.
    ByOthers,
}

/// A pod that this kubelet runs.
struct Managed {
    sync_type: SyncPodType,
    /// The number of the pod's address.
    address: u32,
    /// The task that runs the stages. `None` once it has ended, because a handle keeps the task's memory.
    task: Option<AbortHandle>,
}

impl Managed {
    /// Ends the task at its next `await`.
    fn abort(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// The work on a pod that is due now. A pod never goes back to an earlier kind of work. Upstream: `SyncPodType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SyncPodType {
    Run,
    /// The pod is failed, because its deadline has passed.
    Fail,
    Delete,
}

impl Kubelet {
    /// Creates a kubelet that has not started. It reports to `progress` how far it has seen the changes of pods, and
    /// how many tasks it runs.
    pub fn new(
        client: Client,
        api: Arc<dyn Requests>,
        stages: Stages,
        clock: Clock,
        logs: Arc<Logs>,
        progress: watch::Sender<Progress>,
    ) -> Self {
        let (running, pods) = (JoinSet::new(), HashMap::default());
        let context = KubeletContext { client, api, clock, logs, progress, claims: Claims::Exist, scheduler: None };
        let (reacting, deadlines) = (HashMap::default(), ActiveDeadlines::default());
        Self {
            context,
            stages,
            running,
            pods,
            reacting,
            deadlines,
            addresses: 0,
            earlier: Earlier::None,
            scheduling: Scheduling::Simulated,
        }
    }

    /// Chooses what happens to the pods that are bound and started already when the kubelet begins.
    #[must_use]
    pub fn with_earlier(self, earlier: Earlier) -> Self {
        Self { earlier, ..self }
    }

    /// Chooses the author of the bindings.
    #[must_use]
    pub fn with_scheduling(self, scheduling: Scheduling) -> Self {
        Self { scheduling, ..self }
    }

    /// Chooses what the kubelet requires of the claims in a pod's volumes.
    #[must_use]
    pub fn with_claims(mut self, claims: Claims) -> Self {
        self.context.claims = claims;
        self
    }

    /// Runs until `stop`.
    pub async fn run(mut self, nodeless: Nodeless, stop: CancellationToken) {
        let mut helper = JoinSet::new();
        if self.stages.schedules() {
            let context = &self.context;
            let (scheduler, follow_objects) =
                Scheduler::new(context.client.clone(), nodeless, context.claims, context.progress.clone());
            self.context.scheduler = Some(scheduler);
            helper.spawn(follow_objects);
        }
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(Err(error)) = helper.join_next() => {
                    tracing::error!(%error, "the scheduler's watches panicked");
                    continue;
                }
                () = self.follow() => {}
            }
            tracing::debug!("the watch of pods has ended; the kubelet starts another one");
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = tokio::time::sleep(RETRY) => {}
            }
        }
        self.running.shutdown().await;
        helper.shutdown().await;
    }

    /// Watches the pods of all namespaces. Returns when the watch ends.
    async fn follow(&mut self) {
        if let Some(scheduler) = &mut self.context.scheduler {
            scheduler.synced().await; // otherwise several pods would wait for the nodes, and continue in any order
        }
        let ObjectWatch { objects, revision, mut changes } = self.context.api.watch(PODS);
        let pods: Vec<_> = objects.collect();
        if self.earlier == Earlier::Resumed {
            // A new pod must not get the address of an existing pod.
            let taken = pods.iter().filter_map(|pod| number(pod["status"]["podIP"].as_str()?));
            self.addresses = taken.max().unwrap_or_default();
        }
        self.retain(&pods); // first, because a new pod may need what a deleted one has taken
        self.admit_all(&pods);
        for pod in pods {
            self.sync_pod(pod);
        }
        self.earlier = Earlier::None; // a pod that is written from now on was not run before
        self.record_progress(revision);
        loop {
            let (revision, change) = tokio::select! {
                biased;
                Some(ended) = self.running.join_next() => {
                    self.ended(ended);
                    continue;
                }
                pod = self.deadlines.passed() => {
                    self.fail_after_deadline(pod);
                    continue;
                }
                change = changes.next() => match change {
                    Some(change) => change,
                    None => return,
                },
            };
            match change {
                ObjectChange::Written(pod) => self.sync_pod(pod),
                ObjectChange::Removed { uid } => {
                    if let Some(managed) = self.pods.remove(&uid) {
                        managed.abort();
                    }
                    self.forget(&uid);
                }
            }
            self.record_progress(revision);
        }
    }

    /// Forgets the pods that were deleted while no watch ran.
    fn retain(&mut self, pods: &[Received]) {
        let there: BTreeSet<_> = pods.iter().map(|pod| pod::uid(pod).to_owned()).collect();
        if let Some(scheduler) = &self.context.scheduler {
            scheduler.retain(&there);
        }
        let gone: Vec<_> = self.pods.extract_if(|uid, _| !there.contains(uid)).collect();
        for (uid, managed) in gone {
            managed.abort();
            self.forget(&uid);
        }
    }

    /// Forgets a pod that does not exist any more.
    fn forget(&mut self, uid: &str) {
        self.deadlines.remove(uid);
        if let Some(task) = self.reacting.remove(uid) {
            task.abort();
        }
        self.context.forget(uid);
    }

    /// Handles the end of a pod's task.
    fn ended(&mut self, ended: Result<String, JoinError>) {
        match ended {
            Ok(uid) => {
                tracing::trace!(uid, "the stages of a pod have ended");
                if self.reacting.get(&uid).is_some_and(AbortHandle::is_finished) {
                    self.reacting.remove(&uid);
                }
                if let Some(managed) = self.pods.get_mut(&uid) {
                    managed.task.take_if(|task| task.is_finished());
                }
            }
            Err(error) if error.is_panic() => {
                tracing::error!(%error, "the stages of a pod panicked; its next change starts them again");
                let panicked = |managed: &Managed| managed.task.as_ref().is_some_and(|task| task.id() == error.id());
                self.pods.retain(|_, managed| !panicked(managed));
            }
            Err(_) => {} // aborted
        }
        self.context.progress.send_modify(|progress| progress.busy = self.running.len());
    }

    fn record_progress(&mut self, seen: u64) {
        let busy = self.running.len();
        self.context.progress.send_modify(|progress| {
            progress.seen = seen;
            progress.busy = busy;
        });
    }
}

impl KubeletContext {
    fn forget(&self, uid: &str) {
        self.logs.forget(uid);
        if let Some(scheduler) = &self.scheduler {
            scheduler.forget(uid);
        }
    }
}

#[cfg(test)]
mod tests;
