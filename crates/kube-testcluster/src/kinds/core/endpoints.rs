//! Endpoints. Upstream: `pkg/apis/core`.

use serde_json::{Value, json};

use crate::kinds::columns;
use crate::kinds::resource::{Resource, Strategy};
use crate::machinery::fill::{list, missing};

/// The row of an Endpoints.
pub(in crate::kinds) const ROW: Resource = Resource {
    plural: "endpoints",
    singular: "endpoints",
    kind: "Endpoints",
    storage_hash: "fWeeMqaN/OA=",
    short_names: &["ep"],
    strategy: Strategy::CREATED_ON_UPDATE,
    defaults: set_defaults,
    columns: columns::endpoints::ENDPOINTS,
    ..Resource::USUAL
};

/// Upstream: `SetDefaults_Endpoints`.
fn set_defaults(endpoints: &mut Value) {
    for port in list(endpoints, "subsets").flat_map(|subset| list(subset, "ports")) {
        missing(port, "protocol", json!("TCP"));
    }
}
