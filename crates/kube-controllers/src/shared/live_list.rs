//! Lists objects from the server, for decisions that a cache may be too old for.

use kube_client::Client;
use kube_client::api::{ApiResource, DynamicObject, ListParams};
use kube_core::{Request, Resource};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::SyncError;

/// The objects in the answer to a list.
#[derive(Deserialize)]
struct Objects<T> {
    items: Vec<T>,
}

/// Returns the objects of a kind in a namespace, decoded as a `T`.
pub(crate) async fn live_list<T: DeserializeOwned>(
    client: &Client,
    kind: &ApiResource,
    namespace: &str,
) -> Result<Vec<T>, SyncError> {
    let what = || format!("list the {} in {namespace}", kind.plural);
    let request = Request::new(DynamicObject::url_path(kind, Some(namespace))).list(&ListParams::default());
    let request = request.map_err(|error| SyncError::refused(what())(kube_client::Error::BuildRequest(error)))?;
    let objects: Objects<T> = client.request(request).await.map_err(SyncError::refused(what()))?;
    Ok(objects.items)
}
