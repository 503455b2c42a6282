//! Estimates, before a write begins, how large its body and its answer are, in bytes.

use axum::body::HttpBody as _;
use axum::extract::Request;
use http::Method;

use crate::http::body::LIMIT;
use crate::http::request_info::Target;
use crate::store::Store;
use crate::store::object::Key;

/// Returns the size of the body or of the stored objects that a write is about, whichever is larger: the answer to a
/// creation is about as large as its body, and the answer to a deletion as the stored objects.
pub(crate) fn of_write(store: &Store, target: &Target, request: &Request) -> u64 {
    let limit = LIMIT as u64;
    let body = request.body().size_hint().upper().unwrap_or(limit).min(limit);
    body.max(stored_size(store, target, request.method()) as u64)
}

/// Returns the size of the stored objects that a write is about: one object, or a collection that is deleted.
fn stored_size(store: &Store, target: &Target, method: &Method) -> usize {
    let (resource, namespace) = (&target.resource, target.namespace.as_deref());
    match &target.name {
        Some(name) => store.get(resource, &Key::new(namespace, name)).map_or(0, |object| object.length()),
        None if method == Method::DELETE => {
            let prefix = namespace.map_or_else(String::new, |namespace| format!("{namespace}/"));
            let state = store.lock();
            let objects = state.storage.range(resource, Key::from_start(prefix.clone()));
            objects.take_while(|object| object.key.as_str().starts_with(&prefix)).map(|object| object.length()).sum()
        }
        None => 0,
    }
}
