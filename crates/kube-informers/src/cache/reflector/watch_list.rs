//! Streaming list: gets the existing objects as the first events of a WATCH, which then continues with the changes.
//! Upstream: `watchList` in `tools/cache/reflector.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::yield_now;
use tokio::time::Instant;

use super::patience::Patience;
use super::{About, Memory, OpenWatch, Reflector, ReflectorError, SHORT};
use crate::cache::causes::with_causes;
use crate::cache::error::{BoxError, Error};
use crate::cache::key::{Object, meta_namespace_key};
use crate::cache::lister_watcher::{ApiError, ListOptions, ResourceVersionMatch, WatchEvent};
use crate::cache::observe::Event;
use crate::cache::store::Transformer;

/// The failure of a streaming list. A LIST replaces it.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchListError {
    /// The server does not support streaming lists, or does not have the resourceVersion. This is not reported, because a
    /// list works.
    #[error(transparent)]
    Refused(ReflectorError),
    #[error("very short watch: it ended within a second and without an event")]
    Short,
    /// A failure that is reported.
    #[error(transparent)]
    Failed(ReflectorError),
}

/// The objects received so far. They reach the store only when all have come.
struct Gathering<T> {
    objects: BTreeMap<String, Arc<T>>,
    transformer: Transformer<T>,
}

/// The result of one watch that was opened for a streaming list.
enum Gathered<T> {
    /// All objects came. The watch continues with the changes after `resource_version`.
    All { resource_version: String, objects: Vec<Arc<T>>, watch: OpenWatch<T> },
    /// The stream ended before all objects had come.
    Part,
}

impl<T: Object + Send + Sync> Reflector<T> {
    /// Replaces the store's content with the objects of a streaming list, and returns the watch, which continues with the
    /// changes.
    ///
    /// A stream that ends early is opened again: at once the first time, as upstream, and then after a wait. The same
    /// wait follows a refused connection or a busy server. If the server does not have the resourceVersion, the next try
    /// requests the most recent state.
    pub(super) async fn stream_list(&self, memory: &mut Memory) -> Result<OpenWatch<T>, WatchListError> {
        let source = || self.source.description();
        let mut patience = Patience::new();
        let mut was_cut = false;
        loop {
            match self.gather(&mut patience, memory).await {
                Ok(Gathered::All { resource_version, objects, watch }) => {
                    memory.version_unavailable = false;
                    self.tell_listed(&resource_version, &objects);
                    let replaced = self.store.replace(objects, &resource_version);
                    replaced.map_err(|error| WatchListError::Failed(ReflectorError::Store(source(), error)))?;
                    self.works(About::List);
                    self.works(About::Store);
                    self.works(About::Object);
                    self.replace_version(resource_version);
                    return Ok(watch);
                }
                Ok(Gathered::Part) if !was_cut => was_cut = true,
                Ok(Gathered::Part) => {
                    self.report(ReflectorError::Cut(source()));
                    memory.backoff.wait().await;
                }
                Err(WatchListError::Failed(error)) => self.recover(error, memory).await?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Prepares the next try after a failure.
    ///
    /// # Errors
    /// The streaming list should not be tried again.
    async fn recover(&self, failure: ReflectorError, memory: &mut Memory) -> Result<(), WatchListError> {
        let Some(error) = failure.api_error() else { return Err(WatchListError::Failed(failure)) };
        if error.is_connection_refused() || error.is_too_many_requests() {
            self.report(failure);
            memory.backoff.wait().await;
            return Ok(());
        }
        let (expired, too_large) = (error.is_expired(), error.is_too_large_resource_version());
        if (expired || too_large) && !memory.version_unavailable {
            memory.version_unavailable = true;
            return Ok(());
        }
        // `expired` here means that the server refused even the most recent state, so another try would fail too.
        if expired || error.is_unsupported() {
            return Err(WatchListError::Refused(failure));
        }
        Err(WatchListError::Failed(failure))
    }

    async fn gather(&self, patience: &mut Patience, memory: &mut Memory) -> Result<Gathered<T>, WatchListError> {
        let version = if memory.version_unavailable { String::new() } else { self.last_sync_resource_version() };
        let options = ListOptions {
            resource_version: Some(version),
            resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
            send_initial_events: Some(true),
            ..ListOptions::default()
        };
        let opened = Instant::now();
        let refused = |error| WatchListError::Failed(ReflectorError::Watch(self.source.description(), error));
        let mut watch = self.open_watch(options, memory).await.map_err(refused)?;
        watch.limit_silence(Some(self.options.answer_timeout));
        let mut gathering = Gathering { objects: BTreeMap::new(), transformer: self.store.transformer() };
        let mut events = 0_u64;
        let source = self.source.description();
        while let Some(event) = patience.next(&mut watch, &source).await.map_err(|error| self.gave_up(error))? {
            events += 1;
            match event {
                WatchEvent::Bookmark { resource_version, initial_events_end: true } => {
                    let objects = gathering.objects.into_values().collect();
                    watch.limit_silence(None);
                    return Ok(Gathered::All { resource_version, objects, watch });
                }
                WatchEvent::Bookmark { .. } => {}
                WatchEvent::Error(status) => return Err(self.gave_up(ApiError::Status(status))),
                WatchEvent::Added(object) => {
                    self.tell_watched("ADDED", &*object);
                    self.gather_one(&mut gathering, "ADDED", object);
                }
                WatchEvent::Modified(object) => {
                    self.tell_watched("MODIFIED", &*object);
                    self.gather_one(&mut gathering, "MODIFIED", object);
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

    fn gave_up(&self, error: ApiError) -> WatchListError {
        self.observer.tell::<T>(|| Event::WatchFailed { error: with_causes(&error).to_string() });
        let source = self.source.description();
        WatchListError::Failed(match error.is_silence() {
            true => ReflectorError::Watch(source, error),
            false => ReflectorError::WatchEnded(source, error),
        })
    }

    /// Adds an object to the received ones. An object that the transformer refuses is lost, as in a watch.
    fn gather_one(&self, gathering: &mut Gathering<T>, event: &'static str, object: Arc<T>) {
        if let Err((key, error)) = gathering.put(object) {
            self.lost(event, key, Error::Transform(error));
        }
    }
}

impl<T: Object> Gathering<T> {
    /// Transforms and keeps an object. The error has the object's key and the transformer's error.
    fn put(&mut self, object: Arc<T>) -> Result<(), (String, BoxError)> {
        let key = meta_namespace_key(&*object);
        match self.transformer.apply(object) {
            Ok(object) => self.objects.insert(key, object),
            Err(error) => return Err((key, error)),
        };
        Ok(())
    }

    fn remove(&mut self, object: &T) {
        self.objects.remove(&meta_namespace_key(object));
    }
}
