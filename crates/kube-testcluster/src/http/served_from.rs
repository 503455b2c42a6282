//! Adds the response header `x-served-from`, which says if storage or the watch cache has answered a read. Upstream has
//! no such header; lessons and tests use it to see the watch cache at work.

use axum::response::Response;
use http::{HeaderName, HeaderValue};

use crate::store::ServedFrom;

const HEADER: HeaderName = HeaderName::from_static("x-served-from");

impl ServedFrom {
    pub(crate) fn add_header(self, response: &mut Response) {
        let value = match self {
            Self::Storage => "storage",
            Self::WatchCache => "watch-cache",
        };
        response.headers_mut().insert(HEADER, HeaderValue::from_static(value));
    }
}
