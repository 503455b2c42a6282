//! The namespace controller: it deletes the contents of a namespace, then the namespace. Upstream:
//! `pkg/controller/namespace`.

use super::chores::{Chores, is_deleting, is_over};
use crate::admission::Gate;
use crate::http::status::ApiError;
use crate::kinds::{NAMESPACES, namespace};
use crate::store::filter::Filter;
use crate::store::object::{Key, Opened};
use crate::store::{Commit, Next, Store};
use crate::value::Value;
use crate::verbs::delete::{give_way, remove};
use crate::verbs::delete_options::{DeleteOptions, Policy};
use crate::verbs::list::everything;
use crate::verbs::update;

/// As whom it asks.
const USER: &str = "system:serviceaccount:kube-system:namespace-controller";

/// Deletes the contents of a namespace that is being deleted, and removes the finalizer if nothing is left. A pod takes
/// its time to end; the removal of the last object queues a new chore.
pub(crate) async fn empty(store: &Store, chores: &Chores, name: &str) -> Result<(), ApiError> {
    let key = Key::new(None, name);
    if !store.get(NAMESPACES, &key).is_some_and(|namespace| is_deleting(&namespace)) {
        return Ok(());
    }
    let filter = Filter { namespace: Some(name.to_owned()), ..Default::default() };
    for resource in store.catalog().stored().filter(|resource| resource.is_namespaced()) {
        let page = everything(store, resource, &filter);
        for (n, object) in page.objects.iter().filter(|object| !is_deleting(object)).enumerate() {
            let options = DeleteOptions::of_controller(None, Policy::Background);
            let gate = Gate::of_component(store, resource, &object.key, USER);
            match remove(store, resource, &object.key, &options, &gate).await {
                Err(error) if !is_over(&error) => return Err(error),
                _ => give_way(n).await,
            }
        }
    }
    if chores.is_empty(name, &store.catalog()) {
        store
            .update(NAMESPACES, &key, Commit::Really, |home: &Opened| Ok::<_, ApiError>(released(home.value.clone())))
            .await?;
    }
    Ok(())
}

/// The namespace without the finalizer.
fn released(mut namespace: Value) -> Next {
    if let Some(finalizers) = namespace.pointer_mut("/spec/finalizers").and_then(Value::as_array_mut) {
        finalizers.retain(|name| name != namespace::FINALIZER);
        if finalizers.is_empty() {
            namespace["spec"].as_object_mut().map(|spec| spec.remove("finalizers"));
        }
    }
    if update::is_held(&namespace) { Next::Put(namespace) } else { Next::Release(namespace) }
}
