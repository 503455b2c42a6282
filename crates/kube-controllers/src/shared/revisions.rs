//! Revisions: for each pod template that a DaemonSet or StatefulSet has had, an object ControllerRevision holds a copy.
//! A sync compares pods with revisions to tell new pods from old ones, and `kubectl rollout undo` returns to an earlier
//! template. Upstream: `pkg/controller/history`, `pkg/controller/daemon/update.go`.

use std::collections::HashSet;
use std::sync::Arc;

use k8s_openapi::api::apps::v1::ControllerRevision;
use kube_client::api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use kube_informers::cache::{Error, Index, SharedIndexInformer, SharedInformerFactory};
use kube_selectors::LabelSelector;
use serde_json::{Value, json};

use super::controller_ref_manager::ControllerRefManager;
use super::error::SyncError;
use super::hash::hash;
use super::object::{api, controller, name, number, owned_by, owner_index, uid};
use super::own_writes::OwnWrites;

/// The label of a pod with its revision: the revision's hash for a DaemonSet, its name for a StatefulSet.
pub(crate) const POD_HASH: &str = "controller-revision-hash";

/// The index of revisions by the uid of their controller.
const OWNER: &str = "owner";

/// The revisions of all owners of a kind.
pub(crate) struct Revisions {
    client: kube_client::Client,
    kind: ApiResource,
    /// The kind of the owners.
    owners: ApiResource,
    /// The label of a revision that contains its hash.
    label: &'static str,
    pub(crate) informer: SharedIndexInformer<DynamicObject>,
    by_owner: Index<DynamicObject>,
    writes: OwnWrites,
}

/// The revisions of one owner.
pub(crate) struct History {
    /// The revision of the owner's current template.
    pub(crate) current: Arc<DynamicObject>,
    /// The other revisions, oldest first.
    pub(crate) old: Vec<Arc<DynamicObject>>,
}

impl Revisions {
    pub(crate) fn new(
        client: kube_client::Client,
        owners: ApiResource,
        label: &'static str,
        factory: &SharedInformerFactory,
    ) -> Result<Self, Error> {
        let kind = ApiResource::erase::<ControllerRevision>(&());
        let informer = factory.dynamic_informer(&kind);
        let by_owner = informer.index(OWNER, |revision| owner_index(&revision.metadata))?;
        Ok(Self { client, kind, owners, label, informer, by_owner, writes: OwnWrites::default() })
    }

    /// Returns true if the cache has the last write for an owner.
    pub(crate) async fn has_caught_up(&self, key: &str) -> bool {
        self.writes.has_caught_up(key, &self.informer.reader()).await
    }

    pub(crate) fn forget(&self, key: &str) {
        self.writes.forget(key);
    }

