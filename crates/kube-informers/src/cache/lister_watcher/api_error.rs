//! ApiError: the error of a LIST or a WATCH. Upstream: `apimachinery/pkg/api/errors` and `tools/cache/reflector.go`.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use kube_core::Status;

use super::decode_error::DecodeError;
use crate::cache::error::BoxError;

/// The error of a list or a watch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiError {
    /// The API server answered with a Status instead of objects.
    #[error("{}", text(.0))]
    Status(Box<Status>),
    /// The request could not be built or sent, or its answer broke off. The cause says why.
    #[error("the request to the API server failed")]
    Client(#[source] BoxError),
    /// The server sent nothing for this long, so the client gave up the request. The connection is probably dead.
    #[error("nothing came from the API server for {0:?}")]
    Silent(Duration),
    /// The watch stayed open and silent after its timeout. The connection is probably dead.
    #[error("the API server did not end the watch at its timeout")]
    Overdue,
    /// The list took longer than this, so the client gave up the request.
    #[error("the list took longer than {0:?}")]
    TooLong(Duration),
    /// A page of a list has the same continue token as the page before it, so the list would never end.
    #[error("the list does not end: its continue token is the same again")]
    Endless,
    /// A part of the answer that has to be held as a whole is longer than this, so the client gave up the request.
    #[error("{what} in the API server's answer is longer than {limit} bytes")]
    TooLarge {
        /// The part, such as `an object`.
        what: &'static str,
        /// The most bytes that are accepted.
        limit: usize,
    },
    /// The answer cannot be decoded. The cause contains no value of an object, because it may be a secret.
    #[error("the API server's answer cannot be read")]
    Decode(#[source] DecodeError),
    /// The answer to a list request is not a list.
    #[error("the API server's answer is not a list but a {0}")]
    NotAList(String),
    /// The answer is a list of another kind.
    #[error("the API server's answer is a {answered}, and not a {asked}")]
    OtherList {
        /// The requested kind of list.
        asked: String,
        /// The received kind of list.
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
    /// Returns the server's Status, if it sent one.
    pub fn status(&self) -> Option<&Status> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }

    /// Returns true if the resourceVersion or the continue token is too old for the server (client-go's
    /// `IsResourceExpired` and `IsGone`).
    pub fn is_expired(&self) -> bool {
        self.has_reason(&["Expired", "Gone"], 410)
    }

    /// Returns true if the object or the resource does not exist (client-go's `IsNotFound`).
    pub fn is_not_found(&self) -> bool {
        self.has_reason(&["NotFound"], 404)
    }

    /// Returns true if the server failed internally (client-go's `IsInternalError`).
    pub fn is_internal(&self) -> bool {
        self.has_reason(&["InternalError"], 500)
    }

    /// Returns true if the server does not support the request, such as a streaming list.
    pub(crate) fn is_unsupported(&self) -> bool {
        [("BadRequest", 400), ("NotFound", 404), ("MethodNotAllowed", 405), ("Invalid", 422)]
            .into_iter()
            .any(|(reason, code)| self.has_reason(&[reason], code))
    }

    /// Returns true if the Status has one of these reasons. If its reason is not one of Kubernetes' own, the HTTP code
    /// decides.
    fn has_reason(&self, reasons: &[&str], code: u16) -> bool {
        self.status().is_some_and(|status| {
            let reason = status.reason.as_str();
            reasons.contains(&reason) || (status.code == code && !REASONS.contains(&reason))
        })
    }

    /// Returns true if the server has not seen the requested resourceVersion yet. Servers of different
    /// versions report this in three ways (client-go's `isTooLargeResourceVersionError`).
    pub fn is_too_large_resource_version(&self) -> bool {
        let Some(status) = self.status() else { return false };
        let causes = status.details.as_ref().map(|details| details.causes.as_slice()).unwrap_or_default();
        let is_too_large = |message: &str| message.contains("Too large resource version");
        causes.iter().any(|cause| cause.reason == "ResourceVersionTooLarge")
            || (status.reason == "Timeout"
                && (is_too_large(&status.message) || causes.iter().any(|cause| is_too_large(&cause.message))))
    }

    /// Returns true if the server is overloaded and wants the client to wait (client-go's `IsTooManyRequests`).
    pub fn is_too_many_requests(&self) -> bool {
        self.status().is_some_and(|status| status.reason == "TooManyRequests" || status.code == 429)
    }

    /// Returns true if the client gave up the request, because the server sent nothing.
    pub fn is_silence(&self) -> bool {
        matches!(self, Self::Silent(_) | Self::Overdue)
    }

    /// Returns true if the server's address refused the connection (client-go's `IsConnectionRefused`).
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

/// Returns the message of a Status; without a message its reason, else its code.
fn text(status: &Status) -> String {
    match (status.message.as_str(), status.reason.as_str()) {
        ("", "") => format!("the API server answered {}", status.code),
        ("", reason) => reason.to_owned(),
        (message, _) => message.to_owned(),
    }
}
