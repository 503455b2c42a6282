//! Streaming list: a WATCH that begins with what exists. Upstream: `watchList` in `tools/cache/reflector.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::yield_now;
use tokio::time::Instant;
use tracing::warn;

use super::patience::Patience;
use super::{Memory, Reflector, ReflectorError, SHORT};
use crate::cache::api_error::ApiError;
use crate::cache::error::{BoxError, Error};
use crate::cache::key::{Object, meta_namespace_key};
use crate::cache::list_options::{ListOptions, ResourceVersionMatch};
use crate::cache::lister_watcher::{WatchEvent, WatchStream};
use crate::cache::observe::Event;
use crate::cache::store::Transformer;

/// Why a streaming list failed; a LIST takes its place.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchListError {
    #[error(transparent)]
    Api(#[from] ApiError),
    #[error("very short watch: it ended within a second and without an event")]
    Short,
    #[error(transparent)]
    Store(#[from] Error),
}

/// What exists, so far: nothing of it is in the store before all of it is here.
struct Gathering<T> {
    objects: BTreeMap<String, Arc<T>>,
    transformer: Option<Transformer<T>>,
}

/// How one stream ended for the list.
enum Gathered<T> {
    /// All of it came; the watch goes on from this version.
    All { resource_version: String, objects: Vec<Arc<T>>, stream: WatchStream<T> },
    /// The stream ended before that.
    Part,
}

impl<T: Object + Send + Sync> Reflector<T> {
    /// Replaces the store's content with what a streaming list tells, and returns the watch, which goes on after it.
    ///
    /// A stream that ends early is opened again at once, a busy server is asked again later, and a version that is not to
    /// be had is given up for the most recent state.
    pub(super) async fn stream_list(&self, memory: &mut Memory) -> Result<WatchStream<T>, WatchListError> {
        loop {
            match self.gather(memory).await {
                Ok(Gathered::All { resource_version, objects, stream }) => {
                    memory.version_unavailable = false;
                    self.observer
                        .tell(|| Event::Listed { resource_version: resource_version.clone(), objects: objects.len() });
                    self.store.replace(objects, &resource_version)?;
                    self.set_version(resource_version);
                    return Ok(stream);
                }
                Ok(Gathered::Part) => {}
                Err(WatchListError::Api(error)) if error.is_connection_refused() || error.is_too_many_requests() => {
                    self.report(ReflectorError::Watch(self.source.description(), error));
                    memory.backoff.wait().await;
                }
                Err(WatchListError::Api(error)) if error.is_expired() || error.is_too_large_resource_version() => {
                    // Refused for the most recent state as well, it will not be had by asking again at once.
                    if memory.version_unavailable {
                        return Err(error.into());
                    }
                    memory.version_unavailable = true;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn gather(&self, memory: &mut Memory) -> Result<Gathered<T>, WatchListError> {
        let version = if memory.version_unavailable { String::new() } else { self.last_sync_resource_version() };
        let options = ListOptions {
            resource_version: Some(version),
            resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
            send_initial_events: Some(true),
            ..ListOptions::default()
        };
        let opened = Instant::now();
        let mut stream = self.open_watch(options, memory).await?;
        let mut gathering = Gathering { objects: BTreeMap::new(), transformer: self.store.transformer() };
        let mut events = 0_u64;
        let mut patience = Patience::new();
        while let Some(event) = patience.next(&mut stream, &self.source.description()).await {
            events += 1;
            match event {
                WatchEvent::Bookmark { resource_version, initial_events_end: true } => {
                    let objects = gathering.objects.into_values().collect();
                    return Ok(Gathered::All { resource_version, objects, stream });
                }
                WatchEvent::Bookmark { .. } => {}
                WatchEvent::Error(status) => {
                    let error = ApiError::Status(status);
                    self.observer.tell(|| Event::WatchFailed { error: error.to_string() });
                    return Err(error.into());
                }
                WatchEvent::Added(object) => {
                    self.tell_watched("ADDED", &*object);
                    gathering.put(object);
                }
                WatchEvent::Modified(object) => {
                    self.tell_watched("MODIFIED", &*object);
                    gathering.put(object);
                }
                WatchEvent::Deleted(object) => {
                    self.tell_watched("DELETED", &*object);
                    gathering.remove(&object);
                }
            }
            yield_now().await;
        }
        if events == 0 && opened.elapsed() < SHORT { Err(WatchListError::Short) } else { Ok(Gathered::Part) }
    }
}

impl<T: Object> Gathering<T> {
    /// An object that the transformer refuses is lost, as in a watch.
    fn put(&mut self, object: Arc<T>) {
        if let Err(error) = self.try_put(object) {
            warn!("an object of a streaming list was lost: {error}");
        }
    }

    fn try_put(&mut self, object: Arc<T>) -> Result<(), BoxError> {
        let key = meta_namespace_key(&*object);
        let object = match &self.transformer {
            Some(transform) => transform(object)?,
            None => object,
        };
        self.objects.insert(key, object);
        Ok(())
    }

    fn remove(&mut self, object: &T) {
        self.objects.remove(&meta_namespace_key(object));
    }
}
