//! The controllers of custom resource definitions: they accept a definition's names, establish it, and delete its
//! objects when it is deleted. Upstream: `pkg/controller/{status,establish,finalizer}` of
//! `k8s.io/apiextensions-apiserver`.
//!
//! They run as part of each write to a definition, so a new definition is served before its creator gets the response.
//! Only the finalizer runs later, because the client that deletes a definition may want to watch the deletion.
//! To *refresh* a definition means to run the other controllers for it.

mod api_services;
mod finalizer;
mod naming;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use self::finalizer::Finalization;
use self::naming::SyncEffect;
use super::housekeeping::is_gone_or_changed;
use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::list::everything;
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::kinds::custom_resource::{is_condition_true, set_condition};
use kube_machinery::kinds::custom_resource_definition::{conformance, has_invalid_bundle};
use kube_machinery::kinds::{CUSTOM_RESOURCE_DEFINITIONS, Subresource};
use kube_machinery::value::Value;

/// The condition that says whether a definition in one of Kubernetes' own groups was approved.
const CONFORMANT: &str = "KubernetesAPIApprovalPolicyConformant";

/// The shortest time that a deleted definition stays, so that a client can begin to watch the deletion. Upstream fills
/// a watch cache before it deletes the objects, which takes about as long (its test `TestApplyCRDuringCRDFinalization`
/// relies on that).
const FINALIZER_DELAY: Duration = Duration::from_millis(100);

/// The delay before a failed deletion is tried again. It may fail because a conversion webhook did not answer.
const RETRY: Duration = Duration::from_secs(1);

/// [Refreshes](refresh) the definition with this name; for `None`, all definitions that were written since their last
/// refresh. The future is boxed, because the store keeps a pointer to this function.
pub(crate) fn refresh_changed<'s>(store: &'s Store, name: Option<&'s str>) -> BoxFuture<'s, ()> {
    match name {
        Some(name) => refresh(store, name).boxed(),
        None => refresh_all(store).boxed(),
    }
}

/// Updates a definition's names and conditions, and serves its kind or stops serving it. If the definition has released
/// names, does the same for the other definitions of its group, which may get these names now.
pub(crate) async fn refresh(store: &Store, name: &str) {
    let mut due = vec![name.to_owned()];
    while let Some(name) = due.pop() {
        match sync_one(store, &name).await {
            Ok(SyncEffect::NamesReleased) => due.extend(others_of_group(store, &name)),
            Ok(SyncEffect::NamesKept) => {}
            // Another write was faster; its request refreshes the definition.
            Err(error) if is_gone_or_changed(&error) => {}
            Err(error) => tracing::warn!(name, ?error, "a custom resource definition could not be updated"),
        }
        store.redefine(&name); // from now on, the server serves the kind in its new form, or no longer
        let group = name.split_once('.').map_or("", |(_, group)| group);
        if let Err(error) = api_services::sync(store, group).await {
            tracing::warn!(name, ?error, "the API services of a custom resource definition could not be updated");
        }
    }
}

/// [Refreshes](refresh) each definition that was written or removed since its last refresh. Runs after a request that may
/// have changed several definitions, and after a snapshot was restored.
pub(crate) async fn refresh_all(store: &Store) {
    let catalog = store.catalog();
    let mut due: BTreeSet<String> = catalog.definitions().collect();
    for definition in everything(store, CUSTOM_RESOURCE_DEFINITIONS, &Filter::default()).objects {
        let name = definition.key.name();
        if catalog.revision(name) == Some(definition.revision) {
            due.remove(name);
        } else {
            due.insert(name.to_owned());
        }
    }
    for name in due {
        refresh(store, &name).await;
    }
}

/// Finishes the deletion of definitions until `stop`.
pub(crate) async fn run(store: Arc<Store>, stop: CancellationToken) {
    for name in names(&store) {
        refresh(&store, &name).await; // an earlier server with the same folder may have stopped halfway
    }
    let mut retry_after = None;
    while stop.run_until_cancelled(wait_for_termination(&store, retry_after)).await.is_some() {
        // A definition that is deleted from now on waits for the next round, so that it also stays for
        // `FINALIZER_DELAY`.
        let waiting = waiting_for_finalizer(&store);
        if stop.run_until_cancelled(tokio::time::sleep(FINALIZER_DELAY)).await.is_none() {
            return;
        }
        retry_after = None;
        for name in waiting {
            match finalizer::sync(&store, &Key::new(None, &name)).await {
                Ok(Finalization::Waits) => {}
                Ok(Finalization::Done) => refresh(&store, &name).await,
                Err(error) if is_gone_or_changed(&error) => {}
                Err(error) => {
                    tracing::warn!(name, ?error, "the deletion of a custom resource definition cannot be finished");
                    retry_after = Some(RETRY);
                }
            }
        }
    }
}

