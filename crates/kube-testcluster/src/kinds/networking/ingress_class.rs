//! Ingress classes.

use crate::kinds::resource::{Generation, Resource, Scope};

/// The row of an IngressClass.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "networking.k8s.io",
    plural: "ingressclasses",
    singular: "ingressclass",
    kind: "IngressClass",
    storage_hash: "l/iqIbDgFyQ=",
    scope: Scope::Cluster,
    generation: Generation::Counted,
    ..Resource::USUAL
};
