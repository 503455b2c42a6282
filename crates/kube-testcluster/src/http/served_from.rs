//! The header that tells whether storage or the watch cache answered a read.

use axum::response::Response;
use http::{HeaderName, HeaderValue};

const HEADER: HeaderName = HeaderName::from_static("x-served-from");

/// The two sources of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServedFrom {
    /// The counterpart of etcd.
    Storage,
    WatchCache,
}

impl ServedFrom {
    /// Adds the header to a response.
    pub(crate) fn stamp(self, mut response: Response) -> Response {
        let value = match self {
            Self::Storage => "storage",
            Self::WatchCache => "watch-cache",
        };
        response.headers_mut().insert(HEADER, HeaderValue::from_static(value));
        response
    }
}
