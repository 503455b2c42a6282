//! The watch phase of a Reflector, after its list. Upstream: `watch` and `handleAnyWatch` in
//! `tools/cache/reflector.go`.

use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::{Instant, timeout};
use tracing::debug;

use super::retry::RetryWindow;
use super::{OpenWatch, Reflector, ReflectorError, RunState, SHORT, SHORT_IN_A_ROW, Subject};
use crate::cache::causes::with_causes;
use crate::cache::delta::Deletion;
use crate::cache::error::Error;
use crate::cache::key::{Object, meta_namespace_key, write_meta_namespace_key};
use crate::cache::lister_watcher::{ApiError, ListOptions, WatchEvent};
use crate::cache::observe::Event;

/// The way in which a watch ended.
enum End {
    /// The server ended the watch, or the client ended one that was still alive after its timeout.
    Closed,
    /// The stream ended within a second and without an event.
    Short,
    /// The server sent an error, or the client gave up the watch.
    Failed(ApiError),
}

impl End {
    const SHORT: &str = "very short watch: it ended within a second and without an event";
}

/// The key and resourceVersion of the last event, which are needed after the store has taken the object. The strings
/// are reused for all events of a watch, to avoid allocations.
#[derive(Default)]
struct LastEvent {
    key: String,
    version: String,
}

impl LastEvent {
    fn note(&mut self, object: &impl Object) {
        write_meta_namespace_key(object, &mut self.key);
        object.meta().resource_version.clone_into(&mut self.version);
    }
}

/// The reason for a new list after a watch that did not start from a list's resourceVersion.
const NO_VERSION: &str = "the list had no resourceVersion, so the next watch could miss changes";

impl<T: Object + Send + Sync> Reflector<T> {
    /// Watches until a new list is needed, and returns the reason. The first watch is `kept`, the watch of a streaming
    /// list, if there is one. Resyncs happen meanwhile, also while a watch is being opened.
    pub(super) async fn watch(
        &self,
        kept: Option<OpenWatch<T>>,
        state: &mut RunState,
    ) -> Result<String, ReflectorError> {
        let reason = tokio::select! {
            biased;
            error = self.resync_ticks() => {
                let reason = format!("resync failed: {error}");
                self.report(ReflectorError::Resync(self.source.description(), error));
                reason
            }
            end = self.watch_until_list(kept, state) => end?,
        };
        debug!("watch of {} ended: {reason}", self.source.description());
        Ok(reason)
    }

    /// Opens one watch after another until one ends in a way that needs a new list.
    async fn watch_until_list(
        &self,
        mut kept: Option<OpenWatch<T>>,
        state: &mut RunState,
    ) -> Result<String, ReflectorError> {
        let mut retry = RetryWindow::new(self.options.internal_errors);
        loop {
            let opened = Instant::now();
            let version = self.last_sync_resource_version();
            // Without a version, the watch begins with the existing objects (see `consume`).
            let has_version = kept.is_some() || !matches!(version.as_str(), "" | "0");
            // True if this watch continues from a list or an event. Otherwise a new list comes after it, because the next
            // watch could miss changes.
            let follows_the_list = kept.is_some() || !version.is_empty();
            let watch = match kept.take() {
                Some(watch) => Ok(watch),
                None => {
                    let options = ListOptions { resource_version: Some(version), ..ListOptions::default() };
                    self.open_watch(options, state).await
                }
            };
            let end = match watch {
                Ok(watch) => self.consume(watch, opened, has_version).await,
                Err(error) if error.is_connection_refused() || error.is_too_many_requests() => {
                    self.report(ReflectorError::Watch(self.source.description(), error));
                    state.backoff.wait().await;
                    continue;
                }
                Err(error) => return Err(ReflectorError::Watch(self.source.description(), error)),
            };
            match end {
                End::Closed => {
                    state.short_watches = 0;
                    self.succeeded(Subject::Watch);
                    self.succeeded(Subject::ShortWatches);
                }
                End::Short => {
                    state.short_watches += 1;
                    if state.short_watches.is_multiple_of(SHORT_IN_A_ROW) {
                        self.report(ReflectorError::ShortWatches(self.source.description(), state.short_watches));
                    }
                    return Ok(End::SHORT.into());
                }
                End::Failed(error) => {
                    state.short_watches = 0;
                    let reason = error.to_string();
                    let (busy, silent) = (error.is_too_many_requests(), error.is_silence());
                    let again = busy || silent || retry.allows(&error);
                    self.report(ReflectorError::WatchEnded(self.source.description(), error));
                    if !again {
                        return Ok(reason);
                    }
                    if busy {
                        state.backoff.wait().await;
                    }
                }
            }
            if !follows_the_list || self.last_sync_resource_version().is_empty() {
                return Ok(NO_VERSION.into());
            }
        }
    }

