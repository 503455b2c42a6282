//! The origin of a request: a client, or the cluster itself (controllers, kubelets). Injected faults apply to clients
//! only; a fault for the next five requests, for example, would otherwise be used up by the cluster's own components.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requester {
    Client,
    Cluster,
}
