//! The kubelet of all simulated nodes: watches pods, and runs each through its stages, which are steps that write what
//! a real pod's status would be. No containers run. The scheduler's binding is one of these stages.

mod address;
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
mod run_stages;
mod schedule;
mod texts;
mod volumes;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use foldhash::HashMap;
use futures::StreamExt;
use kube_client::Client;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::logs::Logs;
use super::pod;
pub use super::progress::Progress;
use super::progress::Resting;
use super::requests::{PodChange, PodWatch, Received, Requests};
use super::scheduler::{Nodeless, Scheduler};
use super::stages::{Stage, Stages};
use crate::clock::Clock;
use address::{ip, number};
use kube_machinery::value::{Value, json};
use pod_worker::PodWorker;
pub use volumes::Claims;

/// The delay before a watch that has ended is started again, and before a refused write is tried again.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Clone)]
struct KubeletContext {
    /// For deletions, and for the scheduler's watch of nodes.
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
    /// The pods whose changed spec a task reacts to, so that a container is not restarted twice for one change.
    reacting: HashSet<String>,
    /// The number of the last address that a pod got.
    addresses: u32,
    /// Whether the pods of the first list were run by an earlier kubelet of the same cluster.
    earlier: Earlier,
}

/// The pods that an earlier kubelet of the same cluster ran, before a restart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Earlier {
    /// There are none: a bound pod with a status belongs to another kubelet.
    None,
    /// Their stages go on.
    Resumed,
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

