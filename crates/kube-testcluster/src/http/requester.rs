//! Reads the [`Requester`] of an HTTP request: a client, or the cluster itself. The function is not in `store/`, beside
//! the type, because the store knows nothing of HTTP.

use http::Extensions;

use crate::store::Requester;

impl Requester {
    /// Returns the requester that is marked in a request. A request without a mark is a client's; only code in this
    /// process can set one.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().copied().unwrap_or(Self::Client)
    }
}
