//! Keeps as many pods of a Job active as it asks for now: creates missing pods and deletes surplus ones. A pod is
//! active if it has not ended and is not being deleted. Upstream: `manageJob`.

use std::collections::HashSet;
use std::sync::Arc;

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::{DeleteParams, DynamicObject, PostParams};
use kube_core::{Request, Resource};
use kube_informers::cache::ApiError;
use serde_json::{Value, json};

use super::pods::{self, INDEX, TRACKED};
use super::sync::JobSync;
use crate::shared::error::{SyncError, is_namespace_terminating};
use crate::shared::object::{api, name, namespace, owned_by};
use crate::shared::recorder::Reason;

/// The largest number of pods that one sync creates or deletes. Upstream: `MaxPodCreateDeletePerSync`.
const BURST: usize = 500;

impl JobSync<'_> {
    /// Deletes surplus pods or, if there are none, creates missing pods.
    pub(super) async fn manage(&mut self) -> Result<(), SyncError> {
        let existing = self.active.len();
        let wanted = usize::try_from(self.wanted()).unwrap_or_default();
        let mut surplus = self.misplaced();
        // Beside the misplaced pods, enough others are deleted to get down to the wanted number.
        surplus.extend(self.least_missed(&surplus, existing.saturating_sub(surplus.len() + wanted)));
        if !surplus.is_empty() {
            surplus.truncate(BURST);
            return self.remove(surplus).await;
        }
        // With `podReplacementPolicy: Failed`, a pod that is being deleted is replaced only once it has ended.
        let held =
            if self.spec.replaces_ended_only { usize::try_from(self.terminating).unwrap_or_default() } else { 0 };
        let missing = wanted.saturating_sub(existing + held).min(BURST);
        if missing == 0 {
            return Ok(());
        }
        let failures = self.newly_failed().count();
        let wait = self.controller.backoffs.left(self.key);
        if failures > 0 || !wait.is_zero() {
            self.requeue_after(wait); // a new failure is counted first, which begins the back-off
            return Ok(());
        }
        self.create(missing).await
    }

    /// Returns the number of active pods that there should be.
    fn wanted(&self) -> i64 {
        let existing = i64::try_from(self.active.len()).unwrap_or(i64::MAX);
        match self.spec.completions {
            _ if self.spec.suspended => 0,
            None if self.succeeded() > 0 => existing, // one success is enough, so no pod is replaced
            None => self.spec.parallelism,
            Some(completions) => (completions - self.succeeded()).clamp(0, self.spec.parallelism),
        }
    }

    /// Returns the active pods of an indexed Job whose index is missing, out of range, done already, or taken by
    /// another pod.
    fn misplaced(&self) -> Vec<Arc<Pod>> {
        if !self.spec.indexed {
            return Vec::new();
        }
        let (done, completions) = (self.done_indexes(), self.spec.completions.unwrap_or_default());
        let mut taken = HashSet::new();
        let mut is_right = |index: i64| index < completions && !done.contains(&index) && taken.insert(index);
        let misplaced = self.active.iter().filter(|pod| !pods::index(pod).is_some_and(&mut is_right));
        misplaced.cloned().collect()
    }

    /// Returns up to `count` active pods that are not in `without`, the least valuable first.
    fn least_missed(&self, without: &[Arc<Pod>], count: usize) -> Vec<Arc<Pod>> {
        let is_other = |pod: &&Arc<Pod>| !without.iter().any(|one| pods::uid(one) == pods::uid(pod));
        let mut others: Vec<_> = self.active.iter().filter(is_other).cloned().collect();
        others.sort_by_cached_key(|pod| pods::loss(pod));
        others.truncate(count);
        others
    }

    /// Deletes pods that will not be counted, so they lose their finalizer first.
    async fn remove(&mut self, surplus: Vec<Arc<Pod>>) -> Result<(), SyncError> {
        for pod in surplus {
            self.controller.untrack(&self.job, &pod).await?;
            self.delete(&pod).await?;
        }
        Ok(())
    }

    /// Deletes all active pods of a Job that ends.
    pub(super) async fn end_active(&mut self) -> Result<(), SyncError> {
        for pod in self.active.clone() {
            self.delete(&pod).await?;
        }
        Ok(())
    }

    async fn delete(&mut self, pod: &Arc<Pod>) -> Result<(), SyncError> {
        let pod_name = name(&pod.metadata);
        let api = api(&self.controller.client, &self.job.metadata, &self.controller.kind_of_pods);
        match api.delete(pod_name, &DeleteParams::background()).await {
            Ok(deleted) => {
                if let Some(going) = deleted.left() {
                    self.controller.pod_writes.wrote(self.key, going.metadata.resource_version);
                    self.terminating += 1;
                }
            }
            Err(kube_client::Error::Api(status)) if status.code == 404 => {}
            Err(error) => return Err(SyncError::refused(format!("delete a pod of {}", self.key))(error)),
        }
        self.active.retain(|active| pods::uid(active) != pods::uid(pod));
        self.record(Reason::SuccessfulDelete, format!("Deleted pod: {pod_name}")).await;
        Ok(())
    }

    /// Creates pods; for an indexed Job, one for each of the lowest free indexes.
    async fn create(&mut self, missing: usize) -> Result<(), SyncError> {
        let indexes = if self.spec.indexed { self.free_indexes(missing) } else { vec![None; missing] };
        for index in indexes {
            let created = match self.send(&self.new_pod(index)).await {
                Ok(created) => created,
                Err(error) => {
                    let error = ApiError::from(error);
                    if is_namespace_terminating(&error) {
                        return Ok(()); // the other pods would be refused, too
                    }
                    self.record(Reason::FailedCreate, format!("Error creating: {error}")).await;
                    return Err(SyncError::refused(format!("create a pod of {}", self.key))(error));
                }
            };
            self.controller.pod_writes.wrote(self.key, created.metadata.resource_version.clone());
            let message = format!("Created pod: {}", name(&created.metadata));
            self.active.push(Arc::new(created));
            self.record(Reason::SuccessfulCreate, message).await;
        }
        Ok(())
    }

    /// Creates a pod, and decodes the response as a `Pod`. Converting the response of an `Api<DynamicObject>` to a
    /// `Pod` would compile a second decoder of all its types into every program.
    async fn send(&self, pod: &DynamicObject) -> Result<Pod, kube_client::Error> {
        let path = DynamicObject::url_path(&self.controller.kind_of_pods, Some(namespace(&self.job.metadata)));
        let body = serde_json::to_vec(pod).map_err(kube_client::Error::SerdeError)?;
        let request =
            Request::new(path).create(&PostParams::default(), body).map_err(kube_client::Error::BuildRequest)?;
        self.controller.client.request(request).await
    }

    /// Returns the lowest indexes that are neither done nor in progress. Upstream: `firstPendingIndexes`.
    fn free_indexes(&self, count: usize) -> Vec<Option<i64>> {
        let mut taken = self.done_indexes();
        let held = self.pods.iter().filter(|pod| {
            let waits = self.spec.replaces_ended_only && pods::is_going(pod) && !pods::has_ended(pod);
            pods::is_active(pod) || waits
        });
        taken.extend(held.filter_map(|pod| pods::index(pod)));
        let all = 0..self.spec.completions.unwrap_or_default();
        all.filter(|index| !taken.contains(index)).take(count).map(Some).collect()
    }

    /// Returns a new pod from the Job's template. The server generates its name.
    fn new_pod(&self, index: Option<i64>) -> DynamicObject {
        let template = &self.job.data["spec"]["template"];
        let (mut metadata, mut spec) = (template["metadata"].clone(), template["spec"].clone());
        let job_name = name(&self.job.metadata);
        let mut prefix = format!("{job_name}-");
        if let Some(index) = index {
            metadata["annotations"][INDEX] = json!(index.to_string());
            metadata["labels"][INDEX] = json!(index.to_string());
            spec["hostname"] = json!(format!("{job_name}-{index}"));
            prefix = format!("{job_name}-{index}-");
            for field in ["initContainers", "containers"] {
                spec[field].as_array_mut().into_iter().flatten().for_each(add_index_variable);
            }
        }
        let mut finalizers = metadata["finalizers"].as_array().cloned().unwrap_or_default();
        if !finalizers.iter().any(|name| name == TRACKED) {
            finalizers.push(json!(TRACKED));
        }
        let metadata = json!({
            "labels": metadata["labels"], "annotations": metadata["annotations"], "finalizers": finalizers,
            "generateName": prefix, "ownerReferences": owned_by(&self.job.metadata, &self.controller.kind),
        });
        let mut pod = DynamicObject::new("", &self.controller.kind_of_pods).data(json!({ "spec": spec }));
        pod.metadata = serde_json::from_value(metadata).unwrap_or_default();
        pod
    }
}

fn add_index_variable(container: &mut Value) {
    const VARIABLE: &str = "JOB_COMPLETION_INDEX";
    if container["env"].is_null() {
        container["env"] = json!([]);
    }
    let Some(variables) = container["env"].as_array_mut() else { return };
    if !variables.iter().any(|variable| variable["name"] == VARIABLE) {
        let field = json!({"fieldPath": format!("metadata.labels['{INDEX}']")});
        variables.push(json!({"name": VARIABLE, "valueFrom": {"fieldRef": field}}));
    }
}
