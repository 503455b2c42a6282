//! The end of a namespace: everything in it is deleted, and then itself.

use serde_json::Value;

use super::chores::is_deleting;
use super::delete_options::{DeleteOptions, Policy};
use super::filter::Filter;
use super::handlers::delete::remove;
use super::handlers::list::everything;
use super::handlers::update;
use super::object::Key;
use super::resources::{NAMESPACES, RESOURCES};
use super::status::ApiError;
use super::store::{Commit, Next, Store};

/// What keeps a namespace until it is empty. It stands in its spec, not in its metadata.
pub(crate) const FINALIZER: &str = "kubernetes";

/// Deletes what is in a namespace that is on its way out, and lets go of it if nothing is left. What takes its time, as a
/// pod does, is waited for: its end is a chore of its own.
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
        store.update(NAMESPACES, &key, Commit::Really, |namespace| Ok(released(namespace.value.clone()))).await?;
    }
    Ok(())
}

/// The namespace without the finalizer.
fn released(mut namespace: Value) -> Next {
    if let Some(finalizers) = namespace.pointer_mut("/spec/finalizers").and_then(Value::as_array_mut) {
        finalizers.retain(|name| name != FINALIZER);
        if finalizers.is_empty() {
            namespace["spec"].as_object_mut().map(|spec| spec.remove("finalizers"));
        }
    }
    if update::is_held(&namespace) { Next::Put(namespace) } else { Next::Release(namespace) }
}
