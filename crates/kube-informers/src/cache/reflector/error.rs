//! ReflectorError: a Reflector reports failures but returns no error, because it tries again until it is stopped.

use crate::cache::causes::with_causes;
use crate::cache::error::Error;
use crate::cache::lister_watcher::ApiError;

/// A failure of a Reflector, for information only. The first field describes the source, such as `pods`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectorError {
    /// The list failed.
    #[error("cannot list {0}")]
    List(String, #[source] ApiError),
    /// The list was stored, but it has no resourceVersion from which a watch could continue, so every watch begins with
    /// a new list.
    #[error("the list of {0} has no resourceVersion, so every watch begins with a new list")]
    NoVersion(String),
    /// The watch could not be opened.
    #[error("cannot watch {0}")]
    Watch(String, #[source] ApiError),
    /// The watch failed after it had been opened.
    #[error("the watch of {0} failed")]
    WatchEnded(String, #[source] ApiError),
    /// Several watches in a row ended within a second and without an event; the second field is their number. A new
    /// list follows each of them, so the store is updated, but late. A proxy may be ending the requests.
    #[error("{1} watches of {0} in a row ended within a second and without an event")]
    ShortWatches(String, u32),
    /// A streaming list was cut off for at least the second time in a row. A proxy may be cutting the answers short.
    #[error("the streaming list of {0} was cut off before its end")]
    Cut(String),
    /// The store or queue refused a list.
    #[error("cannot take over the list of {0}")]
    Store(String, #[source] Error),
    /// The store, the queue or a transformer refused the object of one event. The change is lost until the next change
    /// or list.
    #[error("the {event} event of {key:?} was lost, of {source_name}")]
    Lost {
        /// The description of the source, such as `pods`.
        source_name: String,
        /// `ADDED`, `MODIFIED`, `DELETED` or `BOOKMARK`.
        event: &'static str,
        /// The object's key; for a bookmark its resourceVersion.
        key: String,
        /// The reason.
        #[source]
        error: Error,
    },
    /// The store or queue could not resync.
    #[error("cannot resync {0}")]
    Resync(String, #[source] Error),
}

/// The subject of a failure. The log warns once per subject about a failure that repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    List,
    Version,
    Open,
    Watch,
    ShortWatches,
    Store,
    Object,
    Resync,
}

impl ReflectorError {
    /// Returns true if the server no longer has the resourceVersion: the usual end of a watch that was interrupted for
    /// too long.
    pub fn is_expired(&self) -> bool {
        match self {
            Self::Watch(_, error) | Self::WatchEnded(_, error) => error.is_expired(),
            _ => false,
        }
    }

    pub(super) fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::List(_, error) | Self::Watch(_, error) | Self::WatchEnded(_, error) => Some(error),
            _ => None,
        }
    }

    pub(super) fn subject(&self) -> Subject {
        match self {
            Self::List(..) | Self::Cut(_) => Subject::List,
            Self::NoVersion(_) => Subject::Version,
            Self::Watch(..) => Subject::Open,
            Self::WatchEnded(..) => Subject::Watch,
            Self::ShortWatches(..) => Subject::ShortWatches,
            Self::Store(..) => Subject::Store,
            Self::Lost { .. } => Subject::Object,
            Self::Resync(..) => Subject::Resync,
        }
    }

    /// Returns the text by which a repeated failure is recognised. For a lost object it is only the reason, because the
    /// log should not warn about each object. For short watches it leaves out their number, which grows.
    pub(super) fn dedup_text(&self) -> String {
        match self {
            Self::Lost { error, .. } => with_causes(error).to_string(),
            Self::ShortWatches(source, _) => source.clone(),
            error => with_causes(error).to_string(),
        }
    }
}