/// The stages that a pod needs now. Upstream: `SyncPodType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SyncPodType {
    Run,
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
        Self { context, stages, running, pods, reacting: HashSet::new(), addresses: 0, earlier: Earlier::None }
    }

    /// Chooses what happens to the pods that are bound and started already when the kubelet begins.
    #[must_use]
    pub fn with_earlier(self, earlier: Earlier) -> Self {
        Self { earlier, ..self }
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
            let (scheduler, follow_nodes) =
                Scheduler::new(self.context.client.clone(), nodeless, self.context.progress.clone());
            self.context.scheduler = Some(scheduler);
            helper.spawn(follow_nodes);
        }
        loop {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                Some(Err(error)) = helper.join_next() => {
                    tracing::error!(%error, "the scheduler's watch of nodes panicked");
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
        let PodWatch { pods, revision, mut changes } = self.context.api.watch_pods();
        let pods: Vec<_> = pods.collect();
        if self.earlier == Earlier::Resumed {
            // No new pod gets the address of one that is there.
            let taken = pods.iter().filter_map(|pod| number(pod["status"]["podIP"].as_str()?));
            self.addresses = taken.max().unwrap_or_default();
        }
        self.admit_all(&pods);
        let mut there = BTreeSet::new();
        for pod in pods {
            there.insert(pod::uid(&pod).to_owned());
            self.sync_pod(pod);
        }
        self.earlier = Earlier::None; // a pod that is written from now on was not run before
        // Forget the pods that were deleted while no watch ran.
        if let Some(scheduler) = &self.context.scheduler {
            scheduler.retain(&there);
        }
        self.pods.retain(|uid, managed| {
            let stays = there.contains(uid);
            if !stays {
                managed.abort();
                self.context.forget(uid);
            }
            stays
        });
        self.record_progress(revision);
        loop {
            let (revision, change) = tokio::select! {
                biased;
                Some(ended) = self.running.join_next() => {
                    self.ended(ended);
                    continue;
                }
                change = changes.next() => match change {
                    Some(change) => change,
                    None => return,
                },
            };
            match change {
                PodChange::Written(pod) => self.sync_pod(pod),
                PodChange::Removed { uid } => {
                    if let Some(managed) = self.pods.remove(&uid) {
                        managed.abort();
                    }
                    self.context.forget(&uid);
                }
            }
            self.record_progress(revision);
        }
    }

    /// Counts the pods that have begun, then decides which of the new ones may run beside them.
    fn admit_all(&self, pods: &[Received]) {
        let (mut new, begun): (Vec<&Received>, Vec<&Received>) = pods.iter().partition(|pod| is_untouched(pod));
        new.sort_by_cached_key(|pod| pod::age(pod));
        begun.into_iter().chain(new).for_each(|pod| self.admit(pod));
    }

    /// Decides whether a pod may run that was bound without the scheduler, and counts it on its node if so.
    fn admit(&self, pod: &Received) {
        let Some(scheduler) = &self.context.scheduler else { return };
        if pod["spec"]["nodeName"].is_string() && self.is_to_be_run(pod) {
            scheduler.admit(pod);
        }
        scheduler.observe(pod);
    }

    /// Starts the stages that a pod needs now, unless they were started already.
    fn sync_pod(&mut self, pod: Received) {
        self.admit(&pod);
        self.obey_readiness_gates(&pod);
        self.catch_up(&pod);
        let (uid, node) = (pod::uid(&pod), pod["spec"]["nodeName"].as_str().unwrap_or_default());
        let resumed = self.is_to_be_resumed(&pod);
        let sync_type = match pod["metadata"]["deletionTimestamp"].as_str() {
            // The pod runs on no node, so its deletion does not wait for a kubelet.
            Some(_) if node.is_empty() && !self.pods.contains_key(uid) => return,
            Some(_) => SyncPodType::Delete,
            None if is_gated(&pod) => return, // the update that removes the last gate comes here again
            None if self.is_to_be_run(&pod) || resumed => SyncPodType::Run,
            None => return,
        };
        let before = self.pods.get(uid);
        if before.is_some_and(|managed| managed.sync_type == sync_type) {
            return;
        }
        let lifecycle = self.stages.of_pod(&pod);
        let stages = match sync_type {
            SyncPodType::Run if resumed && pod["status"]["phase"] == "Running" => after_start(&lifecycle.run),
            SyncPodType::Run => lifecycle.run.clone(),
            SyncPodType::Delete => lifecycle.delete.clone(),
        };
        let init = lifecycle.init.clone();
        if stages.is_empty() && !resumed {
            return;
        }
        let own = pod["status"]["podIP"].as_str().and_then(number).filter(|_| resumed);
        let address = before.map_or(own.unwrap_or(self.addresses + 1), |managed| {
            managed.abort(); // a pod that is being deleted is not started any more
            managed.address
        });
        self.addresses = self.addresses.max(address);
        let uid = uid.to_owned();
        let worker = PodWorker::new(self.context.clone(), pod, ip(address)).with_init(init);
        let task = self.running.spawn(run_stages::run_stages(worker, stages));
        self.pods.insert(uid, Managed { sync_type, address, task: Some(task) });
    }

    /// Writes the condition `Ready` again after another client has changed the condition of a readiness gate.
    fn obey_readiness_gates(&mut self, pod: &Received) {
        if !pod["spec"]["readinessGates"].is_array() {
            return;
        }
        if let Some(ready) = pod_conditions::ready_after_gates(pod, &self.context.clock.now()) {
            self.write_status(pod, json!({"conditions": [ready]}));
        }
    }

    /// Updates the status of a running pod after a change of its spec.
    fn catch_up(&mut self, pod: &Received) {
        if !self.pods.contains_key(pod::uid(pod)) {
            return; // this kubelet does not run it
        }
        let has_work = catch_up::reaction(pod, &self.context.clock.now()).is_some();
        if has_work && self.reacting.insert(pod::uid(pod).to_owned()) {
            let worker = PodWorker::new(self.context.clone(), pod.clone(), String::new());
            self.running.spawn(worker.catch_up());
        }
    }

    /// Writes a part of a pod's status in a task of its own.
    fn write_status(&mut self, pod: &Received, status: Value) {
        let mut worker = PodWorker::new(self.context.clone(), pod.clone(), String::new());
        self.running.spawn(async move {
            if let Err(error) = worker.write_status(status).await {
                tracing::debug!(pod = worker.name(), %error, "a part of the status could not be written");
            }
            worker.uid().to_owned()
        });
    }

    /// Returns true if a pod waits for a node, or waits for its kubelet after a scheduler has bound it.
    fn is_to_be_run(&self, pod: &Value) -> bool {
        let spec = &pod["spec"];
        let bound = spec["nodeName"].is_string();
        // A bound pod that has a status already belongs to another kubelet. Without a scheduler, every bound pod does.
        if (bound && !is_untouched(pod)) || !self.stages.schedules() {
            return !bound;
        }
        let ours = spec["schedulerName"].as_str().is_none_or(|name| name == schedule::SCHEDULER);
        // If the pod's own stages name a node instead of asking the scheduler, only unbound pods are run.
        match self.stages.of_pod(pod).schedules() {
            true => bound || ours,
            false => !bound,
        }
    }

    /// Returns true if an earlier kubelet of this cluster has started the pod and not ended it.
    fn is_to_be_resumed(&self, pod: &Value) -> bool {
        let is_bound = pod["spec"]["nodeName"].is_string();
        let status = &pod["status"];
        let has_begun =
            status["startTime"].is_string() && (status["phase"] == "Pending" || status["phase"] == "Running");
        self.earlier == Earlier::Resumed && is_bound && has_begun
    }

    /// Handles the end of a pod's task.
    fn ended(&mut self, ended: Result<String, JoinError>) {
        match ended {
            Ok(uid) => {
                tracing::trace!(uid, "the stages of a pod have ended");
                self.reacting.remove(&uid);
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

/// Returns the stages after the one that first reports that the containers run.
fn after_start(run: &Arc<[Stage]>) -> Arc<[Stage]> {
    let started = run.iter().position(Stage::starts_containers).map_or(run.len(), |at| at + 1);
    run[started..].into()
}

/// Returns true if no kubelet has begun with the pod.
fn is_untouched(pod: &Value) -> bool {
    pod["status"]["phase"] == "Pending" && pod["status"]["startTime"].is_null()
}

fn is_gated(pod: &Value) -> bool {
    pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty())
}
