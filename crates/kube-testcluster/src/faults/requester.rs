//! Whether a request comes from a client or from the cluster itself.

use http::Extensions;

/// Faults do not apply to the cluster's own components, which would otherwise use them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Requester {
    Client,
    Cluster,
}

impl Requester {
    /// A request without the marker is a client's; only code in this process can set it.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().copied().unwrap_or(Self::Client)
    }
}
