//! The errors of a request to the API server, with kube-client's messages, because traces contain them.

use std::convert::Infallible;

use kube_core::Status;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server answered with an error.
    #[error("ApiError: {0} ({0:?})")]
    Api(#[source] Box<Status>),
    /// The service failed, or the response broke off.
    #[error("ServiceError: {0}")]
    Service(#[source] tower::BoxError),
    /// The response is not UTF-8.
    #[error("UTF-8 Error: {0}")]
    FromUtf8(#[source] std::string::FromUtf8Error),
    /// A watch broke off.
    #[error("Error reading events stream: {0}")]
    ReadEvents(#[source] std::io::Error),
    /// The request cannot be built.
    #[error("HttpError: {0}")]
    HttpError(#[source] http::Error),
    /// The response has another form than expected.
    #[error("Error deserializing response: {0}")]
    SerdeError(#[source] serde_json::Error),
    /// The parameters of the request contradict each other.
    #[error("Failed to build request: {0}")]
    BuildRequest(#[source] kube_core::request::Error),
    /// Never occurs, because there is no authentication.
    #[error("auth error: {0}")]
    Auth(#[source] Infallible),
}
