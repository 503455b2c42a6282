//! The finalizer of custom resource definitions: deletes all objects of the kind before its definition goes, because
//! nothing could delete them afterwards. Upstream: `CRDFinalizer`.

use crate::admission::Gate;
use crate::controllers::housekeeping::is_gone_or_changed;
use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::{Key, Object, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::delete::{give_way, remove};
use crate::verbs::delete_options::{DeleteOptions, PropagationPolicy};
use crate::verbs::list::everything;
use crate::verbs::next_state;
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::custom_resource::{CLEANUP_FINALIZER, is_condition_true, set_condition};
use kube_machinery::kinds::{CUSTOM_RESOURCE_DEFINITIONS, Resource, Subresource};

/// Returns true if a definition is being deleted and still has this controller's finalizer.
pub(super) fn is_pending(crd: &Object) -> bool {
    crd.summary.is_deleting && crd.summary.has_finalizer(CLEANUP_FINALIZER)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finalization {
    /// Objects are left, because their own finalizers hold them.
    Waits,
    /// No object is left, and the finalizer is gone.
    Done,
}

/// Deletes the objects of a definition that is being deleted, and then removes the finalizer.
pub(super) async fn sync(store: &Store, key: &Key) -> Result<Finalization, ApiError> {
    let crd = store.get(CUSTOM_RESOURCE_DEFINITIONS, key);
    let Some(crd) = crd.filter(|crd| is_pending(crd)) else { return Ok(Finalization::Done) };
    let was_served = is_condition_true(&crd.open()?.value, "Established");
    let message = "CustomResource deletion is in progress";
    write(store, key, Terminating::Yes, "InstanceDeletionInProgress", message, Finalizer::Kept).await?;
    if !was_served {
        let message = "resource was never established";
        write(store, key, Terminating::No, "NeverEstablished", message, Finalizer::Removed).await?;
        return Ok(Finalization::Done);
    }
    let definition = store.catalog().definition(key.name()).cloned();
    if let Some(definition) = definition
        && !delete_instances(store, &definition.stored).await?
    {
        return Ok(Finalization::Waits); // the removal of the last object wakes the controller
    }
    write(store, key, Terminating::No, "InstanceDeletionCompleted", "removed all instances", Finalizer::Removed)
        .await?;
    Ok(Finalization::Done)
}

/// Deletes all objects of a kind; as upstream, without admission. Returns true if none is left.
async fn delete_instances(store: &Store, resource: &Resource) -> Result<bool, ApiError> {
    let instances = everything(store, resource, &Filter::default());
    for (n, instance) in instances.objects.iter().filter(|instance| !instance.summary.is_deleting).enumerate() {
        let options = DeleteOptions::of_controller(None, PropagationPolicy::Background);
        match remove(store, resource, &instance.key, &options, &Gate::open()).await {
            Err(error) if !is_gone_or_changed(&error) => return Err(error),
            _ => give_way(n).await,
        }
    }
    Ok(everything(store, resource, &Filter::default()).objects.is_empty())
}

/// The fate of this controller's finalizer in a write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Finalizer {
    Kept,
    Removed,
}

/// The status of the condition `Terminating`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Terminating {
    Yes,
    No,
}

/// Writes the progress of the deletion as the condition `Terminating`. A definition that no finalizer holds any more is
/// removed by this write.
async fn write(
    store: &Store,
    key: &Key,
    terminating: Terminating,
    reason: &str,
    message: &str,
    finalizer: Finalizer,
) -> Result<(), ApiError> {
    let now = store.clock.now();
    let change = |crd: &Opened| {
        if !is_pending(crd) {
            return Ok::<_, ApiError>(Next::Keep); // a new definition may have the name by now
        }
        let mut value = crd.value.clone();
        set_condition(&mut value, "Terminating", terminating == Terminating::Yes, reason, message, &now);
        if finalizer == Finalizer::Removed {
            let finalizers = value["metadata"]["finalizers"].as_array_mut();
            if let Some(finalizers) = finalizers {
                finalizers.retain(|name| name != CLEANUP_FINALIZER);
                if finalizers.is_empty() {
                    object(&mut value["metadata"]).remove("finalizers");
                }
            }
            if !next_state::is_held(&value) {
                return Ok(Next::Release(value));
            }
        }
        Ok(Next::Put(written_by(Component::SERVER, store, crd, Some(Subresource::Status), value)))
    };
    store.update(CUSTOM_RESOURCE_DEFINITIONS, key, Commit::Really, change).await.map(drop)
}
