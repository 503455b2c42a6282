//! Who answered a read: said in a header, so that one can see which requests reach etcd.

use axum::response::Response;
use http::{HeaderName, HeaderValue};

const HEADER: HeaderName = HeaderName::from_static("x-served-from");

/// One of the two places that know the objects of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServedFrom {
    /// What etcd is to upstream.
    Storage,
    WatchCache,
}

impl ServedFrom {
    /// The answer with the header that says so.
    pub(crate) fn stamp(self, mut response: Response) -> Response {
        let value = match self {
            Self::Storage => "storage",
            Self::WatchCache => "watch-cache",
        };
        response.headers_mut().insert(HEADER, HeaderValue::from_static(value));
        response
    }
}
