//! Asks the server for the scale of the controller that owns a pod: the number of pods that it should have. The
//! controller may be of any kind that has a scale, such as a custom resource. Upstream: `getScaleController`.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIResource, OwnerReference};
use kube_client::api::{ApiResource, DynamicObject};
use kube_client::{Api, Client, Error};

use super::finders::ControllerAndScale;
use crate::shared::error::SyncError;

/// Returns the controller and its scale, or `None` if the controller no longer exists.
///
/// # Errors
/// The server does not know the kind, or objects of the kind have no scale.
pub(super) async fn of(
    client: &Client,
    owner: &OwnerReference,
    namespace: &str,
) -> Result<Option<ControllerAndScale>, SyncError> {
    let kind = kind_with_scale(client, owner).await?;
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), namespace, &kind);
    let scale = match api.get_scale(&owner.name).await {
        Err(error) if is_not_found(&error) => return Ok(None),
        scale => scale.map_err(SyncError::refused(format!("read the scale of {} {}", owner.kind, owner.name)))?,
    };
    let found = ControllerAndScale {
        uid: scale.metadata.uid.unwrap_or_default(),
        scale: scale.spec.and_then(|spec| spec.replicas).unwrap_or_default().into(),
    };
    Ok(Some(found).filter(|found| found.uid == owner.uid)) // another UID is that of a later object with the same name
}

/// Finds the resource of a kind in discovery. Upstream: `RESTMapping`, `implementsScale`.
async fn kind_with_scale(client: &Client, owner: &OwnerReference) -> Result<ApiResource, SyncError> {
    let resources = resources(client, owner).await?;
    let resource = resources.iter().find(|one| one.kind == owner.kind && !one.name.contains('/'));
    let resource = resource.ok_or_else(|| no_kind(owner))?;
    let (group, version) = owner.api_version.rsplit_once('/').unwrap_or(("", &owner.api_version));
    let subresource = format!("{}/scale", resource.name);
    if !resources.iter().any(|one| one.name == subresource && one.kind == "Scale") {
        let dot = if group.is_empty() { "" } else { "." };
        return Err(SyncError::NoScale(format!("{}{dot}{group}", resource.name)));
    }
    Ok(ApiResource {
        group: group.to_owned(),
        version: version.to_owned(),
        api_version: owner.api_version.clone(),
        kind: owner.kind.clone(),
        plural: resource.name.clone(),
    })
}

async fn resources(client: &Client, owner: &OwnerReference) -> Result<Vec<APIResource>, SyncError> {
    let version = &owner.api_version;
    let list = match version.contains('/') {
        true => client.list_api_group_resources(version).await,
        false => client.list_core_api_resources(version).await,
    };
    match list {
        Err(error) if is_not_found(&error) => Err(no_kind(owner)),
        list => Ok(list.map_err(SyncError::refused(format!("list the resources of {version}")))?.resources),
    }
}

fn no_kind(owner: &OwnerReference) -> SyncError {
    SyncError::NoKind { kind: owner.kind.clone(), version: owner.api_version.clone() }
}

fn is_not_found(error: &Error) -> bool {
    matches!(error, Error::Api(status) if status.code == 404)
}
