//! Decides what each new or changed pod needs now, and starts it. Upstream: `HandlePodAdditions` and `HandlePodUpdates`
//! in `pkg/kubelet/kubelet.go`.

use std::sync::Arc;

use tokio::task::AbortHandle;

use super::address::{ip, number};
use super::pod_worker::PodWorker;
use super::{Earlier, Kubelet, Managed, Scheduling, SyncPodType, catch_up, run_stages, schedule};
use crate::nodes::pod;
use crate::nodes::requests::Received;
use crate::nodes::stages::Stage;
use kube_machinery::value::Value;

impl Kubelet {
    /// Counts the pods that have begun, then decides which of the new ones may run beside them.
    pub(super) fn admit_all(&self, pods: &[Received]) {
        let (mut new, begun): (Vec<&Received>, Vec<&Received>) = pods.iter().partition(|pod| is_untouched(pod));
        new.sort_by_cached_key(|pod| pod::age(pod));
        begun.into_iter().chain(new).for_each(|pod| self.admit(pod));
    }

    /// Decides whether a pod that was bound without the scheduler may run, and if so counts it on its node.
    fn admit(&self, pod: &Received) {
        let Some(scheduler) = &self.context.scheduler else { return };
        if pod["spec"]["nodeName"].is_string() && self.is_to_be_run(pod) {
            scheduler.admit(pod);
        }
        scheduler.observe(pod);
    }

    /// Handles a new pod or a change of a pod.
    pub(super) fn sync_pod(&mut self, pod: Received) {
        self.admit(&pod);
        self.catch_up(&pod);
        self.start_stages(pod.clone());
        match self.pods.get(pod::uid(&pod)) {
            Some(managed) if managed.sync_type == SyncPodType::Run => self.deadlines.follow(&pod, self.context.clock),
            _ => self.deadlines.remove(pod::uid(&pod)),
        }
    }

    /// Starts the stages that a pod needs now, unless they were started already.
    fn start_stages(&mut self, pod: Received) {
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
        if before.is_some_and(|managed| managed.sync_type >= sync_type) {
            return;
        }
        let lifecycle = self.stages.of_pod(&pod);
        let stages = match sync_type {
            SyncPodType::Run if resumed && pod["status"]["phase"] == "Running" => after_start(&lifecycle.run),
            SyncPodType::Run => lifecycle.run.clone(),
            SyncPodType::Fail | SyncPodType::Delete => lifecycle.delete.clone(),
        };
        let init = lifecycle.init.clone();
        let is_new = sync_type == SyncPodType::Run && !resumed;
        let problem = is_new.then(|| self.stages.unknown_lifecycle(&pod)).flatten();
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
        let task = self.running.spawn(run_stages::run_stages(worker, stages, problem));
        self.pods.insert(uid, Managed { sync_type, address, task: Some(task) });
    }

    /// Ends the stages of a pod whose deadline has passed, and fails the pod.
    pub(super) fn fail_after_deadline(&mut self, pod: Received) {
        let Some(managed) = self.pods.get_mut(pod::uid(&pod)) else { return };
        managed.abort();
        managed.sync_type = SyncPodType::Fail;
        let worker = PodWorker::new(self.context.clone(), pod, ip(managed.address));
        managed.task = Some(self.running.spawn(worker.exceed_deadline()));
        self.context.progress.send_modify(|progress| progress.busy = self.running.len());
    }

    /// Updates the status of a pod after a change by another client.
    fn catch_up(&mut self, pod: &Received) {
        let uid = pod::uid(pod);
        let is_reacting = |task: &AbortHandle| !task.is_finished();
        if !self.pods.contains_key(uid) || self.reacting.get(uid).is_some_and(is_reacting) {
            return; // this kubelet does not run it, or a task reacts already
        }
        if catch_up::reaction(pod, &self.context.clock.now()).is_some() {
            let worker = PodWorker::new(self.context.clone(), pod.clone(), String::new());
            let task = self.running.spawn(worker.catch_up());
            self.reacting.insert(uid.to_owned(), task);
        }
    }

    /// Returns true if a pod waits for a node, or waits for its kubelet after a scheduler has bound it.
    fn is_to_be_run(&self, pod: &Value) -> bool {
        let spec = &pod["spec"];
        let bound = spec["nodeName"].is_string();
        // A bound pod that has a status already belongs to another kubelet. Without a scheduler, every bound pod does.
        if (bound && !is_untouched(pod)) || !self.stages.schedules() {
            return !bound;
        }
        let ours = self.scheduling == Scheduling::Simulated
            && spec["schedulerName"].as_str().is_none_or(|name| name == schedule::SCHEDULER);
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
}

/// Returns the stages after the one that first reports that the containers run.
fn after_start(run: &Arc<[Stage]>) -> Arc<[Stage]> {
    let started = run.iter().position(Stage::starts_containers).map_or(run.len(), |at| at + 1);
    run[started..].into()
}

/// Returns true if no kubelet has begun with the pod.
pub(super) fn is_untouched(pod: &Value) -> bool {
    pod["status"]["phase"] == "Pending" && pod["status"]["startTime"].is_null()
}

fn is_gated(pod: &Value) -> bool {
    pod["spec"]["schedulingGates"].as_array().is_some_and(|gates| !gates.is_empty())
}
