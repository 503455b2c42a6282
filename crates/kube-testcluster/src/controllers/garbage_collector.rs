//! The garbage collector: deletes objects whose owners (`metadata.ownerReferences`) are gone. If an owner is deleted
//! with the policy `Foreground` or `Orphan`, a finalizer keeps the owner until this controller has deleted its
//! dependents, or has removed their references to it. Upstream: `pkg/controller/garbagecollector`.

use std::future::ready;
use std::sync::Arc;

use super::housekeeping::{Housekeeping, ObjectRef, Owner, is_deleting, is_gone_or_changed, is_held, owners};
use crate::admission::Gate;
use crate::http::status::ApiError;
use crate::store::object::{Object, Opened};
use crate::store::{Commit, Store};
use crate::verbs::conversion;
use crate::verbs::delete::remove;
use crate::verbs::delete_options::{DeleteOptions, PropagationPolicy};
use crate::verbs::next_state;
use crate::verbs::ownership::{Component, Writer};
use kube_machinery::conventions::edit::list;
use kube_machinery::kinds::metadata::{FOREGROUND, ORPHAN};
use kube_machinery::value::{Value, json};

const USER: &str = "system:serviceaccount:kube-system:generic-garbage-collector";

/// The state of one owner reference, as in upstream's `classifyReferences`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OwnerState {
    Present,
    /// The owner does not exist; perhaps it never did.
    Absent,
    /// The owner is being deleted in the foreground, after its dependents.
    Waiting,
}

/// Deletes an object if each of its owners is gone or waits for its dependents. If some owners stay, it only removes
/// the references to the others. Upstream: `attemptToDeleteItem`.
pub(crate) async fn check_owners(
    store: &Store,
    housekeeping: &Housekeeping,
    object_ref: &ObjectRef,
) -> Result<(), ApiError> {
    let Some(object) = object_ref.find(&store.lock().storage) else { return Ok(()) };
    let catalog = store.catalog();
    let owners = owners(&object, &catalog);
    // As upstream, an object whose kind is no longer defined is left alone. The check is queued again when the kind is
    // defined again.
    let is_defined = || catalog.defined(object.resource.group(), object.resource.plural()).is_some();
    if owners.is_empty() || is_deleting(&object) || !is_defined() {
        return Ok(());
    }
    let states: Vec<OwnerState> = owners.iter().map(|owner| classify(store, owner)).collect();
    let uid = object.summary.uid().to_owned();
    if states.contains(&OwnerState::Present) {
        let lost: Vec<&str> = owners
            .iter()
            .zip(&states)
            .filter(|(_, state)| **state != OwnerState::Present)
            .map(|(owner, _)| &*owner.uid)
            .collect();
        return if lost.is_empty() { Ok(()) } else { remove_owners(store, object_ref, &lost).await };
    }
    let dependents = housekeeping.dependents_of(&uid);
    let policy = if states.contains(&OwnerState::Waiting) && !dependents.is_empty() {
        let also_waits =
            |object_ref: &ObjectRef| object_ref.find(&store.lock().storage).is_some_and(|it| is_held(&it, FOREGROUND));
        if dependents.iter().any(also_waits) {
            clear_block_owner_deletion(store, object_ref).await?; // objects that own each other would wait for each other forever
        }
        PropagationPolicy::Foreground
    } else {
        // As upstream, a finalizer that the object already has decides about its own dependents.
        let has = |name: &str| object.summary.has_finalizer(name);
        match () {
            () if has(ORPHAN) => PropagationPolicy::Orphan,
            () if has(FOREGROUND) => PropagationPolicy::Foreground,
            () => PropagationPolicy::Background,
        }
    };
    let gate = Gate::of_component(store, &object.resource, &object.key, USER);
    let options = DeleteOptions::of_controller(Some(uid), policy);
    remove(store, &object.resource, &object.key, &options, &gate).await.map(|_| ())
}

