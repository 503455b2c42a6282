//! Reads from an HTTP request if it comes from a client or from the cluster itself; see [`Requester`]. It is apart from
//! the type, because the store knows nothing of HTTP.

use http::Extensions;

use crate::store::Requester;

impl Requester {
    /// Returns the marker of a request. A request without one is a client's; only code in this process can set it.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().copied().unwrap_or(Self::Client)
    }
}
