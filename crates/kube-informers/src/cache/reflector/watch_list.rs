//! Streaming list: the existing objects are the first events of a WATCH. Upstream: `watchList` in
//! `tools/cache/reflector.go`.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::yield_now;
use tokio::time::Instant;

use super::end_warning::EndWarning;
use super::{OpenWatch, Reflector, ReflectorError, RunState, SHORT, Subject};
use crate::cache::causes::with_causes;
use crate::cache::error::{BoxError, Error};
use crate::cache::key::{Object, meta_namespace_key};
use crate::cache::lister_watcher::{ApiError, ListOptions, ResourceVersionMatch, WatchEvent};
use crate::cache::observe::Event;
use crate::cache::store::Transformer;

/// The failure of a streaming list. A LIST replaces it.
#[derive(Debug, thiserror::Error)]
pub(super) enum WatchListError {
    /// The server does not support streaming lists, or does not have the resourceVersion. Not reported, because a list
    /// works.
    #[error(transparent)]
    Refused(ReflectorError),
    /// The watch ended within a second and without an event.
    #[error("very short watch: it ended within a second and without an event")]
    Short,
    /// Any other failure, which is reported.
    #[error(transparent)]
    Failed(ReflectorError),
}

/// The objects received so far (client-go's `temporaryStore`). They reach the store only when all have come.
struct TemporaryStore<T> {
    objects: BTreeMap<String, Arc<T>>,
    transformer: Transformer<T>,
}

/// The result of one try to receive a streaming list.
enum StreamedList<T> {
    /// All objects came. The watch continues with the changes after `resource_version`.
    Complete { resource_version: String, objects: Vec<Arc<T>>, watch: OpenWatch<T> },
    /// The stream ended before all objects had come.
    CutOff,
}

impl<T: Object + Send + Sync> Reflector<T> {
    /// Replaces the store's content, and returns the watch, which continues with the changes. A stream that ends early
    /// is opened again: at once the first time, as upstream, and then after a wait. The same wait follows a refused
    /// connection or a busy server. If the server does not have the resourceVersion, the next try requests the most
    /// recent state.
    pub(super) async fn stream_list(&self, state: &mut RunState) -> Result<OpenWatch<T>, WatchListError> {
        let source = || self.source.description();
        let mut end_warning = EndWarning::new();
        let mut was_cut = false;
        loop {
            match self.receive_list(&mut end_warning, state).await {
                Ok(StreamedList::Complete { resource_version, objects, watch }) => {
                    state.version_unavailable = false;
                    self.emit_listed(&resource_version, &objects);
                    let replaced = self.store.replace(objects, &resource_version);
                    replaced.map_err(|error| WatchListError::Failed(ReflectorError::Store(source(), error)))?;
                    self.succeeded(Subject::List);
                    self.succeeded(Subject::Store);
                    self.succeeded(Subject::Object);
                    self.replace_version(resource_version);
                    return Ok(watch);
                }
                Ok(StreamedList::CutOff) if !was_cut => was_cut = true,
                Ok(StreamedList::CutOff) => {
                    self.report(ReflectorError::Cut(source()));
                    state.backoff.wait().await;
                }
                Err(WatchListError::Failed(error)) => self.recover(error, state).await?,
                Err(error) => return Err(error),
            }
        }
    }

    /// Prepares the next try after a failure.
    ///
    /// # Errors
    /// The streaming list should not be tried again.
    async fn recover(&self, failure: ReflectorError, state: &mut RunState) -> Result<(), WatchListError> {
        let Some(error) = failure.api_error() else { return Err(WatchListError::Failed(failure)) };
        if error.is_connection_refused() || error.is_too_many_requests() {
            self.report(failure);
            state.backoff.wait().await;
            return Ok(());
        }
        let (expired, too_large) = (error.is_expired(), error.is_too_large_resource_version());
        if (expired || too_large) && !state.version_unavailable {
            state.version_unavailable = true;
            return Ok(());
        }
        // `expired` here means that the server refused even the most recent state, so another try would fail too.
        if expired || error.is_unsupported() {
            return Err(WatchListError::Refused(failure));
        }
        Err(WatchListError::Failed(failure))
    }

    /// Opens a watch and receives the existing objects, up to the bookmark that ends them.
    async fn receive_list(
        &self,
        end_warning: &mut EndWarning,
        state: &mut RunState,
    ) -> Result<StreamedList<T>, WatchListError> {
        let version = if state.version_unavailable { String::new() } else { self.last_sync_resource_version() };
        let options = ListOptions {
            resource_version: Some(version),
            resource_version_match: Some(ResourceVersionMatch::NotOlderThan),
            send_initial_events: Some(true),
            ..ListOptions::default()
        };
        let opened = Instant::now();
        let not_opened = |error| WatchListError::Failed(ReflectorError::Watch(self.source.description(), error));
        let mut watch = self.open_watch(options, state).await.map_err(not_opened)?;
        watch.limit_silence(Some(self.options.answer_timeout));
        let mut received = TemporaryStore { objects: BTreeMap::new(), transformer: self.store.transformer() };
        let mut events = 0_u64;
        let source = self.source.description();
        while let Some(event) =
            end_warning.next(&mut watch, &source).await.map_err(|error| self.stream_failed(error))?
        {
            events += 1;
            match event {
                WatchEvent::Bookmark { resource_version, initial_events_end: true } => {
                    let objects = received.objects.into_values().collect();
                    watch.limit_silence(None);
                    return Ok(StreamedList::Complete { resource_version, objects, watch });
                }
                WatchEvent::Bookmark { .. } => {}
                WatchEvent::Error(status) => return Err(self.stream_failed(ApiError::Status(status))),
                WatchEvent::Added(object) => {
                    self.emit_watched("ADDED", &*object);
                    self.keep_received(&mut received, "ADDED", object);
                }
                WatchEvent::Modified(object) => {
                    self.emit_watched("MODIFIED", &*object);
                    self.keep_received(&mut received, "MODIFIED", object);
                }
                WatchEvent::Deleted(object) => {
                    self.emit_watched("DELETED", &*object);
                    received.remove(&object);
                }
            }
            yield_now().await;
        }
        if events == 0 && opened.elapsed() < SHORT { Err(WatchListError::Short) } else { Ok(StreamedList::CutOff) }
    }

    /// Makes the error of a stream that failed. A silent stream counts as a watch that could not be opened.
    fn stream_failed(&self, error: ApiError) -> WatchListError {
        self.observer.emit::<T>(|| Event::WatchFailed { error: with_causes(&error).to_string() });
        let source = self.source.description();
        WatchListError::Failed(match error.is_silence() {
            true => ReflectorError::Watch(source, error),
            false => ReflectorError::WatchEnded(source, error),
        })
    }

    /// Adds an object to the received ones. An object that the transformer refuses is lost, as in a watch.
    fn keep_received(&self, received: &mut TemporaryStore<T>, event: &'static str, object: Arc<T>) {
        if let Err((key, error)) = received.put(object) {
            self.report_lost(event, key, Error::Transform(error));
        }
    }
}

impl<T: Object> TemporaryStore<T> {
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
