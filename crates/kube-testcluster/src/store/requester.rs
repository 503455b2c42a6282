//! The origin of a request: a client, or the cluster itself.

/// The origin of a request. Faults apply to clients only; the cluster's own components would otherwise use them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requester {
    Client,
    Cluster,
}
