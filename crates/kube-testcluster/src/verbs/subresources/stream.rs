//! GET and POST of a pod's `exec`, `attach` and `portforward`: always refused, because no container really runs. Before
//! that, upstream's checks and admission run, so that clients get the same errors for wrong requests.

use http::header;

use super::container;
use crate::admission::Gate;
use crate::auth::user_of;
use crate::http::answer::Answer;
use crate::http::query::Query;
use crate::http::status::ApiError;
use crate::store::Commit;
use crate::verbs::{Call, key};
use kube_machinery::kinds::Subresource;
use kube_machinery::value::{Map, Value, json};

/// Makes upstream's checks, and then refuses the request. Always fails, because no container of this cluster is real.
pub(crate) async fn connect(call: Call) -> Result<Answer, ApiError> {
    let Call { store, target, query, request } = call;
    let key = key(&target)?;
    let pod =
        store.get(&target.resource, &key).ok_or_else(|| ApiError::not_found(&target.resource, key.name()))?.open()?;
    let gate = Gate::of(&store, &target, &user_of(request.extensions()), Commit::Really, Map::new);
    if !gate.is_open() {
        gate.connect(options(&query, target.subresource)).await?;
    }
    let refused_action = match target.subresource {
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
        "the containers of this cluster are not real: there is nothing to {refused_action}"
    )))
}

/// Returns the options of a connection as admission sees them: the fields of `PodExecOptions`,
/// `PodAttachOptions` or `PodPortForwardOptions`.
fn options(query: &Query, subresource: Option<Subresource>) -> Value {
    if subresource == Some(Subresource::PortForward) {
        let ports: Vec<u16> = query.all("ports").iter().filter_map(|port| port.parse().ok()).collect();
        return if ports.is_empty() { json!({}) } else { json!({"ports": ports}) };
    }
    let mut options = json!({});
    for stream in ["stdin", "stdout", "stderr", "tty"] {
        if query.flag(stream).unwrap_or_default() {
            options[stream] = true.into();
        }
    }
    if let Some(container) = query.get("container").filter(|name| !name.is_empty()) {
        options["container"] = container.into();
    }
    if subresource == Some(Subresource::Exec) {
        options["command"] = json!(query.all("command"));
    }
    options
}
