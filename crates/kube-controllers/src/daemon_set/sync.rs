//! One sync of a DaemonSet, which is one comparison of the DaemonSet with its pods and nodes: collects the state, lets
//! `manage.rs` and `roll.rs` plan the writes, and writes the status. Upstream: `updateDaemonSet`,
//! `updateDaemonSetStatus`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use serde_json::{Value, json};

use super::Controller;
use super::nodes::{Decision, decide, target_node, with_daemon_tolerations};
use super::spec::Spec;
use crate::shared::error::SyncError;
use crate::shared::object::{api, name};
use crate::shared::pods;
use crate::shared::revisions::{History, POD_HASH};
use crate::shared::status;

pub(super) struct DaemonSetSync<'a> {
    pub(super) controller: &'a Controller,
    pub(super) key: &'a str,
    pub(super) set: Arc<DynamicObject>,
    pub(super) spec: Spec,
    /// The pod spec of the template, with the tolerations of daemon pods.
    pub(super) pod_spec: Value,
    pub(super) decisions: BTreeMap<String, Decision>,
    /// The pods by the node that they are on or were created for. The pods of a node are sorted: bound pods first, then
    /// oldest first. Ended pods that are being deleted are left out, so a pod that only a finalizer keeps does not hold
    /// up its replacement.
    pub(super) pods: BTreeMap<String, Vec<Arc<Pod>>>,
    /// The hash of the current template. The pods made from that template have it as a label.
    pub(super) hash: &'a str,
    /// True if no write of a pod failed, so the status may report this generation.
    finished: bool,
}

impl<'a> DaemonSetSync<'a> {
    pub(super) fn new(
        controller: &'a Controller,
        key: &'a str,
        set: Arc<DynamicObject>,
        nodes: Vec<Arc<DynamicObject>>,
        all: Vec<Arc<Pod>>,
        hash: &'a str,
    ) -> Self {
        let pod_spec = with_daemon_tolerations(&set.data["spec"]["template"]["spec"]);
        let spec = pod_spec.clone().into();
        let decisions: BTreeMap<_, _> =
            nodes.iter().map(|node| (name(&node.metadata).to_owned(), decide(&spec, node))).collect();
        let wanted = decisions.values().filter(|decision| **decision == Decision::Wanted).count();
        let spec = Spec::of(&set, i64::try_from(wanted).unwrap_or(i64::MAX));
        let mut pods: BTreeMap<String, Vec<Arc<Pod>>> = BTreeMap::new();
        for pod in all.into_iter().filter(|pod| !(pods::has_ended(pod) && pods::is_going(pod))) {
            pods.entry(target_node(&pod).unwrap_or_default().to_owned()).or_default().push(pod);
        }
        pods.values_mut().for_each(|pods| pods.sort_by_cached_key(|pod| bound_then_oldest(pod)));
        Self { controller, key, set, spec, pod_spec, decisions, pods, hash, finished: false }
    }

    /// Creates missing pods and deletes surplus ones. If nothing was missing or surplus, does the next step of a
    /// rolling update.
    pub(super) async fn advance(&mut self, history: &History) -> Result<(), SyncError> {
        let (missing, surplus) = self.plan_pods().await;
        let quiet = missing.is_empty() && surplus.is_empty();
        self.apply(missing, surplus).await?;
        if quiet && let Some(rolling) = self.spec.rolling {
            let (missing, surplus) =
                if rolling.surge > 0 { self.plan_surge(rolling) } else { self.plan_replacements(rolling) };
            self.apply(missing, surplus).await?;
        }
        self.finished = true;
        let hashes = self.pods.values().flatten().map(|pod| pods::label(pod, POD_HASH).to_owned());
        let in_use: HashSet<String> = hashes.collect();
        self.controller.revisions.clean_up(self.key, history, self.spec.history, &in_use).await
    }

    pub(super) fn is_available(&self, pod: &Pod) -> bool {
        pods::is_available(pod, self.spec.min_ready_seconds, self.controller.clock.time())
    }

    /// Returns true if a pod was made from the current template.
    pub(super) fn is_new(&self, pod: &Pod) -> bool {
        pods::label(pod, POD_HASH) == self.hash
    }

    /// Returns the nodes that an update concerns: those that must have a pod, and those that have one.
    pub(super) fn relevant_nodes(&self) -> BTreeSet<&str> {
        let wanted = self.decisions.iter().filter(|(_, decision)| **decision == Decision::Wanted);
        wanted.map(|(node, _)| node).chain(self.pods.keys()).map(String::as_str).collect()
    }

    pub(super) fn pods_on(&self, node: &str) -> &[Arc<Pod>] {
        self.pods.get(node).map_or(&[], Vec::as_slice)
    }

    pub(super) async fn write_status(&self) -> Result<(), SyncError> {
        let status = self.status();
        let mut all = self.pods.values().flatten();
        if all.any(|pod| pods::is_ready(pod) && !self.is_available(pod)) {
            let time = Duration::from_secs(self.spec.min_ready_seconds.unsigned_abs() + 1);
            self.controller.queue.add_after(self.key.to_owned(), time); // no event says that time has passed
        }
        if status::is_up_to_date(&self.set.data["status"], &status) {
            return Ok(());
        }
        let (controller, metadata) = (self.controller, &self.set.metadata);
        let api = api(&controller.client, metadata, &controller.kind);
        status::write(&api, metadata, json!({ "status": status }), self.key, &controller.statuses).await.map(drop)
    }

    fn status(&self) -> Value {
        let wanted = self.decisions.iter().filter(|(_, decision)| **decision == Decision::Wanted);
        // The oldest pod of each node that must have one: the status counts nodes, so one pod for each.
        let firsts: Vec<Option<&Arc<Pod>>> = wanted.map(|(node, _)| self.pods_on(node).first()).collect();
        let count = |holds: &dyn Fn(&Pod) -> bool| firsts.iter().flatten().filter(|pod| holds(pod)).count();
        let available = count(&|pod| self.is_available(pod));
        let unwanted = self.decisions.iter().filter(|(_, decision)| **decision != Decision::Wanted);
        let mut status = json!({
            "desiredNumberScheduled": firsts.len(),
            "currentNumberScheduled": count(&|_| true),
            "numberMisscheduled": unwanted.filter(|(node, _)| !self.pods_on(node).is_empty()).count(),
            "numberReady": count(&pods::is_ready),
            "updatedNumberScheduled": count(&|pod| self.is_new(pod)),
            "numberAvailable": available,
            "numberUnavailable": firsts.len() - available,
        });
        if self.finished {
            status["observedGeneration"] = json!(self.set.metadata.generation);
        }
        status
    }
}

/// The sort key of pods: those with a node first, then oldest first. Upstream: `podByCreationTimestampAndPhase`.
fn bound_then_oldest(pod: &Pod) -> impl Ord + use<> {
    let is_bound = pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some());
    (!is_bound, pod.metadata.creation_timestamp.as_ref().map(|time| time.0), pod.metadata.name.clone())
}
