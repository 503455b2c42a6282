//! Who sends a request.

use http::Extensions;

/// Faults spare the kubelet and the controllers: they belong to the cluster, and would otherwise use them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    Client,
    Cluster,
}

impl Asker {
    /// Whoever does not say so, which only somebody in this process can, is a client.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().copied().unwrap_or(Self::Client)
    }
}
