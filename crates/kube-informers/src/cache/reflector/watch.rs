//! WATCH: every change from a version on.

use futures::StreamExt;
use tokio::task::yield_now;
use tokio::time::Instant;
use tracing::warn;

use super::retry::RetryWindow;
use super::{Memory, Reflector, ReflectorError, SHORT};
use crate::cache::api_error::ApiError;
use crate::cache::delta::Deletion;
use crate::cache::key::{Object, object_to_name};
use crate::cache::list_options::ListOptions;
use crate::cache::lister_watcher::{WatchEvent, WatchStream};
use crate::cache::observe::Event;

/// How a watch ended.
enum End {
    /// The stream is over.
    Closed,
    /// The stream was over before anything came.
    Short,
    /// The server said that it failed.
    Failed(ApiError),
}

impl End {
    const SHORT: &str = "very short watch: it ended within a second and without an event";
}

impl<T: Object + Send + Sync> Reflector<T> {
    /// Watches, from `kept` if there is one and otherwise from the last version, until it takes a new list to go on;
    /// returns why. The store resyncs meanwhile, also while a watch is waited for.
    pub(super) async fn watch(
        &self,
        kept: Option<WatchStream<T>>,
        memory: &mut Memory,
    ) -> Result<String, ReflectorError> {
        let reason = tokio::select! {
            biased;
            error = self.resync_ticks() => format!("resync failed: {error}"),
            end = self.watch_again_and_again(kept, memory) => end?,
        };
        warn!("watch of {} ended: {reason}", self.source.description());
        Ok(reason)
    }

    async fn watch_again_and_again(
        &self,
        mut kept: Option<WatchStream<T>>,
        memory: &mut Memory,
    ) -> Result<String, ReflectorError> {
        let mut retry = RetryWindow::new(self.options.internal_errors);
        loop {
            let opened = Instant::now();
            let version = self.last_sync_resource_version();
            let has_version = kept.is_some() || !matches!(version.as_str(), "" | "0");
            let stream = match kept.take() {
                Some(stream) => Ok(stream),
                None => {
                    let options = ListOptions { resource_version: Some(version), ..ListOptions::default() };
                    self.open_watch(options, memory).await
                }
            };
            let end = match stream {
                Ok(stream) => self.consume(stream, opened, has_version).await,
                Err(error) if error.is_connection_refused() || error.is_too_many_requests() => {
                    self.report(ReflectorError::Watch(self.source.description(), error));
                    memory.backoff.wait().await;
                    continue;
                }
                Err(error) => return Err(ReflectorError::Watch(self.source.description(), error)),
            };
            match end {
                End::Closed => {}
                End::Short => return Ok(End::SHORT.into()),
                End::Failed(error) if error.is_too_many_requests() => memory.backoff.wait().await,
                End::Failed(error) if retry.allows(&error) => {}
                End::Failed(error) => return Ok(error.to_string()),
            }
        }
    }

    /// Opens a watch; what every watch asks for is added to `options`.
    pub(super) async fn open_watch(
        &self,
        options: ListOptions,
        memory: &mut Memory,
    ) -> Result<WatchStream<T>, ApiError> {
        let version = options.resource_version.clone().unwrap_or_default();
        let timeout = self.options.min_watch_timeout.as_secs_f64() * (1.0 + memory.random.f64());
        let options = ListOptions {
            timeout_seconds: timeout as u32, // one that is too long becomes the longest
            allow_watch_bookmarks: true,
            ..options
        };
        match self.source.watch(options).await {
            Ok(stream) => {
                self.observer.tell(|| Event::Watching { resource_version: version });
                Ok(stream)
            }
            Err(error) => {
                self.observer.tell(|| Event::WatchFailed { error: error.to_string() });
                Err(error)
            }
        }
    }

    /// Hands the events of one watch to the store until the stream ends.
    ///
    /// Of a watch that was opened without a version, the first ADDED events are what exists, in no order of versions; their
    /// versions count only once something else has come.
    async fn consume(&self, mut stream: WatchStream<T>, opened: Instant, has_version: bool) -> End {
        let mut events = 0_u64;
        let mut versions_count = has_version;
        while let Some(event) = stream.next().await {
            let added = matches!(event, WatchEvent::Added(_));
            let version = match self.store_event(event) {
                Ok(version) => version,
                Err(error) => {
                    self.observer.tell(|| Event::WatchFailed { error: error.to_string() });
                    return End::Failed(error);
                }
            };
            events += 1;
            versions_count |= !added;
            if versions_count {
                self.set_version(version);
            }
            self.consumers_turn().await;
        }
        if events == 0 && opened.elapsed() < SHORT { End::Short } else { End::Closed }
    }

    /// What waits in the queue of a slow consumer is for its slowness alone.
    async fn consumers_turn(&self) {
        match &self.consumer {
            Some(turns) => turns.give().await,
            None => yield_now().await,
        }
    }

    /// Hands one event to the store; what the store refuses is lost, as upstream. Returns the version that came with it.
    fn store_event(&self, event: WatchEvent<T>) -> Result<String, ApiError> {
        let (kind, object) = match &event {
            WatchEvent::Added(object) => ("ADDED", object.clone()),
            WatchEvent::Modified(object) => ("MODIFIED", object.clone()),
            WatchEvent::Deleted(object) => ("DELETED", object.clone()),
            WatchEvent::Bookmark { resource_version, .. } => return Ok(self.store_bookmark(resource_version)),
            WatchEvent::Error(status) => return Err(ApiError::Status(status.clone())),
        };
        let version = object.meta().resource_version.to_owned();
        self.tell_watched(kind, &*object);
        let stored = match event {
            WatchEvent::Added(_) => self.store.add(object),
            WatchEvent::Modified(_) => self.store.update(object),
            _ => self.store.delete(Deletion::Final(object)),
        };
        if let Err(error) = stored {
            warn!("a {kind} event was lost: {error}");
        }
        Ok(version)
    }

    pub(super) fn tell_watched(&self, kind: &'static str, object: &T) {
        self.observer.tell(|| Event::Watched {
            kind,
            key: object_to_name(object).to_string(),
            resource_version: object.meta().resource_version.to_owned(),
        });
    }

    fn store_bookmark(&self, version: &str) -> String {
        if let Err(error) = self.store.bookmark(version) {
            warn!("a bookmark was not stored: {error}");
        }
        version.to_owned()
    }
}
