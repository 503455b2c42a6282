//! Whether a request comes from a client or from the cluster itself.

/// Faults do not apply to the cluster's own components, which would otherwise use them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requester {
    Client,
    Cluster,
}
