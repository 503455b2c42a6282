//! Selects the container of a pod for a request to its `log`, `exec` or `attach`.

use crate::http::status::ApiError;
use crate::store::object::Opened;

/// Returns the container's name. The request must name a container of the pod; it may name none if the pod has only
/// one, not counting init containers and ephemeral ones. Upstream: `validateContainer` in `pkg/registry/core/pod`.
pub(super) fn choose(pod: &Opened, requested: &str) -> Result<String, ApiError> {
    let name = pod.key.name();
    let all: Vec<&str> = ["initContainers", "containers", "ephemeralContainers"]
        .iter()
        .flat_map(|list| pod.value["spec"][list].as_array().into_iter().flatten())
        .filter_map(|container| container["name"].as_str())
        .collect();
    let only = pod.value["spec"]["containers"].as_array().filter(|list| list.len() == 1);
    match (requested, only) {
        ("", Some(list)) => Ok(list[0]["name"].as_str().unwrap_or_default().to_owned()),
        ("", None) => Err(ApiError::bad_request(format!(
            "a container name must be specified for pod {name}, choose one of: [{}]",
            all.join(" ")
        ))),
        (requested, _) if all.contains(&requested) => Ok(requested.to_owned()),
        (requested, _) => Err(ApiError::bad_request(format!("container {requested} is not valid for pod {name}"))),
    }
}
