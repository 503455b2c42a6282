//! Storage classes. Upstream: `pkg/apis/storage`.

use serde_json::{Value, json};

use crate::kinds::columns;
use crate::kinds::resource::{DeleteResponse, Resource, Scope};
use crate::machinery::fill::missing;

/// The row of a StorageClass.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "storage.k8s.io",
    plural: "storageclasses",
    singular: "storageclass",
    kind: "StorageClass",
    storage_hash: "K+m6uJwbjGY=",
    scope: Scope::Cluster,
    short_names: &["sc"],
    delete_response: DeleteResponse::Object,
    defaults: set_defaults,
    columns: columns::storage::CLASSES,
    ..Resource::USUAL
};

/// Upstream: `SetDefaults_StorageClass`.
fn set_defaults(class: &mut Value) {
    missing(class, "reclaimPolicy", json!("Delete"));
    missing(class, "volumeBindingMode", json!("Immediate"));
}
