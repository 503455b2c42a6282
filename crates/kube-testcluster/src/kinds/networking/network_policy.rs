//! Network policies.

use crate::kinds::resource::{Generation, Resource};

/// The row of a NetworkPolicy.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "networking.k8s.io",
    plural: "networkpolicies",
    singular: "networkpolicy",
    kind: "NetworkPolicy",
    storage_hash: "YpfwF18m1G8=",
    short_names: &["netpol"],
    generation: Generation::Counted,
    ..Resource::USUAL
};
