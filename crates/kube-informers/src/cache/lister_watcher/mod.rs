//! ListerWatcher: a Reflector's source of objects. Upstream: `ListerWatcher` in `tools/cache/listwatch.go`.

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

/// A Reflector's source of objects (client-go's `ListerWatcher`). `ListWatch` is the implementation for an API server.
pub trait ListerWatcher<T>: Send + Sync {
    /// Requests one page, or the whole list if the options have no limit.
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<T>, ApiError>>;

    /// Opens a watch. The stream ends when the server or the network ends the watch. Dropping the stream closes the
    /// watch.
    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<T>, ApiError>>;

    /// Returns true, the default, if the source may support streaming lists: watches that begin with the existing
    /// objects. If false, the Reflector lists instead.
    ///
    /// A source that returns true may still refuse a watch with
    /// [`send_initial_events`](ListOptions::send_initial_events), and the Reflector lists instead. Or it sends an
    /// [`Added`](WatchEvent::Added) of each existing object, a [`Bookmark`](WatchEvent::Bookmark) with
    /// `initial_events_end`, then the changes. Until that bookmark, the Reflector stores nothing; after
    /// [`ReflectorOptions::answer_timeout`](crate::cache::ReflectorOptions::answer_timeout) it gives up the watch and
    /// lists.
    fn has_watch_list(&self) -> bool {
        true
    }

    /// Returns a description of the objects for messages, such as `pods in namespace "default"`.
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
    /// The list's resourceVersion, the same on all of its pages.
    pub resource_version: String,
    /// The token for the next page; `None` on the last page.
    pub continue_token: Option<String>,
}

impl<T> ListPage<T> {
    /// Makes the last page of a list with this resourceVersion, or the whole list.
    pub fn new(items: Vec<Arc<T>>, resource_version: impl Into<String>) -> Self {
        Self { items, resource_version: resource_version.into(), continue_token: None }
    }

    /// Adds the token for the next page.
    #[must_use]
    pub fn continued(self, token: impl Into<String>) -> Self {
        Self { continue_token: Some(token.into()), ..self }
    }
}

/// One event of a watch.
#[derive(Debug)]
#[non_exhaustive]
pub enum WatchEvent<T> {
    /// The object was created, began to match the selectors, or existed when the watch began.
    Added(Arc<T>),
    /// The object changed.
    Modified(Arc<T>),
    /// The object was deleted or no longer matches the selectors. This is its last state.
    Deleted(Arc<T>),
    /// Every change up to this resourceVersion has been sent.
    Bookmark {
        /// The resourceVersion up to which every change was sent.
        resource_version: String,
        /// True if the bookmark ends the initial events of a streaming list.
        initial_events_end: bool,
    },
    /// The watch failed. No event follows.
    Error(Box<Status>),
}

impl<T> WatchEvent<T> {
    /// Returns the event's object; `None` for a bookmark or an error.
    pub fn object(&self) -> Option<&Arc<T>> {
        match self {
            Self::Added(object) | Self::Modified(object) | Self::Deleted(object) => Some(object),
            Self::Bookmark { .. } | Self::Error(_) => None,
        }
    }
}
