//! The kinds of the group `networking.k8s.io`.

pub(super) mod ingress;
pub(super) mod ingress_class;
pub(super) mod network_policy;
