//! The service account controller: creates the account `default` in each namespace, which pods without an account of
//! their own run as. The housekeeping queue calls it for new namespaces and after a deleted account. Upstream:
//! `pkg/controller/serviceaccount`.

use super::housekeeping::is_deleting;
use crate::admission::builtin::DEFAULT_ACCOUNT;
use crate::http::status::ApiError;
use crate::store::Store;
use crate::store::object::Key;
use crate::verbs::create::create_own;
use crate::verbs::ownership::Component;
use kube_machinery::kinds::{NAMESPACES, SERVICE_ACCOUNTS};
use kube_machinery::value::json;

/// Creates the account `default` of a namespace, unless it exists or the namespace is being deleted.
pub(crate) async fn create_default(store: &Store, namespace: &str) -> Result<(), ApiError> {
    let stored = store.get(NAMESPACES, &Key::new(None, namespace));
    let is_there = store.get(SERVICE_ACCOUNTS, &Key::new(Some(namespace), DEFAULT_ACCOUNT)).is_some();
    if is_there || stored.is_none_or(|stored| is_deleting(&stored)) {
        return Ok(());
    }
    let account = json!({"metadata": {"name": DEFAULT_ACCOUNT, "namespace": namespace}});
    match create_own(Component::CONTROLLERS, store, SERVICE_ACCOUNTS, Some(namespace), account).await {
        Err(error) if !error.is_already_exists() => Err(error),
        _ => Ok(()),
    }
}
