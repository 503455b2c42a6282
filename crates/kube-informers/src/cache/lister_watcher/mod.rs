//! What a Reflector lists and watches. Upstream: `ListerWatcher` in `tools/cache/listwatch.go`.

mod api_error;
mod decode_error;
mod list_options;
#[cfg(feature = "client")]
mod list_watch;
pub(super) mod pager;

use std::sync::Arc;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use kube_core::Status;

pub use api_error::ApiError;
pub use decode_error::DecodeError;
#[cfg(feature = "client")]
pub(super) use list_options::Tweak;
pub use list_options::{ListOptions, ResourceVersionMatch};
#[cfg(feature = "client")]
pub use list_watch::ListWatch;
#[cfg(feature = "client")]
pub(super) use list_watch::ManagedFields;

/// Where a Reflector gets its objects (client-go's `ListerWatcher`). `ListWatch` is the one that asks an API server.
pub trait ListerWatcher<T>: Send + Sync {
    /// Asks for one page, or for everything if there is no limit.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<T>, ApiError>>;

    /// Opens a watch. The stream ends when the server or the network ends it; dropping it closes the watch.
    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<T>, ApiError>>;

    /// Can a watch begin with what exists (a streaming list)? A source that says no is listed instead.
    ///
    /// A source that says yes, as is the default, either refuses a watch whose options have
    /// [`send_initial_events`](ListOptions::send_initial_events), and is listed, or sends an [`Added`](WatchEvent::Added) of each
    /// object that exists and then a [`Bookmark`](WatchEvent::Bookmark) with `initial_events_end`, and goes on with the changes.
    /// Without that bookmark nothing is stored until the Reflector gives the watch up for a list
    /// ([`ReflectorOptions::answer_timeout`](crate::cache::ReflectorOptions::answer_timeout)).
    fn has_watch_list(&self) -> bool {
        true
    }

    /// What is listed and watched, for messages.
    fn description(&self) -> String {
        "objects".to_owned()
    }
}

/// The events of one watch.
pub type WatchStream<T> = BoxStream<'static, WatchEvent<T>>;

/// One page of a list, or the whole list.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListPage<T> {
    /// The objects, in the order of the answer.
    pub items: Vec<Arc<T>>,
    /// The version of the list, the same on every page of it.
    pub resource_version: String,
    /// How to ask for the next page; nothing on the last one.
    pub continue_token: Option<String>,
}

impl<T> ListPage<T> {
    /// The last page of a list of this version, or the whole list.
    pub fn new(items: Vec<Arc<T>>, resource_version: impl Into<String>) -> Self {
        Self { items, resource_version: resource_version.into(), continue_token: None }
    }

    /// Another page follows; it is asked for with this token.
    #[must_use]
    pub fn continued(self, token: impl Into<String>) -> Self {
        Self { continue_token: Some(token.into()), ..self }
    }
}

/// One event of a watch.
#[derive(Debug)]
#[non_exhaustive]
pub enum WatchEvent<T> {
    /// The object was created, begins to match, or was there when the watch began.
    Added(Arc<T>),
    /// The object changed.
    Modified(Arc<T>),
    /// The object was deleted, or no longer matches: its last state.
    Deleted(Arc<T>),
    /// Every change up to this resourceVersion has been sent.
    Bookmark {
        /// Up to here.
        resource_version: String,
        /// Does it end the initial events of a streaming list?
        initial_events_end: bool,
    },
    /// The watch failed; nothing more comes.
    Error(Box<Status>),
}

impl<T> WatchEvent<T> {
    /// The object that the event is about; none for a bookmark and an error.
    pub fn object(&self) -> Option<&Arc<T>> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => Some(object),
            Self::Bookmark { .. } | Self::Error(_) => None,
        }
    }
}
