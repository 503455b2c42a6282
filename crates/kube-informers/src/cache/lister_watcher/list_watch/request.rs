//! The LIST and WATCH requests of a ListWatch. The `Accept` header decides whether the API server sends whole objects.

use futures::future::{BoxFuture, FutureExt};
use http::{Request, header};
use serde::de::DeserializeOwned;

use super::list::within;
use super::{ListWatch, list, watch};
use crate::cache::lister_watcher::{ApiError, ListOptions, ListPage, ListerWatcher, WatchStream};

/// The `Accept` headers of the two requests.
#[derive(Clone, Copy)]
pub(super) struct Accept {
    list: &'static str,
    watch: &'static str,
}

/// Accepts whole objects.
pub(super) const OBJECTS: Accept = Accept { list: "application/json, */*", watch: "application/json, */*" };

/// Accepts metadata only, without `*/*` as a fallback, because a server that cannot reduce objects to metadata would
/// then send whole objects.
pub(super) const METADATA: Accept = Accept {
    list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    watch: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
};

impl<T> ListWatch<T> {
    /// Builds a request from the options, after the user's tweaks.
    fn request(
        &self,
        mut options: ListOptions,
        query: fn(&ListOptions) -> String,
        accept: &'static str,
    ) -> Result<Request<Vec<u8>>, ApiError> {
        if let Some(tweak) = &self.tweak {
            tweak(&mut options);
        }
        let query = query(&options);
        let uri = if query.is_empty() { self.path.clone() } else { format!("{}?{query}", self.path) };
        Request::get(uri)
            .header(header::ACCEPT, accept)
            .body(Vec::new())
            .map_err(|error| ApiError::Client(error.into()))
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static> ListerWatcher<T> for ListWatch<T> {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListPage<T>, ApiError>> {
        async move {
            let request = self.request(options, ListOptions::list_query, self.accept.list)?;
            let body = within(self.idle_timeout, self.client.request_stream(request)).await??;
            list::read(body, &self.kind, self.idle_timeout).await
        }
        .boxed()
    }

    fn watch(&self, options: ListOptions) -> BoxFuture<'_, Result<WatchStream<T>, ApiError>> {
        async move {
            let mut request = self.request(options, ListOptions::watch_query, self.accept.watch)?;
            // No compression, because a server that compresses a watch holds back events until a block is full.
            request.headers_mut().insert(header::ACCEPT_ENCODING, header::HeaderValue::from_static("identity"));
            let body = within(self.idle_timeout, self.client.request_stream(request)).await??;
            Ok(watch::events(body, self.kind.clone()))
        }
        .boxed()
    }

    fn description(&self) -> String {
        self.description.clone()
    }
}
