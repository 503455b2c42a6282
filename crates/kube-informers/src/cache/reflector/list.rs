//! The list phase of a Reflector. Upstream: `list` in `tools/cache/reflector.go`.

use std::sync::Arc;

use tokio::time::timeout;

use super::{Reflector, ReflectorError, RunState, Subject};
use crate::cache::causes::with_causes;
use crate::cache::key::{Object, meta_namespace_key};
use crate::cache::lister_watcher::pager::{self, Listed};
use crate::cache::lister_watcher::{ApiError, ListOptions};
use crate::cache::observe::{Event, Versioned};

/// The default page size, in objects, of a list that the server perhaps does not answer from its watch cache.
const PAGE: u32 = 500;

impl<T: Object + Send + Sync> Reflector<T> {
    /// Requests a list, passes it to the store, and remembers its resourceVersion.
    pub(super) async fn list(&self, state: &mut RunState) -> Result<(), ReflectorError> {
        let last = self.last_sync_resource_version();
        let version = match last.as_str() {
            // The most recent state, from storage.
            _ if state.version_unavailable => "",
            // The first list: any state, which the watch cache has at once.
            "" => "0",
            // A state that is not older than the last one seen.
            last => last,
        };
        // A limit beside a version other than "" and "0" would bypass the server's watch cache. So it is then sent only
        // to a server without a watch cache.
        let limit =
            self.options.page_size.unwrap_or(if state.paginated || matches!(version, "" | "0") { PAGE } else { 0 });
        let from_cache = version == "0";
        let options = ListOptions { resource_version: Some(version.to_owned()), limit, ..ListOptions::default() };
        let Listed { items, resource_version, paginated } =
            self.list_in_time(options, state).await.map_err(|error| {
                self.observer.emit::<T>(|| Event::ListFailed { error: with_causes(&error).to_string() });
                ReflectorError::List(self.source.description(), error)
            })?;
        self.succeeded(Subject::List);
        state.paginated |= paginated && from_cache;
        state.version_unavailable = false;
        self.emit_listed(&resource_version, &items);
        self.store
            .replace(items, &resource_version)
            .map_err(|error| ReflectorError::Store(self.source.description(), error))?;
        self.succeeded(Subject::Store);
        self.succeeded(Subject::Object);
        match resource_version.is_empty() {
            true => self.report(ReflectorError::NoVersion(self.source.description())),
            false => self.succeeded(Subject::Version),
        }
        self.replace_version(resource_version);
        Ok(())
    }

    pub(super) fn emit_listed(&self, resource_version: &str, objects: &[Arc<T>]) {
        self.observer.emit::<T>(|| Event::Listed {
            resource_version: resource_version.to_owned(),
            objects: objects.iter().map(|object| Versioned::of(meta_namespace_key(&**object), &**object)).collect(),
        });
    }

    /// Lists within [`ReflectorOptions::list_timeout`](super::ReflectorOptions::list_timeout). After a list that timed
    /// out, the next list requests the most recent state, because a client with its own retries may have hidden the
    /// answer that the server does not have the resourceVersion.
    async fn list_in_time(&self, options: ListOptions, state: &mut RunState) -> Result<Listed<T>, ApiError> {
        let limit = self.options.list_timeout;
        let listed = timeout(limit, self.list_or_most_recent(options, state)).await;
        let listed = listed.unwrap_or_else(|_| Err(ApiError::TooLong(limit)));
        state.version_unavailable |= matches!(listed, Err(ApiError::TooLong(_) | ApiError::Silent(_)));
        listed
    }

    /// Lists. If the server does not have the requested resourceVersion, lists once more for the most recent state.
    async fn list_or_most_recent(&self, options: ListOptions, state: &mut RunState) -> Result<Listed<T>, ApiError> {
        match pager::list(&*self.source, options.clone()).await {
            Err(error) if error.is_expired() || error.is_too_large_resource_version() => {
                state.version_unavailable = true;
                pager::list(&*self.source, ListOptions { resource_version: None, ..options }).await
            }
            other => other,
        }
    }
}
