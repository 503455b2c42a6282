//! Who sends a request.

use http::Extensions;

use crate::store::Requester;

impl Requester {
    /// A request without the marker is a client's; only code in this process can set it.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get().copied().unwrap_or(Self::Client)
    }
}
