//! Replication controllers. Upstream: `pkg/apis/core`.

use serde_json::{Value, json};

use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::resource::{Generation, Resource, Subresource};
use crate::machinery::fill::{empty, missing};

/// The row of a ReplicationController.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "replicationcontrollers",
    singular: "replicationcontroller",
    kind: "ReplicationController",
    storage_hash: "Jond2If31h0=",
    short_names: &["rc"],
    categories: &["all"],
    subresources: &[Subresource::Scale, Subresource::Status],
    generation: Generation::Counted,
    fields: &[("status.replicas", "/status/replicas", "0")],
    defaults: set_defaults,
    columns: columns::templates::CONTROLLERS,
    ..Resource::USUAL
};

/// The labels of the template are the selector's and the object's own. Upstream: `SetDefaults_ReplicationController`.
fn set_defaults(controller: &mut Value) {
    missing(controller, "spec", empty());
    let spec = &mut controller["spec"];
    missing(spec, "replicas", json!(1));
    if spec["template"].is_object() {
        pod::defaults::template(spec);
    }
    let labels = spec["template"]["metadata"]["labels"].clone();
    if !labels.is_object() {
        return;
    }
    let is_empty = |map: &Value| map.as_object().is_none_or(serde_json::Map::is_empty);
    if is_empty(&spec["selector"]) {
        spec["selector"] = labels.clone();
    }
    if is_empty(&controller["metadata"]["labels"]) {
        controller["metadata"]["labels"] = labels;
    }
}
