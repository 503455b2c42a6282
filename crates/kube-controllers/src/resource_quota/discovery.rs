//! Finds the kind of a resource that a quota names, such as `jobs.batch`, also of custom resources.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResource;
use kube_client::api::ApiResource;
use kube_client::{Client, Error};

use crate::shared::error::SyncError;

/// Returns the kind of a resource in the preferred version of its group; `None` if the server does not serve it, or if
/// its objects have no namespace.
pub(super) async fn kind_of(client: &Client, group: &str, plural: &str) -> Result<Option<ApiResource>, SyncError> {
    let refused = || format!("find the kind of {plural}.{group}");
    let found = find(client, group, plural).await;
    found.map_err(|error| SyncError::refused(refused())(error))
}

async fn find(client: &Client, group: &str, plural: &str) -> Result<Option<ApiResource>, Error> {
    let (version, resources) = if group.is_empty() {
        ("v1".to_owned(), client.list_core_api_resources("v1").await?.resources)
    } else {
        let groups = client.list_api_groups().await?.groups;
        let found = groups.into_iter().find(|one| one.name == group);
        let preferred = found.and_then(|group| group.preferred_version.or(group.versions.into_iter().next()));
        let Some(preferred) = preferred else { return Ok(None) };
        let resources = client.list_api_group_resources(&preferred.group_version).await?.resources;
        (preferred.version, resources)
    };
    let resource = resources.into_iter().find(|one| one.name == plural && one.namespaced);
    Ok(resource.map(|APIResource { kind, .. }| ApiResource {
        group: group.to_owned(),
        api_version: if group.is_empty() { version.clone() } else { format!("{group}/{version}") },
        version,
        kind,
        plural: plural.to_owned(),
    }))
}
