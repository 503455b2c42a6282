//! Why a Reflector could not do what it is for.

use crate::cache::causes::with_causes;
use crate::cache::error::Error;
use crate::cache::lister_watcher::ApiError;

/// A Reflector failed, or lost something. It goes on by itself; this is for telling. The first field is what it lists and
/// watches.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectorError {
    /// The list failed.
    #[error("cannot list {0}")]
    List(String, #[source] ApiError),
    /// The list was taken over, but a watch cannot go on from it: each end of a watch leads to a new list.
    #[error("the list of {0} has no resourceVersion, so every watch begins with a new list")]
    NoVersion(String),
    /// The watch could not be opened.
    #[error("cannot watch {0}")]
    Watch(String, #[source] ApiError),
    /// The watch failed after it had been opened.
    #[error("the watch of {0} failed")]
    WatchEnded(String, #[source] ApiError),
    /// So many watches in a row ended within a second and without an event. Each leads to a new list after a wait, so the store
    /// follows, but late and at the cost of a list each time. Something between the server and the client may end requests at once.
    #[error("{1} watches of {0} in a row ended within a second and without an event")]
    ShortWatches(String, u32),
    /// A streaming list ended before all of it had come, and not for the first time: something between the server and the client
    /// may cut its answers short. It is asked for again.
    #[error("the streaming list of {0} was cut off before its end")]
    Cut(String),
    /// The store or queue refused a list.
    #[error("cannot take over the list of {0}")]
    Store(String, #[source] Error),
    /// The store, the queue or a transformer refused the object of one event: the change is lost until the object changes again
    /// or a list is made.
    #[error("the {event} event of {key:?} was lost, of {source_name}")]
    Lost {
        /// What is listed and watched.
        source_name: String,
        /// `ADDED`, `MODIFIED`, `DELETED` or `BOOKMARK`.
        event: &'static str,
        /// The object's key; the resourceVersion of a bookmark.
        key: String,
        /// Why.
        #[source]
        error: Error,
    },
    /// The store or queue could not resync.
    #[error("cannot resync {0}")]
    Resync(String, #[source] Error),
}

/// What a failure was about. One that repeats itself is in the log once for each of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
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
    /// Has the server forgotten the resourceVersion? That is no failure, but the ordinary end of a watch that was away for too
    /// long: a list follows.
    pub fn is_expired(&self) -> bool {
        match self {
            Self::Watch(_, error) | Self::WatchEnded(_, error) => error.is_expired(),
            _ => false,
        }
    }

    /// What the list or the watch said.
    pub(super) fn api_error(&self) -> Option<&ApiError> {
        match self {
            Self::List(_, error) | Self::Watch(_, error) | Self::WatchEnded(_, error) => Some(error),
            _ => None,
        }
    }

    pub(super) fn about(&self) -> About {
        match self {
            Self::List(..) | Self::Cut(_) => About::List,
            Self::NoVersion(_) => About::Version,
            Self::Watch(..) => About::Open,
            Self::WatchEnded(..) => About::Watch,
            Self::ShortWatches(..) => About::ShortWatches,
            Self::Store(..) => About::Store,
            Self::Lost { .. } => About::Object,
            Self::Resync(..) => About::Resync,
        }
    }

    /// The text by which a failure is known again. That of a lost object is the reason: not each object is news. That of short
    /// watches has no number: more of them are no news.
    pub(super) fn told_by(&self) -> String {
        match self {
            Self::Lost { error, .. } => with_causes(error).to_string(),
            Self::ShortWatches(source, _) => source.clone(),
            error => with_causes(error).to_string(),
        }
    }
}
