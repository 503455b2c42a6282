//! One look at one ReplicaSet: count its pods, create or delete what is missing or too much, tell its status.

use std::sync::Arc;

use anyhow::{Context, Result};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use serde_json::json;

use super::{Controller, OWNER, pods};
use crate::cache::{ApiError, meta_namespace_key};
use crate::trace::Style;

/// The most pods that are created or deleted at a time.
const BURST: usize = 500;

impl Controller {
    /// Brings the pods of one ReplicaSet nearer to what it asks for.
    ///
    /// # Errors
    /// The API server refused something. The key is to come again, later.
    pub(super) async fn sync(&self, key: &str) -> Result<()> {
        let Ok(set) = self.sets.get(key) else {
            self.expectations.forget(key);
            self.lab.line(Style::Deleted, format_args!("{key}: gone"));
            return Ok(());
        };
        if !self.expectations.satisfied(key) {
            self.lab.line(Style::Plain, format_args!("{key}: has not seen all that it did, waits"));
            return Ok(());
        }
        let owned = self.owned(&set)?;
        if set.metadata.deletion_timestamp.is_none() {
            self.manage(key, &set, &owned).await?;
        }
        self.tell_status(key, &set, &owned).await
    }

    /// The pods that count, as the cache has them.
    fn owned(&self, set: &ReplicaSet) -> Result<Vec<Arc<Pod>>> {
        let uid = set.metadata.uid.as_deref().unwrap_or_default();
        let owned = self.pods.by_index(OWNER, uid)?;
        Ok(owned.iter().filter(|pod| pods::is_active(pod)).cloned().collect())
    }

    async fn manage(&self, key: &str, set: &ReplicaSet, owned: &[Arc<Pod>]) -> Result<()> {
        let wanted = usize::try_from(set.spec.replicas.unwrap_or(1)).unwrap_or_default();
        let line = |style, act: &str, n| {
            self.lab.line(style, format_args!("{key}: {} of {wanted} pods, {act} {n}", owned.len()));
        };
        if owned.len() < wanted {
            let missing = (wanted - owned.len()).min(BURST);
            line(Style::Added, "create", missing);
            self.create(key, set, missing).await
        } else if owned.len() > wanted {
            let mut going = owned.to_vec();
            going.sort_by_cached_key(|pod| pods::first_to_go(pod));
            going.truncate((owned.len() - wanted).min(BURST));
            line(Style::Deleted, "delete", going.len());
            self.delete(key, set, &going).await
        } else {
            Ok(())
        }
    }

    async fn create(&self, key: &str, set: &ReplicaSet, missing: usize) -> Result<()> {
        let (api, pod) = (self.api::<Pod>(set), pods::new(set)?);
        self.expectations.expect_creations(key, missing);
        for n in 0..missing {
            match api.create(&PostParams::default(), &pod).await {
                Ok(created) => {
                    self.lab.line(Style::Added, format_args!("  + {}", name(created.metadata.name.as_ref())))
                }
                Err(error) => {
                    // What was not created will not be seen.
                    (n..missing).for_each(|_| self.expectations.creation_observed(key));
                    return Err(ApiError::from(error)).with_context(|| format!("cannot create a pod of {key}"));
                }
            }
        }
        Ok(())
    }

    async fn delete(&self, key: &str, set: &ReplicaSet, going: &[Arc<Pod>]) -> Result<()> {
        let api = self.api::<Pod>(set);
        let keys: Vec<String> = going.iter().filter_map(|pod| meta_namespace_key(&**pod).ok()).collect();
        self.expectations.expect_deletions(key, keys.clone());
        let mut result = Ok(());
        for (pod, pod_key) in going.iter().zip(&keys) {
            let name = name(pod.metadata.name.as_ref());
            match api.delete(name, &DeleteParams::background()).await {
                Ok(_) => self.lab.line(Style::Deleted, format_args!("  - {name}")),
                Err(error) => {
                    self.expectations.deletion_observed(key, pod_key);
                    let gone = matches!(&error, kube::Error::Api(status) if status.code == 404);
                    if !gone {
                        result = Err(ApiError::from(error)).with_context(|| format!("cannot delete {pod_key}"));
                    }
                }
            }
        }
        result
    }

    /// Writes the status if it is not what the pods say. The version that was read goes along: who has read an old state
    /// gets a conflict, and tries again with a newer one.
    async fn tell_status(&self, key: &str, set: &ReplicaSet, owned: &[Arc<Pod>]) -> Result<()> {
        let count = |pods: usize| i32::try_from(pods).unwrap_or(i32::MAX);
        let (replicas, ready) = (count(owned.len()), count(owned.iter().filter(|pod| pods::is_ready(pod)).count()));
        let told = set.status.clone().unwrap_or_default();
        let same = (told.replicas, told.ready_replicas.unwrap_or_default()) == (replicas, ready);
        if same && told.observed_generation == set.metadata.generation {
            return Ok(());
        }
        let status = json!({
            "metadata": {"resourceVersion": set.metadata.resource_version},
            "status": {"replicas": replicas, "readyReplicas": ready, "observedGeneration": set.metadata.generation},
        });
        let set_name = name(set.metadata.name.as_ref());
        self.api::<ReplicaSet>(set)
            .patch_status(set_name, &PatchParams::default(), &Patch::Merge(status))
            .await
            .map_err(ApiError::from)
            .map_err(|error| {
                let old = error.status().is_some_and(|status| status.code == 409);
                let why = if old { ", since its cached state is a moment old: that is common" } else { "" };
                anyhow::Error::new(error).context(format!("cannot tell the status of {key}{why}"))
            })?;
        self.lab.line(Style::Updated, format_args!("{key}: status: {replicas} replicas, {ready} ready"));
        Ok(())
    }

    /// Objects of one kind in the ReplicaSet's namespace.
    fn api<K: kube::Resource<DynamicType = ()>>(&self, set: &ReplicaSet) -> Api<DynamicObject> {
        let namespace = name(set.metadata.namespace.as_ref());
        Api::namespaced_with(self.lab.client(), namespace, &ApiResource::erase::<K>(&()))
    }
}

fn name(name: Option<&String>) -> &str {
    name.map(String::as_str).unwrap_or_default()
}
