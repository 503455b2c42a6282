//! One sync of a ReplicaSet: claims its pods, creates missing pods or deletes surplus ones, and writes the status.
//! Upstream: `syncReplicaSet`.

use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube_client::Api;
use kube_client::api::{ApiResource, DeleteParams, DynamicObject, PostParams};

use super::observer::SyncEvent;
use super::spec::{self, wanted};
use super::status::{Counts, patch};
use super::{Controller, Writes, pods, rank};
use crate::shared::error::{SyncError, is_namespace_terminating};
use crate::shared::object::{api, name, namespace};
use crate::shared::recorder::Reason;
use crate::shared::slim_pod::SlimPod;
use crate::shared::status;
use kube_informers::cache::{ApiError, meta_namespace_key, with_causes};

/// The largest number of pods that one sync creates or deletes. Upstream: `BurstReplicas`.
const BURST: usize = 500;

impl Controller {
    /// Reconciles one ReplicaSet: brings the number of its pods closer to the wanted number, and writes its status.
    ///
    /// # Errors
    /// A request failed, or the ReplicaSet has an invalid selector or no template. The caller must queue the key again.
    pub async fn sync(&self, key: &str) -> Result<(), SyncError> {
        self.statuses.wait_for(key, &self.set_informer.reader()).await;
        let Ok(set) = self.sets.get(key) else {
            self.expectations.forget(key);
            self.availability.forget(key);
            self.observer.report(SyncEvent::Gone { set: key });
            return Ok(());
        };
        if !self.expectations.satisfied(key) {
            self.observer.report(SyncEvent::Waits { set: key });
            return Ok(());
        }
        let owned = self.claim(&set).await?;
        let managed = match set.metadata.deletion_timestamp {
            None => self.manage(key, &set, &owned).await,
            Some(_) => Ok(()),
        };
        self.write_status(key, &set, &owned, managed.as_ref().err()).await?;
        managed
    }

    /// Creates missing pods or deletes surplus ones. Upstream: `manageReplicas`.
    async fn manage(&self, key: &str, set: &ReplicaSet, owned: &[Arc<SlimPod>]) -> Result<(), SyncError> {
        let (existing, wanted) = (owned.len(), wanted(set));
        if existing < wanted {
            let count = (wanted - existing).min(BURST);
            self.observer.report(SyncEvent::Creates { set: key, existing, wanted, count });
            self.create(key, set, count).await
        } else if existing > wanted {
            let mut going = owned.to_vec();
            rank::sort_by_deletion_order(&mut going, &self.related(set));
            going.truncate((existing - wanted).min(BURST));
            self.observer.report(SyncEvent::Deletes { set: key, existing, wanted, count: going.len() });
            self.delete(key, set, &going).await
        } else {
            Ok(())
        }
    }

    /// Creates pods by slow start: one pod, then two, then four at a time. Stops after the first batch with a failure,
    /// because the reason of a refusal is most likely the same for all pods.
    async fn create(&self, key: &str, set: &ReplicaSet, missing: usize) -> Result<(), SyncError> {
        let (api, pod) = (Api::namespaced(self.client.clone(), namespace(&set.metadata)), pods::new(set, &self.kind)?);
        self.expectations.expect_creations(key, missing);
        let (mut left, mut batch) = (missing, 1); // the pods that are not tried yet, and the size of the next batch
        while left > 0 {
            batch = batch.min(left);
            let creations = (0..batch).map(|_| self.create_one(key, set, &api, &pod));
            let created = self.write_all(creations).await;
            left -= batch;
            if let Err(error) = created {
                // The informer will not see the pods whose creation was not tried.
                (0..left).for_each(|_| self.expectations.creation_observed(key));
                return if error.is_namespace_terminating() { Ok(()) } else { Err(error) };
            }
            batch *= 2;
        }
        Ok(())
    }

