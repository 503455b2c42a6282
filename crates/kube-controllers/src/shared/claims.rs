//! Decides which objects belong to an owner, such as which pods belong to a DaemonSet: adopts objects that its selector
//! matches and that have no controller, and releases objects that it no longer matches. The controllers of DaemonSets
//! and StatefulSets use it. Upstream: `pkg/controller/controller_ref_manager.go`.

use std::sync::Arc;

use kube_client::Api;
use kube_client::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube_core::Resource;
use kube_informers::cache::Index;
use kube_selectors::LabelSelector;
use serde_json::{Value, json};

use super::error::SyncError;
use super::object::{name, namespace, orphans_of, owned_by, uid};

/// An owner, which claims the objects that its selector matches.
pub(crate) struct Claims<'a> {
    pub(crate) client: &'a kube_client::Client,
    pub(crate) owner: &'a DynamicObject,
    pub(crate) kind: &'a ApiResource,
    pub(crate) selector: &'a LabelSelector,
}

impl Claims<'_> {
    /// Returns the owner's objects of a kind, from an index by [owner](super::object::owner_index). Releases objects
    /// that the selector no longer matches, and adopts matching objects that have no controller. Objects for which
    /// `fits` is false are ignored.
    pub(crate) async fn claim<T: Resource>(
        &self,
        objects: &Index<T>,
        kind: &ApiResource,
        fits: impl Fn(&T) -> bool,
    ) -> Result<Vec<Arc<T>>, SyncError> {
        let metadata = &self.owner.metadata;
        let going = metadata.deletion_timestamp.is_some();
        let mut claimed = Vec::new();
        for object in objects.get(uid(metadata)).iter().filter(|object| fits(object)) {
            if self.selector.matches(object.meta().labels.as_ref()) {
                claimed.push(object.clone());
            } else if !going {
                let no_owner = json!([{"$patch": "delete", "uid": metadata.uid}]);
                self.change_owners(&**object, kind, no_owner).await?;
            }
        }
        let free = |object: &&Arc<T>| {
            let theirs = object.meta();
            !going
                && fits(object)
                && theirs.deletion_timestamp.is_none()
                && self.selector.matches(theirs.labels.as_ref())
        };
        let orphans: Vec<_> = objects.get(&orphans_of(namespace(metadata))).iter().filter(free).cloned().collect();
        if !orphans.is_empty() {
            self.check_alive().await?;
        }
        for orphan in orphans {
            if self.change_owners(&*orphan, kind, owned_by(metadata, self.kind)).await? {
                claimed.push(orphan);
            }
        }
        Ok(claimed)
    }

    /// Asks the API server whether the owner still exists, because the cache may be stale, and a deleted owner must not
    /// adopt anything.
    async fn check_alive(&self) -> Result<(), SyncError> {
        let (metadata, owner) = (&self.owner.metadata, name(&self.owner.metadata));
        let fresh = self.api(self.kind).get(owner).await;
        let fresh = fresh.map_err(SyncError::refused(format!("look at {owner} again")))?.metadata;
        if fresh.uid != metadata.uid || fresh.deletion_timestamp.is_some() {
            return Err(SyncError::Gone(owner.to_owned()));
        }
        Ok(())
    }

    /// Patches the owner references of an object. Returns true if the object still existed.
    async fn change_owners<T: Resource>(
        &self,
        object: &T,
        kind: &ApiResource,
        owners: Value,
    ) -> Result<bool, SyncError> {
        let metadata = object.meta();
        let patch = Patch::Strategic(json!({"metadata": {"uid": metadata.uid, "ownerReferences": owners}}));
        match self.api(kind).patch(name(metadata), &PatchParams::default(), &patch).await {
            Ok(_) => Ok(true),
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(false),
            Err(error) => Err(SyncError::refused(format!("change the owner of {}", name(metadata)))(error)),
        }
    }

    fn api(&self, kind: &ApiResource) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), namespace(&self.owner.metadata), kind)
    }
}
