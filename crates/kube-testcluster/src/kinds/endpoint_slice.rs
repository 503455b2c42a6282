//! Endpoint slices. Upstream: `pkg/apis/discovery`, `pkg/registry/discovery/endpointslice`.

use serde_json::{Value, json};

use crate::kinds::columns;
use crate::kinds::resource::Change;
use crate::kinds::resource::{Generation, Resource};
use crate::machinery::fill::{list, missing, object};

/// The row of an EndpointSlice.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "discovery.k8s.io",
    plural: "endpointslices",
    singular: "endpointslice",
    kind: "EndpointSlice",
    storage_hash: "qgS0xkrxYAI=",
    generation: Generation::CountedAt(&["/addressType", "/endpoints", "/ports", "/metadata/labels"]),
    defaults: set_defaults,
    prepare,
    columns: columns::endpoints::SLICES,
    ..Resource::USUAL
};

/// Upstream: `SetDefaults_EndpointPort`.
fn set_defaults(slice: &mut Value) {
    for port in list(slice, "ports") {
        missing(port, "name", json!(""));
        missing(port, "protocol", json!("TCP"));
    }
}

/// Removes what only the version before could say. Upstream: `dropTopologyOnV1`.
fn prepare(new: &mut Value, _: &Change<'_>) {
    for endpoint in list(new, "endpoints") {
        object(endpoint).remove("deprecatedTopology");
    }
}