/// Looks an owner up in the store. An object of the same name with another uid is not the owner.
fn classify(store: &Store, owner: &Owner) -> OwnerState {
    let Some(object_ref) = &owner.object_ref else { return OwnerState::Present }; // it cannot be looked up, so it may exist
    match object_ref.find(&store.lock().storage) {
        Some(found) if found.summary.uid() != owner.uid => OwnerState::Absent,
        Some(found) if is_held(&found, FOREGROUND) => OwnerState::Waiting,
        Some(_) => OwnerState::Present,
        None => OwnerState::Absent,
    }
}

/// Orphans or deletes the dependents of an owner that is being deleted, as its finalizer asks for, and then removes the
/// finalizer. Upstream: `processDeletingDependentsItem` and `orphanDependents`.
pub(crate) async fn handle_dependents(
    store: &Store,
    housekeeping: &Housekeeping,
    object_ref: &ObjectRef,
) -> Result<(), ApiError> {
    let Some(object) = object_ref.find(&store.lock().storage) else { return Ok(()) };
    let uid = object.summary.uid();
    if is_held(&object, ORPHAN) {
        for dependent in housekeeping.dependents_of(uid) {
            unless_gone_or_changed(remove_owners(store, &dependent, &[uid]).await)?;
        }
        return remove_finalizer(store, &object, ORPHAN).await;
    }
    if is_held(&object, FOREGROUND) {
        for dependent in housekeeping.dependents_of(uid) {
            unless_gone_or_changed(check_owners(store, housekeeping, &dependent).await)?;
        }
        if !housekeeping.is_blocked(uid) {
            return remove_finalizer(store, &object, FOREGROUND).await;
        }
    }
    Ok(())
}

/// Ignores the error if the object is gone or has changed, because that write has queued a work item of its own.
fn unless_gone_or_changed(done: Result<(), ApiError>) -> Result<(), ApiError> {
    match done {
        Err(error) if is_gone_or_changed(&error) => Ok(()),
        done => done,
    }
}

async fn remove_owners(store: &Store, object_ref: &ObjectRef, uids: &[&str]) -> Result<(), ApiError> {
    change(store, object_ref, |metadata| {
        retain(metadata, "ownerReferences", |owner| !uids.contains(&owner["uid"].as_str().unwrap_or_default()));
    })
    .await
}

/// Clears `blockOwnerDeletion`, so no owner waits for the object.
async fn clear_block_owner_deletion(store: &Store, object_ref: &ObjectRef) -> Result<(), ApiError> {
    change(store, object_ref, |metadata| {
        for owner in list(metadata, "ownerReferences") {
            owner["blockOwnerDeletion"] = json!(false);
        }
    })
    .await
}

async fn remove_finalizer(store: &Store, object: &Object, finalizer: &str) -> Result<(), ApiError> {
    change(store, &ObjectRef::of(object), |metadata| retain(metadata, "finalizers", |name| name != finalizer)).await
}

/// Changes the metadata of an object, if it still exists.
async fn change(store: &Store, object_ref: &ObjectRef, change: impl Fn(&mut Value)) -> Result<(), ApiError> {
    let key = &object_ref.key;
    let Some(object) = object_ref.find(&store.lock().storage) else { return Ok(()) };
    let resource = &object.resource;
    let next = |current: Arc<Opened>| {
        let mut value = current.value.clone();
        change(&mut value["metadata"]);
        let writer = Writer::named(Component::CONTROLLERS.0);
        ready(next_state::next(store, &current, resource.stored(), value, None, &writer, &Gate::open()))
    };
    let changed = |current| conversion::changed(store, resource.into(), current, next);
    store.guaranteed_update(resource, key, Commit::Really, changed).await.map(drop)
}

/// Removes the elements of a list for which `keep` is false, and the field if the list becomes empty.
fn retain(metadata: &mut Value, field: &str, keep: impl FnMut(&Value) -> bool) {
    let Some(list) = metadata.get_mut(field).and_then(Value::as_array_mut) else { return };
    list.retain(keep);
    if list.is_empty() {
        metadata.as_object_mut().map(|metadata| metadata.remove(field));
    }
}
