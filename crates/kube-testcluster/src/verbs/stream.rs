//! GET and POST of a pod's `exec`, `attach` and `portforward`. There are no real containers to connect to.

use axum::response::Response;
use http::header;

use super::{Call, container, key};
use crate::http::status::ApiError;
use crate::kinds::Subresource;

/// Makes upstream's checks, and then refuses the request.
///
/// # Errors
/// Always, since no container of this cluster is real.
pub(crate) async fn connect(call: Call) -> Result<Response, ApiError> {
    let Call { store, target, query, request } = call;
    let key = key(&target)?;
    let pod =
        store.get(target.resource, &key).ok_or_else(|| ApiError::not_found(target.resource, key.name()))?.open()?;
    let lacking = match target.subresource {
        Some(Subresource::Exec) => "run a command in",
        Some(Subresource::Attach) => "attach to",
        _ => "forward a port to",
    };
    if target.subresource != Some(Subresource::PortForward) {
        container::choose(&pod, query.get("container").unwrap_or_default())?;
    }
    if pod.text("/spec/nodeName").unwrap_or_default().is_empty() {
        return Err(ApiError::bad_request(format!("pod {} does not have a host assigned", key.name())));
    }
    if !request.headers().contains_key(header::UPGRADE) {
        return Err(ApiError::bad_request("Upgrade request required"));
    }
    Err(ApiError::not_implemented(format!(
        "the containers of this cluster are not real: there is nothing to {lacking}"
    )))
}
