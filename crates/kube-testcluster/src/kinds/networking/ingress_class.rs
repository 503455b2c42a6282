//! Ingress classes. Upstream: `pkg/apis/networking`.

use serde_json::{Value, json};

use crate::kinds::columns;
use crate::kinds::resource::{Generation, Resource, Scope};
use crate::machinery::fill::part;

/// The row of an IngressClass.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "networking.k8s.io",
    plural: "ingressclasses",
    singular: "ingressclass",
    kind: "IngressClass",
    storage_hash: "l/iqIbDgFyQ=",
    scope: Scope::Cluster,
    generation: Generation::Counted,
    defaults: set_defaults,
    columns: columns::networking::CLASSES,
    ..Resource::USUAL
};

/// Upstream: `SetDefaults_IngressClass`.
fn set_defaults(class: &mut Value) {
    let parameters = part(class, "spec").and_then(|spec| part(spec, "parameters"));
    if let Some(parameters) = parameters.filter(|parameters| parameters["scope"].is_null()) {
        parameters["scope"] = json!("Cluster");
    }
}