    async fn create_one(&self, key: &str, set: &ReplicaSet, api: &Api<Pod>, pod: &Pod) -> Result<(), SyncError> {
        match api.create(&PostParams::default(), pod).await {
            Ok(created) => {
                let pod = name(&created.metadata);
                self.observer.report(SyncEvent::Created { pod });
                self.record(set, Reason::SuccessfulCreate, || format!("Created pod: {pod}")).await;
                Ok(())
            }
            Err(error) => {
                self.expectations.creation_observed(key); // this pod will not be seen
                let error = ApiError::from(error);
                if !is_namespace_terminating(&error) {
                    self.record(set, Reason::FailedCreate, || format!("Error creating: {error}")).await;
                }
                Err(SyncError::refused(format!("create a pod of {key}"))(error))
            }
        }
    }

    async fn record(&self, set: &ReplicaSet, reason: Reason, message: impl FnOnce() -> String) {
        if let Some(recorder) = &self.recorder {
            recorder.record(&set.metadata, reason, message()).await;
        }
    }

    async fn delete(&self, key: &str, set: &ReplicaSet, going: &[Arc<SlimPod>]) -> Result<(), SyncError> {
        let api = api(&self.client, &set.metadata, &ApiResource::erase::<Pod>(&()));
        let keys: Vec<String> = going.iter().map(|pod| meta_namespace_key(&**pod)).collect();
        self.expectations.expect_deletions(key, keys.clone());
        let deletions = going.iter().zip(&keys).map(|(pod, pod_key)| self.delete_one(key, set, &api, pod, pod_key));
        self.write_all(deletions).await
    }

    /// Performs all writes, even after a failure. Returns the first error.
    async fn write_all(
        &self,
        writes: impl Iterator<Item = impl Future<Output = Result<(), SyncError>>>,
    ) -> Result<(), SyncError> {
        match self.writes {
            Writes::Together => join_all(writes).await.into_iter().collect(),
            Writes::OneByOne => {
                let mut all = Ok(());
                for write in writes {
                    all = all.and(write.await);
                }
                all
            }
        }
    }

    async fn delete_one(
        &self,
        key: &str,
        set: &ReplicaSet,
        api: &Api<DynamicObject>,
        pod: &SlimPod,
        pod_key: &str,
    ) -> Result<(), SyncError> {
        let name = pod.name();
        match api.delete(name, &DeleteParams::background()).await {
            Ok(_) => {
                self.observer.report(SyncEvent::Deleted { pod: name });
                self.record(set, Reason::SuccessfulDelete, || format!("Deleted pod: {name}")).await;
            }
            Err(error) => {
                self.expectations.deletion_observed(key, pod_key);
                if !is_status(&error, 404) {
                    let error = ApiError::from(error);
                    self.record(set, Reason::FailedDelete, || format!("Error deleting: {error}")).await;
                    return Err(SyncError::refused(format!("delete {pod_key}"))(error));
                }
            }
        }
        Ok(())
    }

    /// Writes the status if it has changed, and queues the key again for the next pod that becomes available.
    async fn write_status(
        &self,
        key: &str,
        set: &ReplicaSet,
        owned: &[Arc<SlimPod>],
        failure: Option<&SyncError>,
    ) -> Result<(), SyncError> {
        let minimum = Duration::from_secs(spec::min_ready_seconds(set));
        let available = self.availability.count(key, owned, minimum);
        if let Some(next) = available.next {
            self.queue.add_after(key.to_owned(), next); // no event says that time has passed
        }
        let counts = Counts::of(set, owned, available.count);
        let reason = if owned.len() < wanted(set) { "FailedCreate" } else { "FailedDelete" };
        let failure = failure.map(|error| (reason, with_causes(error).to_string()));
        let Some(patch) = patch(set, counts, failure, &self.clock) else { return Ok(()) };
        let api = api(&self.client, &set.metadata, &self.kind);
        status::write(&api, &set.metadata, patch, key, &self.statuses).await?;
        self.observer.report(SyncEvent::Status { set: key, replicas: counts.replicas, ready: counts.ready });
        Ok(())
    }
}

pub(super) fn is_status(error: &kube_client::Error, code: u16) -> bool {
    matches!(error, kube_client::Error::Api(status) if status.code == code)
}
