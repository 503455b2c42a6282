//! How a request can fail. The words are kube-client's: they stand in traces.

use std::convert::Infallible;

use kube_core::Status;

/// A request failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server refused.
    #[error("ApiError: {0} ({0:?})")]
    Api(#[source] Box<Status>),
    /// The service failed, or the answer broke off.
    #[error("ServiceError: {0}")]
    Service(#[source] tower::BoxError),
    /// The answer is no text.
    #[error("UTF-8 Error: {0}")]
    FromUtf8(#[source] std::string::FromUtf8Error),
    /// A watch broke off.
    #[error("Error reading events stream: {0}")]
    ReadEvents(#[source] std::io::Error),
    /// The request cannot be put together.
    #[error("HttpError: {0}")]
    HttpError(#[source] http::Error),
    /// The answer is not what was asked for.
    #[error("Error deserializing response: {0}")]
    SerdeError(#[source] serde_json::Error),
    /// The parameters of the request do not go together.
    #[error("Failed to build request: {0}")]
    BuildRequest(#[source] kube_core::request::Error),
    /// Never here: nobody is asked who they are.
    #[error("auth error: {0}")]
    Auth(#[source] Infallible),
}
