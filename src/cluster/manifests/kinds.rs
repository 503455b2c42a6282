//! The kinds of the objects in manifests.

use std::collections::HashMap;

use kube::Client;
use kube::api::{ApiResource, DynamicObject};

/// The kinds that the server serves, by apiVersion; read when they are asked for, because a manifest may define some.
#[derive(Default)]
pub(super) struct Kinds(HashMap<String, Vec<(ApiResource, bool)>>);

impl Kinds {
    /// Returns the kind of an object, and true if its objects are in namespaces.
    pub(super) async fn find(&mut self, client: &Client, object: &DynamicObject) -> kube::Result<(ApiResource, bool)> {
        let types = object.types.clone().unwrap_or_default();
        let known = |kinds: &Self| {
            let version = kinds.0.get(&types.api_version)?;
            version.iter().find(|(kind, _)| kind.kind == types.kind).cloned()
        };
        if let Some(found) = known(self) {
            return Ok(found);
        }
        let served = match types.api_version.as_str() {
            "v1" => client.list_core_api_resources("v1").await,
            version => client.list_api_group_resources(version).await,
        };
        let served = match served {
            Err(kube::Error::Api(status)) if status.code == 404 => Vec::new(),
            served => served?.resources,
        };
        let (group, version) = types.api_version.rsplit_once('/').unwrap_or(("", &types.api_version));
        let objects = served.into_iter().filter(|resource| !resource.name.contains('/'));
        let kinds = objects.map(|resource| {
            let kind = ApiResource {
                group: group.to_owned(),
                version: version.to_owned(),
                api_version: types.api_version.clone(),
                kind: resource.kind,
                plural: resource.name,
            };
            (kind, resource.namespaced)
        });
        self.0.insert(types.api_version.clone(), kinds.collect());
        known(self).ok_or_else(|| {
            let what = format!("no kind {} in {}", types.kind, types.api_version);
            kube::Error::Discovery(kube::error::DiscoveryError::MissingKind(what))
        })
    }
}
