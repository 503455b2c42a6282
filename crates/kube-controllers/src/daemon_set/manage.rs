//! Keeps one pod of a DaemonSet on each node that must have one: finds the nodes that lack a pod and the pods that are
//! too many, then creates and deletes pods. It is the first step of each sync. Upstream: `manage`,
//! `podsShouldBeOnNode`, `syncNodes`.

use std::collections::HashMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, DynamicObject, PostParams};
use kube_informers::cache::ApiError;
use serde_json::json;

use super::nodes::{Decision, set_node_affinity};
use super::sync::DaemonSetSync;
use crate::shared::error::{SyncError, is_namespace_terminating};
use crate::shared::object::{api, name, owned_by};
use crate::shared::pods;
use crate::shared::recorder::Reason;
use crate::shared::revisions::POD_HASH;

/// The largest number of pods that one sync creates, and the largest number that it deletes. Upstream: `BurstReplicas`.
const BURST: usize = 250;

/// The writes of one step: the names of the nodes that get a pod, and the pods to delete.
pub(super) type Plan = (Vec<String>, Vec<Arc<Pod>>);

impl DaemonSetSync<'_> {
    /// Compares the pods of each node with the [`Decision`] about the node. Returns the nodes that lack a pod, and the
    /// pods that are too many.
    pub(super) async fn plan_pods(&self) -> Plan {
        let (mut missing, mut surplus) = (Vec::new(), Vec::new());
        for (node, decision) in &self.decisions {
            let existing = self.pods_on(node);
            match decision {
                Decision::Wanted if existing.is_empty() => missing.push(node.clone()),
                Decision::Unwanted => surplus.extend(existing.iter().filter(|pod| !pods::is_going(pod)).cloned()),
                Decision::Wanted | Decision::Kept => {
                    let running = self.sort_out_ended(node, existing, &mut surplus).await;
                    if !self.spec.surges() {
                        surplus.extend(running.into_iter().skip(1)); // the oldest pod stays
                    } else if running.is_empty() && *decision == Decision::Wanted {
                        missing.push(node.clone());
                    } else if running.len() > 1 {
                        surplus.extend(self.surplus_of(running));
                    }
                }
            }
        }
        // Pods that were created for a node which no longer exists, and are not bound to it yet, will never run.
        let of_missing_nodes =
            self.pods.iter().filter(|(node, _)| !self.decisions.contains_key(*node)).flat_map(|(_, pods)| pods);
        let unplaced = |pod: &&Arc<Pod>| pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_none());
        surplus.extend(of_missing_nodes.filter(unplaced).filter(|pod| !pods::is_going(pod)).cloned());
        (missing, surplus)
    }

    /// Returns the pods of a node that run or will run. Adds the pods that have ended to `surplus`, so they are deleted
    /// and replaced; a failed pod stays until its back-off is over.
    async fn sort_out_ended(&self, node: &str, existing: &[Arc<Pod>], surplus: &mut Vec<Arc<Pod>>) -> Vec<Arc<Pod>> {
        let mut running = Vec::new();
        for pod in existing.iter().filter(|pod| !pods::is_going(pod)) {
            let (reason, word, end) = match pods::phase(pod) {
                "Failed" => {
                    if let Some(left) = self.controller.backoffs.next(self.key, node) {
                        self.controller.queue.add_after(self.key.to_owned(), left);
                        continue;
                    }
                    (Reason::FailedDaemonPod, "failed", "kill")
                }
                "Succeeded" => (Reason::SucceededDaemonPod, "succeeded", "delete"),
                _ => {
                    running.push(pod.clone());
                    continue;
                }
            };
            let (namespace, name) = (pod.metadata.namespace.as_deref().unwrap_or_default(), name(&pod.metadata));
            let message = format!("Found {word} daemon pod {namespace}/{name} on node {node}, will try to {end} it");
            self.controller.recorder.record(&self.set.metadata, reason, message).await;
            surplus.push(pod.clone());
        }
        running
    }

    /// Returns the surplus pods of a node that may have a new pod beside the old one. The oldest new pod and the oldest
    /// old pod may coexist until the new one is available or the old one is not ready.
    fn surplus_of(&self, running: Vec<Arc<Pod>>) -> Vec<Arc<Pod>> {
        let (mut firsts, mut surplus) = (HashMap::new(), Vec::new());
        for pod in running {
            match firsts.entry(self.is_new(&pod)) {
                std::collections::hash_map::Entry::Vacant(entry) => drop(entry.insert(pod)),
                std::collections::hash_map::Entry::Occupied(_) => surplus.push(pod),
            }
        }
        if let (Some(new), Some(old)) = (firsts.get(&true), firsts.get(&false))
            && (!pods::is_ready(old) || self.is_available(new))
        {
            surplus.push(old.clone());
        }
        surplus
    }

    /// Creates a pod on each of the `missing` nodes, and deletes the `surplus` pods.
    pub(super) async fn apply(&self, missing: Vec<String>, surplus: Vec<Arc<Pod>>) -> Result<(), SyncError> {
        let controller = self.controller;
        let api = api(&controller.client, &self.set.metadata, &controller.kind_of_pods);
        for node in missing.iter().take(BURST) {
            let created = match api.create(&PostParams::default(), &self.new_pod(node)).await {
                Ok(created) => created,
                Err(error) => {
                    let error = ApiError::from(error);
                    if is_namespace_terminating(&error) {
                        break; // the other pods would be refused, too
                    }
                    self.record(Reason::FailedCreate, format!("Error creating: {error}")).await;
                    return Err(SyncError::refused(format!("create a pod of {}", self.key))(error));
                }
            };
            controller.pod_writes.wrote(self.key, created.metadata.resource_version.clone());
            self.record(Reason::SuccessfulCreate, format!("Created pod: {}", name(&created.metadata))).await;
        }
        for pod in surplus.iter().take(BURST) {
            let pod_name = name(&pod.metadata);
            match api.delete(pod_name, &DeleteParams::background()).await {
                Ok(deleted) => {
                    if let Some(going) = deleted.left() {
                        controller.pod_writes.wrote(self.key, going.metadata.resource_version);
                    }
                }
                Err(kube_client::Error::Api(status)) if status.code == 404 => continue,
                Err(error) => return Err(SyncError::refused(format!("delete a pod of {}", self.key))(error)),
            }
            self.record(Reason::SuccessfulDelete, format!("Deleted pod: {pod_name}")).await;
        }
        if missing.len().max(surplus.len()) > BURST {
            // The next sync does the rest.
            controller.queue.add(self.key.to_owned());
        }
        Ok(())
    }

    async fn record(&self, reason: Reason, message: String) {
        self.controller.recorder.record(&self.set.metadata, reason, message).await;
    }

    /// Returns a new pod for a node. The server generates its name.
    fn new_pod(&self, node: &str) -> DynamicObject {
        let template = &self.set.data["spec"]["template"]["metadata"];
        let (mut labels, mut spec) = (template["labels"].clone(), self.pod_spec.clone());
        labels[POD_HASH] = json!(self.hash);
        // The API server counts the changes of the template in this annotation. As upstream, each pod has the count as a
        // label.
        let generation = "deprecated.daemonset.template.generation";
        if let Some(count) = self.set.metadata.annotations.as_ref().and_then(|all| all.get(generation)) {
            labels["pod-template-generation"] = json!(count);
        }
        set_node_affinity(&mut spec, node);
        let metadata = json!({
            "labels": labels, "annotations": template["annotations"], "finalizers": template["finalizers"],
            "generateName": format!("{}-", name(&self.set.metadata)),
            "ownerReferences": owned_by(&self.set.metadata, &self.controller.kind),
        });
        let mut pod = DynamicObject::new("", &self.controller.kind_of_pods).data(json!({ "spec": spec }));
        pod.metadata = serde_json::from_value(metadata).unwrap_or_default();
        pod
    }
}