    /// Opens a watch with `options`, plus a random timeout and bookmarks.
    pub(super) async fn open_watch(
        &self,
        options: ListOptions,
        state: &mut RunState,
    ) -> Result<OpenWatch<T>, ApiError> {
        let version = options.resource_version.clone().unwrap_or_default();
        let seconds = self.options.min_watch_timeout.as_secs_f64() * (1.0 + state.random.f64());
        let seconds = seconds as u32; // the cast saturates
        let options = ListOptions { timeout_seconds: seconds, allow_watch_bookmarks: true, ..options };
        let limit = self.options.answer_timeout;
        let answer = timeout(limit, self.source.watch(options)).await;
        match answer.unwrap_or_else(|_| Err(ApiError::Silent(limit))) {
            Ok(stream) => {
                self.succeeded(Subject::Open);
                self.observer.emit::<T>(|| Event::Watching { resource_version: version });
                let limit = Duration::from_secs(seconds.into()).saturating_add(self.options.watch_grace);
                Ok(OpenWatch::new(stream, limit))
            }
            Err(error) => {
                self.observer.emit::<T>(|| Event::WatchFailed { error: with_causes(&error).to_string() });
                Err(error)
            }
        }
    }

    /// Passes the events of one watch to the store until the watch ends.
    ///
    /// A watch that was opened without a resourceVersion begins with ADDED events of the existing objects, in any
    /// order. Their resourceVersions are remembered only after a different event has come, because a watch from one of
    /// them would repeat changes.
    async fn consume(&self, mut watch: OpenWatch<T>, opened: Instant, has_version: bool) -> End {
        let mut events = 0_u64;
        let mut advances_version = has_version;
        let mut last = LastEvent::default();
        loop {
            let event = match watch.next().await {
                Ok(Some(event)) => event,
                Ok(None) => break,
                // An event came recently, so the connection is not dead.
                Err(ApiError::Overdue) if watch.last_event().elapsed() < self.options.bookmark_timeout => {
                    debug!("{} does not end its watches in time", self.source.description());
                    return End::Closed;
                }
                Err(error) => return self.watch_failed(error),
            };
            if matches!(event, WatchEvent::Bookmark { .. }) {
                watch.limit_silence(Some(self.options.bookmark_timeout));
            }
            let added = matches!(event, WatchEvent::Added(_));
            if let Err(error) = self.store_event(event, &mut last) {
                return self.watch_failed(error);
            }
            events += 1;
            advances_version |= !added;
            if advances_version {
                self.advance_version(&last.version);
            }
            self.let_consumer_run().await;
        }
        if events == 0 && opened.elapsed() < SHORT { End::Short } else { End::Closed }
    }

    fn watch_failed(&self, error: ApiError) -> End {
        self.observer.emit::<T>(|| Event::WatchFailed { error: with_causes(&error).to_string() });
        End::Failed(error)
    }

    /// Lets the consumer of the queue run before the next event is read, so that the queue grows only when the consumer
    /// is slow.
    async fn let_consumer_run(&self) {
        match &self.consumer {
            Some(turns) => turns.give().await,
            None => yield_now().await,
        }
    }

    /// Remembers an event as the last one and passes it to the store. If the store refuses it, the change is lost, as
    /// upstream, and reported.
    fn store_event(&self, event: WatchEvent<T>, last: &mut LastEvent) -> Result<(), ApiError> {
        let (kind, object) = match event {
            WatchEvent::Added(object) => ("ADDED", object),
            WatchEvent::Modified(object) => ("MODIFIED", object),
            WatchEvent::Deleted(object) => ("DELETED", object),
            WatchEvent::Bookmark { resource_version, .. } => {
                last.version = resource_version;
                self.store_bookmark(&last.version);
                return Ok(());
            }
            WatchEvent::Error(status) => return Err(ApiError::Status(status)),
        };
        last.note(&*object);
        self.emit_watched(kind, &*object);
        let stored = match kind {
            "ADDED" => self.store.add(object),
            "MODIFIED" => self.store.update(object),
            _ => self.store.delete(Deletion::Final(object)),
        };
        if let Err(error) = stored {
            self.report_lost(kind, last.key.clone(), error);
        }
        Ok(())
    }

    pub(super) fn emit_watched(&self, kind: &'static str, object: &T) {
        self.observer.emit::<T>(|| Event::Watched {
            kind,
            key: meta_namespace_key(object),
            resource_version: object.meta().resource_version.to_owned(),
        });
    }

    pub(super) fn report_lost(&self, event: &'static str, key: String, error: Error) {
        self.report(ReflectorError::Lost { source_name: self.source.description(), event, key, error });
    }

    fn store_bookmark(&self, version: &str) {
        if let Err(error) = self.store.bookmark(version) {
            self.report_lost("BOOKMARK", version.to_owned(), error);
        }
    }
}
