//! Decides which objects belong to an owner, such as which pods belong to a DaemonSet: adopts objects that its selector
//! matches and that have no controller, and releases objects that it no longer matches. The controllers of
//! Deployments, DaemonSets and StatefulSets use it. Upstream: `pkg/controller/controller_ref_manager.go`.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube_core::{Request, Resource};
use kube_informers::cache::Index;
use kube_selectors::LabelSelector;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::error::SyncError;
use super::object::{api, name, namespace, orphans_of, owned_by, uid};

/// An owner, which claims the objects that its selector matches.
pub(crate) struct ControllerRefManager<'a> {
    pub(crate) client: &'a Client,
    pub(crate) owner: &'a DynamicObject,
    pub(crate) kind: &'a ApiResource,
    pub(crate) selector: &'a LabelSelector,
}

impl ControllerRefManager<'_> {
    /// Returns the owner's objects of a kind, from an index by [owner](super::object::owner_index). Releases objects
    /// that the selector no longer matches, and adopts matching objects that have no controller. Objects for which
    /// `fits` is false are ignored.
    pub(crate) async fn claim<T: Resource + DeserializeOwned>(
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
                self.change_owners::<T>(object, kind, no_owner).await?;
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
            can_adopt(self.client, metadata, self.kind).await?;
        }
        for orphan in orphans {
            let adopted = self.change_owners::<T>(&orphan, kind, owned_by(metadata, self.kind)).await?;
            claimed.extend(adopted.map(Arc::new));
        }
        Ok(claimed)
    }

    /// Patches the owner references of an object. Returns the changed object, or `None` if it no longer exists. Decodes
    /// the response as a `T`, because converting that of an `Api<DynamicObject>` would compile a second decoder.
    async fn change_owners<T: Resource + DeserializeOwned>(
        &self,
        object: &T,
        kind: &ApiResource,
        owners: Value,
    ) -> Result<Option<T>, SyncError> {
        let metadata = object.meta();
        let patch = Patch::Strategic(json!({"metadata": {"uid": metadata.uid, "ownerReferences": owners}}));
        let path = DynamicObject::url_path(kind, Some(namespace(&self.owner.metadata)));
        let request = Request::new(path).patch(name(metadata), &PatchParams::default(), &patch);
        let changed = async { self.client.request(request.map_err(kube_client::Error::BuildRequest)?).await };
        match changed.await {
            Ok(changed) => Ok(Some(changed)),
            Err(kube_client::Error::Api(status)) if status.code == 404 => Ok(None),
            Err(error) => Err(SyncError::refused(format!("change the owner of {}", name(metadata)))(error)),
        }
    }
}

/// Asks the API server whether an owner still exists, because the cache may be stale, and a deleted owner must not
/// adopt anything. Upstream: `CanAdopt`, `RecheckDeletionTimestamp`.
pub(crate) async fn can_adopt(client: &Client, owner: &ObjectMeta, kind: &ApiResource) -> Result<(), SyncError> {
    let owner_name = name(owner);
    let fresh = api(client, owner, kind).get(owner_name).await;
    let fresh = fresh.map_err(SyncError::refused(format!("look at {owner_name} again")))?.metadata;
    if fresh.uid != owner.uid || fresh.deletion_timestamp.is_some() {
        return Err(SyncError::Gone(owner_name.to_owned()));
    }
    Ok(())
}
