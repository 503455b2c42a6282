//! The namespace controller: it deletes the contents of a namespace, then the namespace. Upstream:
//! `pkg/controller/namespace`.

use serde_json::Value;

use super::chores::is_deleting;
use crate::http::status::ApiError;
use crate::kinds::{NAMESPACES, RESOURCES, namespace};
use crate::store::filter::Filter;
use crate::store::object::Key;
use crate::store::{Commit, Next, Store};
use crate::verbs::delete::remove;
use crate::verbs::delete_options::{DeleteOptions, Policy};
use crate::verbs::list::everything;
use crate::verbs::update;

/// Deletes the contents of a namespace that is being deleted, and removes the finalizer if nothing is left. A pod takes
/// its time to end; its removal queues a new chore.
pub(crate) async fn empty(store: &Store, namespace: &str) -> Result<(), ApiError> {
    let key = Key::new(None, namespace);
    if !store.get(NAMESPACES, &key).is_some_and(|namespace| is_deleting(&namespace)) {
        return Ok(());
    }
    let filter = Filter { namespace: Some(namespace.to_owned()), ..Default::default() };
    let mut is_empty = true;
    for resource in RESOURCES.iter().filter(|resource| resource.is_namespaced()) {
        for object in everything(store, resource, &filter).objects {
            if !is_deleting(&object) {
                match remove(store, resource, &object.key, &DeleteOptions::of_controller(None, Policy::Background))
                    .await
                {
                    Err(error) if !error.is_not_found() => return Err(error),
                    _ => {}
                }
            }
            is_empty = is_empty && store.get(resource, &object.key).is_none();
        }
    }
    if is_empty {
        store
            .update(NAMESPACES, &key, Commit::Really, |namespace| Ok::<_, ApiError>(released(namespace.value.clone())))
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