    pub(crate) fn hash_of<'a>(&self, revision: &'a DynamicObject) -> &'a str {
        let labels = revision.metadata.labels.as_ref();
        labels.and_then(|labels| labels.get(self.label)).map(String::as_str).unwrap_or_default()
    }

    /// Returns the revisions of an owner. Creates the revision of the current template if it is missing; if it exists,
    /// as after an `undo`, makes its number the highest.
    pub(crate) async fn history(
        &self,
        key: &str,
        owner: &DynamicObject,
        selector: &LabelSelector,
    ) -> Result<History, SyncError> {
        let manager = ControllerRefManager { client: &self.client, owner, kind: &self.owners, selector };
        let mut all = manager.claim(&self.by_owner, &self.kind, |_| true).await?;
        all.sort_by_cached_key(|revision| (revision_of(revision), revision.metadata.name.clone()));
        let data = data(owner);
        let (same, old): (Vec<_>, Vec<_>) = all.into_iter().partition(|revision| revision.data["data"] == data);
        let next = old.last().map_or(0, |last| revision_of(last)) + 1;
        let current = match same.last() {
            None => self.create(key, owner, data, next).await?,
            Some(same) if revision_of(same) < next => self.renumber(key, same, next).await?,
            Some(same) => same.clone(),
        };
        Ok(History { current, old })
    }

    /// Deletes the oldest of the old revisions if there are more than `keep`, except revisions that pods still use.
    pub(crate) async fn clean_up(
        &self,
        key: &str,
        history: &History,
        keep: i64,
        in_use: &HashSet<String>,
    ) -> Result<(), SyncError> {
        let surplus = history.old.len().saturating_sub(usize::try_from(keep).unwrap_or_default());
        // The pods of a DaemonSet refer to a revision by its hash, those of a StatefulSet by its name.
        let is_free = |revision: &&Arc<DynamicObject>| {
            !in_use.contains(self.hash_of(revision)) && !in_use.contains(name(&revision.metadata))
        };
        for revision in history.old.iter().filter(is_free).take(surplus) {
            let api = api(&self.client, &revision.metadata, &self.kind);
            match api.delete(name(&revision.metadata), &DeleteParams::default()).await {
                Err(kube_client::Error::Api(status)) if status.code == 404 => {}
                deleted => drop(deleted.map_err(SyncError::refused(format!("delete an old revision of {key}")))?),
            }
        }
        Ok(())
    }

    async fn create(
        &self,
        key: &str,
        owner: &DynamicObject,
        data: Value,
        number: i64,
    ) -> Result<Arc<DynamicObject>, SyncError> {
        let collisions = owner.data["status"]["collisionCount"].as_i64();
        let revision = self.new_revision(owner, data, number, collisions);
        let api = api(&self.client, &owner.metadata, &self.kind);
        match api.create(&PostParams::default(), &revision).await {
            Ok(created) => {
                self.writes.wrote(key, created.metadata.resource_version.clone());
                Ok(Arc::new(created))
            }
            Err(kube_client::Error::Api(status)) if status.code == 409 => self.collide(owner, &revision).await,
            Err(error) => Err(SyncError::refused(format!("create a revision of {key}"))(error)),
        }
    }

    fn new_revision(&self, owner: &DynamicObject, data: Value, number: i64, collisions: Option<i64>) -> DynamicObject {
        let metadata = &owner.metadata;
        let template = &owner.data["spec"]["template"];
        let hash = hash(template, collisions);
        let labels = &template["metadata"]["labels"];
        let mut revision = DynamicObject::new(&format!("{}-{hash}", name(metadata)), &self.kind);
        revision.data = json!({"data": data, "revision": number});
        revision.metadata.namespace.clone_from(&metadata.namespace);
        revision.metadata.annotations.clone_from(&metadata.annotations);
        revision.metadata.labels = serde_json::from_value(labels.clone()).ok();
        revision.metadata.labels.get_or_insert_default().insert(self.label.to_owned(), hash);
        revision.metadata.owner_references = serde_json::from_value(owned_by(metadata, &self.owners)).ok();
        revision
    }

    /// Handles the case that the name of a new revision is taken. If the existing object is that revision, the cache
    /// was late. If not, two templates have the same hash: counts the collision, so the next sync computes another
    /// hash.
    async fn collide(&self, owner: &DynamicObject, wanted: &DynamicObject) -> Result<Arc<DynamicObject>, SyncError> {
        let taken_name = name(&wanted.metadata);
        let existing = api(&self.client, &owner.metadata, &self.kind).get(taken_name).await;
        let existing = existing.map_err(SyncError::refused(format!("look at the revision {taken_name}")))?;
        let ours = controller(&existing.metadata).is_some_and(|one| one.uid == uid(&owner.metadata));
        if ours && existing.data["data"] == wanted.data["data"] {
            return Ok(Arc::new(existing));
        }
        let count = number(owner, "/status/collisionCount") + 1;
        let patch = json!({
            "metadata": {"resourceVersion": owner.metadata.resource_version}, "status": {"collisionCount": count},
        });
        let owners = api(&self.client, &owner.metadata, &self.owners);
        let written = owners.patch_status(name(&owner.metadata), &PatchParams::default(), &Patch::Merge(patch)).await;
        written.map_err(SyncError::refused(format!("count the collision of {taken_name}")))?;
        Err(SyncError::Taken(taken_name.to_owned()))
    }

    /// Gives a revision another number.
    async fn renumber(
        &self,
        key: &str,
        revision: &DynamicObject,
        number: i64,
    ) -> Result<Arc<DynamicObject>, SyncError> {
        let version = &revision.metadata.resource_version;
        let patch = Patch::Merge(json!({"metadata": {"resourceVersion": version}, "revision": number}));
        let api = api(&self.client, &revision.metadata, &self.kind);
        let changed = api.patch(name(&revision.metadata), &PatchParams::default(), &patch).await;
        let changed = changed.map_err(SyncError::refused(format!("renew a revision of {key}")))?;
        self.writes.wrote(key, changed.metadata.resource_version.clone());
        Ok(Arc::new(changed))
    }
}

pub(crate) fn revision_of(revision: &DynamicObject) -> i64 {
    number(revision, "/revision")
}

/// Returns the data of an owner's revision: a patch that restores the template. Upstream: `getPatch`.
fn data(owner: &DynamicObject) -> Value {
    let mut template = owner.data["spec"]["template"].clone();
    template["$patch"] = json!("replace");
    json!({"spec": {"template": template}})
}
