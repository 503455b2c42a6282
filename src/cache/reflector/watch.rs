//! WATCH: every change from a version on.

use std::pin::pin;

use futures::StreamExt;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};
use tracing::warn;

use super::{Memory, Reflector, ReflectorError, SHORT};
use crate::cache::api_error::ApiError;
use crate::cache::delta::Deletion;
use crate::cache::key::{Object, object_to_name};
use crate::cache::list_options::ListOptions;
use crate::cache::list_watch::{WatchEvent, WatchStream};
use crate::cache::observe::Event;

/// How a watch ended.
enum End {
    /// The stream is over: open it again.
    Closed,
    /// The server is busy: open it again later.
    Busy,
    /// It cannot go on from here: list again.
    Broken(String),
}

impl<T: Object + Send + Sync> Reflector<T> {
    /// Watches, from `kept` if there is one and otherwise from the last version, until it takes a new list to go on;
    /// returns why.
    pub(super) async fn watch(
        &self,
        mut kept: Option<WatchStream<T>>,
        memory: &mut Memory,
    ) -> Result<String, ReflectorError> {
        let mut resync_at = Instant::now() + self.resync;
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
                Ok(stream) => self.consume(stream, opened, has_version, &mut resync_at).await,
                Err(error) if error.is_connection_refused() || error.is_too_many_requests() => {
                    self.report(ReflectorError::Watch(self.source.description(), error));
                    End::Busy
                }
                Err(error) => return Err(ReflectorError::Watch(self.source.description(), error)),
            };
            match end {
                End::Closed => {}
                End::Busy => memory.backoff.wait().await,
                End::Broken(reason) => {
                    warn!("watch of {} ended: {reason}", self.source.description());
                    return Ok(reason);
                }
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
        let timeout = self.min_watch_timeout.mul_f64(1.0 + memory.random.f64());
        let options = ListOptions {
            timeout_seconds: timeout.as_secs().try_into().unwrap_or(u32::MAX),
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
    async fn consume(
        &self,
        mut stream: WatchStream<T>,
        opened: Instant,
        has_version: bool,
        resync_at: &mut Instant,
    ) -> End {
        let mut events = 0_u64;
        let mut versions_count = has_version;
        let mut resync = pin!(sleep_until(*resync_at));
        loop {
            let event = tokio::select! {
                biased;
                () = &mut resync, if !self.resync.is_zero() => {
                    if self.should_resync.as_ref().is_none_or(|should| should())
                        && let Err(error) = self.store.resync() {
                        return End::Broken(format!("resync failed: {error}"));
                    }
                    *resync_at = Instant::now() + self.resync;
                    resync.as_mut().reset(*resync_at);
                    continue;
                }
                event = stream.next() => event,
            };
            let event = match event {
                None if events == 0 && opened.elapsed() < SHORT => {
                    return End::Broken("very short watch: it ended within a second and without an event".into());
                }
                None => return End::Closed,
                Some(WatchEvent::Error(status)) => return self.failed(ApiError::Status(status)),
                Some(event) => event,
            };
            events += 1;
            versions_count |= !matches!(event, WatchEvent::Added(_));
            if let Some(version) = self.store_event(event)
                && versions_count
            {
                self.set_version(version);
            }
            yield_now().await; // the consumer's turn: what waits in the queue of a slow one is for its slowness alone
        }
    }

    fn failed(&self, error: ApiError) -> End {
        self.observer.tell(|| Event::WatchFailed { error: error.to_string() });
        if error.is_too_many_requests() { End::Busy } else { End::Broken(error.to_string()) }
    }

    /// Hands one event to the store; what the store refuses is lost, as upstream. Returns the version that came with it.
    fn store_event(&self, event: WatchEvent<T>) -> Option<String> {
        let (kind, object) = match &event {
            WatchEvent::Added(object) => ("ADDED", object.clone()),
            WatchEvent::Modified(object) => ("MODIFIED", object.clone()),
            WatchEvent::Deleted(object) => ("DELETED", object.clone()),
            WatchEvent::Bookmark { resource_version, .. } => return Some(self.store_bookmark(resource_version)),
            WatchEvent::Error(_) => return None,
        };
        let version = object.meta()?.resource_version.to_owned();
        self.tell_watched(kind, &*object);
        let stored = match event {
            WatchEvent::Added(_) => self.store.add(object),
            WatchEvent::Modified(_) => self.store.update(object),
            _ => self.store.delete(Deletion::Final(object)),
        };
        if let Err(error) = stored {
            warn!("a {kind} event was lost: {error}");
        }
        Some(version)
    }

    pub(super) fn tell_watched(&self, kind: &'static str, object: &T) {
        self.observer.tell(|| Event::Watched {
            kind,
            key: object_to_name(object).map(|name| name.to_string()).unwrap_or_default(),
            resource_version: object.meta().map(|meta| meta.resource_version.to_owned()).unwrap_or_default(),
        });
    }

    fn store_bookmark(&self, version: &str) -> String {
        if let Err(error) = self.store.bookmark(version) {
            warn!("a bookmark was not stored: {error}");
        }
        version.to_owned()
    }
}
