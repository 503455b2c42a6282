//! What a LIST or a WATCH can answer instead of objects, and what a Reflector makes of it.
//! Upstream: `apimachinery/pkg/api/errors` and `tools/cache/reflector.go`.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use kube_core::Status;

use super::decode_error::DecodeError;
use crate::cache::error::BoxError;

/// A list or a watch failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// The API server refused, and said why.
    #[error("{}", text(.0))]
    Status(Box<Status>),
    /// The request could not be made or sent, or its answer broke off: the network, TLS, credentials. The cause says which.
    #[error("the request to the API server failed")]
    Client(#[source] BoxError),
    /// Nothing came for this long, so the client gave the request up: the connection is probably dead.
    #[error("nothing came from the API server for {0:?}")]
    Silent(Duration),
    /// The watch went on in silence after the time at which the API server should have ended it: the connection is probably
    /// dead.
    #[error("the API server did not end the watch at its timeout")]
    Overdue,
    /// The list took longer than this, so the client gave it up.
    #[error("the list took longer than {0:?}")]
    TooLong(Duration),
    /// The last page of a list is followed by itself: the list has no end.
    #[error("the list does not end: its continue token is the same again")]
    Endless,
    /// The answer is not what was asked for. The cause has no value of an object.
    #[error("the API server's answer cannot be read")]
    Decode(#[source] DecodeError),
    /// The answer to a list is something else.
    #[error("the API server's answer is no list but a {0}")]
    NotAList(String),
    /// The answer is a list of something else.
    #[error("the API server's answer is a {answered}, and not a {asked}")]
    OtherList {
        /// The kind of list that was asked for.
        asked: String,
        /// The kind of list that came.
        answered: String,
    },
}

#[cfg(feature = "client")]
impl From<kube_client::Error> for ApiError {
    fn from(error: kube_client::Error) -> Self {
        match error {
            kube_client::Error::Api(status) => Self::Status(status),
            other => Self::Client(other.into()),
        }
    }
}

impl ApiError {
    /// The answer, if there was one.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// The resourceVersion or the continue token is no longer in the server's history.
    pub fn is_expired(&self) -> bool {
        self.says(&["Expired", "Gone"], 410)
    }

    /// There is no such object.
    pub fn is_not_found(&self) -> bool {
        self.says(&["NotFound"], 404)
    }

    /// Something is wrong inside of the server.
    pub fn is_internal(&self) -> bool {
        self.says(&["InternalError"], 500)
    }

    /// The server does not know what was asked of it.
    pub(crate) fn is_unsupported(&self) -> bool {
        [("BadRequest", 400), ("NotFound", 404), ("MethodNotAllowed", 405), ("Invalid", 422)]
            .into_iter()
            .any(|(reason, code)| self.says(&[reason], code))
    }

    /// Is the reason one of these? The code decides where the reason is none that Kubernetes defines.
    fn says(&self, reasons: &[&str], code: u16) -> bool {
        self.status().is_some_and(|status| {
            let reason = status.reason.as_str();
            reasons.contains(&reason) || (status.code == code && !REASONS.contains(&reason))
        })
    }

    /// The server does not have this resourceVersion yet; told in three ways by three generations of servers.
    pub fn is_too_large_resource_version(&self) -> bool {
        let Some(status) = self.status() else { return false };
        let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
        let says_so = |message: &str| message.contains("Too large resource version");
        causes.iter().any(|cause| cause.reason == "ResourceVersionTooLarge")
            || (status.reason == "Timeout"
                && (says_so(&status.message) || causes.iter().any(|cause| says_so(&cause.message))))
    }

    /// The server wants to be left alone for a moment.
    pub fn is_too_many_requests(&self) -> bool {
        self.status().is_some_and(|status| status.reason == "TooManyRequests" || status.code == 429)
    }

    /// The client gave the request up, since nothing came.
    pub fn is_silence(&self) -> bool {
        matches!(self, Self::Silent(_) | Self::Overdue)
    }

    /// Nobody listens at the server's address.
    pub fn is_connection_refused(&self) -> bool {
        let mut cause: Option<&(dyn StdError + 'static)> = Some(self);
        while let Some(error) = cause {
            if error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused) {
                return true;
            }
            cause = error.source();
        }
        false
    }
}

/// The reasons that Kubernetes defines (`knownReasons` in `apimachinery/pkg/api/errors`).
const REASONS: [&str; 19] = [
    "Unauthorized",
    "Forbidden",
    "NotFound",
    "AlreadyExists",
    "Conflict",
    "Gone",
    "Invalid",
    "ServerTimeout",
    "StorageReadError",
    "Timeout",
    "TooManyRequests",
    "BadRequest",
    "MethodNotAllowed",
    "NotAcceptable",
    "RequestEntityTooLarge",
    "UnsupportedMediaType",
    "InternalError",
    "Expired",
    "ServiceUnavailable",
];

fn text(status: &Status) -> String {
    match (status.message.as_str(), status.reason.as_str()) {
        ("", "") => format!("the API server answered {}", status.code),
        ("", reason) => reason.to_owned(),
        (message, _) => message.to_owned(),
    }
}
