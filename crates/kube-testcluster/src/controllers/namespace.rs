//! The namespace controller: deletes all objects in a namespace that is being deleted, then the namespace itself. A
//! finalizer of this controller keeps the namespace until then. Upstream: `pkg/controller/namespace`.

mod remaining;

use std::time::Duration;

use super::housekeeping::{Housekeeping, is_deleting, is_gone_or_changed};
use crate::admission::Gate;
use crate::http::status::ApiError;
use crate::store::filter::Filter;
use crate::store::object::{Key, Object, Opened};
use crate::store::{Commit, Next, Store};
use crate::verbs::delete::{give_way, remove};
use crate::verbs::delete_options::{DeleteOptions, PropagationPolicy};
use crate::verbs::list::everything;
use crate::verbs::next_state;
use crate::verbs::ownership::{Component, written_by};
use kube_machinery::conventions::conditions;
use kube_machinery::kinds::{NAMESPACES, PODS, Resource, Subresource, namespace};
use kube_machinery::value::Value;
use remaining::Remaining;

const USER: &str = "system:serviceaccount:kube-system:namespace-controller";

/// The pause before a namespace is checked again. It combines changes in quick succession, including the controller's
/// own, into one check. Upstream waits for eight seconds while finalizers hold objects.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Deletes the contents of a namespace that is being deleted, pods first. Reports the remaining objects in the
/// conditions, and removes the finalizer once none remain. A pod takes time to end, so the removal of the last pod, and
/// that of the last object, each queue another work item.
pub(crate) async fn empty(store: &Store, housekeeping: &Housekeeping, name: &str) -> Result<(), ApiError> {
    let key = Key::new(None, name);
    let Some(going) = store.get(NAMESPACES, &key).filter(|namespace| is_deleting(namespace)) else { return Ok(()) };
    let catalog = store.catalog();
    let contents = catalog.stored().filter(|resource| resource.is_namespaced()).collect::<Vec<_>>();
    let (pods, others) = contents.into_iter().partition(|resource| *resource == PODS);
    let mut remaining = Remaining::default();
    let mut failed = delete_kinds(store, pods, name, &mut remaining).await;
    // Other objects stay until the last pod has ended, because a pod may need them to end. Pods that could not be
    // deleted are not counted, so they delay nothing. Upstream: `OrderedNamespaceDeletion`.
    if remaining.is_empty() {
        failed = failed.and(delete_kinds(store, others, name, &mut remaining).await);
    }
    change(store, &going, |current| with_conditions(store, current, &remaining)).await?;
    if housekeeping.is_empty(name, &store.catalog()) {
        change(store, &going, |current| released(current.value.clone())).await?;
    }
    failed
}

/// Deletes all objects of these kinds, and counts those that remain. Returns the first error.
async fn delete_kinds(
    store: &Store,
    kinds: Vec<&Resource>,
    namespace: &str,
    remaining: &mut Remaining,
) -> Result<(), ApiError> {
    let filter = Filter { namespace: Some(namespace.to_owned()), ..Default::default() };
    let mut failed = Ok(());
    for resource in kinds {
        // As upstream, the objects of a kind that could not be deleted are not counted:
        // `deleteAllContentForGroupVersionResource`.
        match delete_all(store, resource, &filter).await {
            Ok(()) => everything(store, resource, &filter).objects.iter().for_each(|object| remaining.add(object)),
            Err(error) => {
                remaining.add_failure(&error);
                failed = failed.and(Err(error));
            }
        }
    }
    failed
}

/// Changes the namespace `going`, unless it is gone and another namespace has its name.
async fn change(store: &Store, going: &Object, next: impl Fn(&Opened) -> Next) -> Result<(), ApiError> {
    let change = |current: &Opened| {
        let is_the_same = current.summary.uid() == going.summary.uid();
        Ok::<_, ApiError>(if is_the_same { next(current) } else { Next::Keep })
    };
    store.update(NAMESPACES, &going.key, Commit::Really, change).await.map(drop)
}

/// Deletes all objects of a kind in a namespace that are not being deleted yet.
async fn delete_all(store: &Store, resource: &Resource, filter: &Filter) -> Result<(), ApiError> {
    let page = everything(store, resource, filter);
    for (n, object) in page.objects.iter().filter(|object| !is_deleting(object)).enumerate() {
        let options = DeleteOptions::of_controller(None, PropagationPolicy::Background);
        let gate = Gate::of_component(store, resource, &object.key, USER);
        match remove(store, resource, &object.key, &options, &gate).await {
            Err(error) if !is_gone_or_changed(&error) => return Err(error),
            _ => give_way(n).await,
        }
    }
    Ok(())
}

fn with_conditions(store: &Store, current: &Opened, remaining: &Remaining) -> Next {
    let (mut value, now) = (current.value.clone(), store.clock.now());
    for condition in remaining.conditions() {
        conditions::update(&mut value, condition, &now);
    }
    Next::Put(written_by(Component::CONTROLLERS, store, current, Some(Subresource::Status), value))
}

/// Removes this controller's finalizer. If no finalizer is left, releases the namespace, which deletes it.
fn released(mut namespace: Value) -> Next {
    if let Some(finalizers) = namespace.pointer_mut("/spec/finalizers").and_then(Value::as_array_mut) {
        finalizers.retain(|name| name != namespace::FINALIZER);
        if finalizers.is_empty() {
            namespace["spec"].as_object_mut().map(|spec| spec.remove("finalizers"));
        }
    }
    if next_state::is_held(&namespace) { Next::Put(namespace) } else { Next::Release(namespace) }
}
