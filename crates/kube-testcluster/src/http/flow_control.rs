//! The headers that show a client that the server has API priority and fairness, so that the client need not limit its
//! own rate: cli-utils and Flux ask `/livez/ping` for them. This server queues no request, so all requests belong to
//! the flow schema and the priority level `exempt`. Upstream: `WithPriorityAndFairness`.

use axum::response::Response;
use http::{HeaderName, HeaderValue};

use super::request_info::would_connect;

const FLOW_SCHEMA: HeaderName = HeaderName::from_static("x-kubernetes-pf-flowschema-uid");
const PRIORITY_LEVEL: HeaderName = HeaderName::from_static("x-kubernetes-pf-prioritylevel-uid");

/// The UIDs of the flow schema and the priority level `exempt`, which are not served as objects.
const EXEMPT_FLOW: HeaderValue = HeaderValue::from_static("6a7a1a0e-0f6b-4c0d-9f0b-6d5a3c1e0001");
const EXEMPT_LEVEL: HeaderValue = HeaderValue::from_static("6a7a1a0e-0f6b-4c0d-9f0b-6d5a3c1e0002");

/// Returns true if a request with this path is classified. Long-running requests are not, except watches.
pub(crate) fn classifies(path: &str) -> bool {
    !would_connect(path)
}

/// Adds the headers to the response to a classified request.
pub(crate) fn classified(mut answer: Response) -> Response {
    answer.headers_mut().insert(FLOW_SCHEMA, EXEMPT_FLOW);
    answer.headers_mut().insert(PRIORITY_LEVEL, EXEMPT_LEVEL);
    answer
}