/// Waits until a definition is being deleted or its last object is gone, for `retry_after` at most.
async fn wait_for_termination(store: &Store, retry_after: Option<Duration>) {
    let terminated = store.terminations.notified();
    match retry_after {
        Some(retry_after) => _ = tokio::time::timeout(retry_after, terminated).await,
        None => terminated.await,
    }
}

fn waiting_for_finalizer(store: &Store) -> Vec<String> {
    let all = everything(store, CUSTOM_RESOURCE_DEFINITIONS, &Filter::default()).objects;
    let waiting = all.iter().filter(|crd| finalizer::is_pending(crd));
    waiting.map(|crd| crd.key.name().to_owned()).collect()
}

/// Runs the controllers for one definition: names, establishing, approval. Wakes the finalizer if the definition waits
/// for it.
async fn sync_one(store: &Store, name: &str) -> Result<SyncEffect, ApiError> {
    let key = Key::new(None, name);
    if store.get(CUSTOM_RESOURCE_DEFINITIONS, &key).is_none() {
        return Ok(SyncEffect::NamesReleased); // a removed definition has released its names
    }
    let effect = naming::sync(store, &key).await?;
    establish(store, &key).await?;
    note_approval(store, &key).await?;
    if store.get(CUSTOM_RESOURCE_DEFINITIONS, &key).is_some_and(|crd| finalizer::is_pending(&crd)) {
        store.terminations.notify_one();
    }
    Ok(effect)
}

/// Establishes a definition whose names were accepted, so it is served. Upstream: `EstablishingController`.
async fn establish(store: &Store, key: &Key) -> Result<(), ApiError> {
    let now = store.clock.now();
    store
        .update(CUSTOM_RESOURCE_DEFINITIONS, key, Commit::Really, |crd: &Opened| {
            if !is_condition_true(&crd.value, "NamesAccepted") || is_condition_true(&crd.value, "Established") {
                return Ok::<_, ApiError>(Next::Keep);
            }
            let mut value = crd.value.clone();
            if has_invalid_bundle(&value) {
                let message = "The conversion webhook CABundle is invalid";
                set_condition(&mut value, "Established", false, "InvalidCABundle", message, &now);
            } else {
                let message = "the initial names have been accepted";
                set_condition(&mut value, "Established", true, "InitialNamesAccepted", message, &now);
            }
            Ok(if value == crd.value { Next::Keep } else { by_server(store, crd, value) })
        })
        .await
        .map(drop)
}

/// Returns the next state of a definition whose status the server has changed.
fn by_server(store: &Store, crd: &Opened, value: Value) -> Next {
    Next::Put(written_by(Component::SERVER, store, crd, Some(Subresource::Status), value))
}

/// Sets the condition about the approval of a definition in a group of Kubernetes. Upstream:
/// `KubernetesAPIApprovalPolicyConformantConditionController`.
async fn note_approval(store: &Store, key: &Key) -> Result<(), ApiError> {
    let now = store.clock.now();
    store
        .update(CUSTOM_RESOURCE_DEFINITIONS, key, Commit::Really, |crd: &Opened| {
            let Some(found) = conformance(&crd.value) else { return Ok::<_, ApiError>(Next::Keep) };
            let mut value = crd.value.clone();
            set_condition(&mut value, CONFORMANT, found.is_conformant, found.reason, &found.message, &now);
            Ok(if value == crd.value { Next::Keep } else { by_server(store, crd, value) })
        })
        .await
        .map(drop)
}

fn names(store: &Store) -> Vec<String> {
    let all = everything(store, CUSTOM_RESOURCE_DEFINITIONS, &Filter::default());
    all.objects.iter().map(|object| object.key.name().to_owned()).collect()
}

/// Returns the other definitions of a group. A definition's name consists of its plural and its group.
fn others_of_group(store: &Store, name: &str) -> Vec<String> {
    let group = |name: &str| name.split_once('.').map(|(_, group)| group.to_owned());
    let own = group(name);
    names(store).into_iter().filter(|other| other != name && group(other) == own).collect()
}
