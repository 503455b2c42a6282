//! Reflector: keeps a store or a queue like the server, by LIST and then WATCH. Upstream: `tools/cache/reflector.go`.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use super::api_error::ApiError;
use super::backoff::Backoff;
use super::delta::Deletion;
use super::error::Error;
use super::key::{Object, object_to_name};
use super::list_options::ListOptions;
use super::list_watch::{ListerWatcher, WatchEvent, WatchStream};
use super::lock::{Mutex, lock};
use super::observe::{Event, Observer};
use super::pager::{self, Listed};
use super::store::ReflectorStore;

/// The page size of a list that may be long.
const PAGE: u32 = 500;

/// A watch that ends sooner than this without an event was not healthy.
const SHORT: Duration = Duration::from_secs(1);

/// Why a Reflector starts over. It does so by itself; this is for telling.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectorError {
    /// The list failed.
    #[error("cannot list {0}")]
    List(String, #[source] ApiError),
    /// The watch could not be opened.
    #[error("cannot watch {0}")]
    Watch(String, #[source] ApiError),
    /// The store or queue refused a list.
    #[error("cannot take over the list of {0}")]
    Store(String, #[source] Error),
}

type OnError = Arc<dyn Fn(ReflectorError) + Send + Sync>;
type ShouldResync = Arc<dyn Fn() -> bool + Send + Sync>;

/// Lists, then watches from the list's resourceVersion, and does so again when the watch cannot go on.
///
/// A watch that ends is opened again at once from the last version seen; an error of the list, an expired version or a
/// watch that fails leads to a new list after a wait that grows from one second to a minute.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use std::{sync::Arc, time::Duration};
/// use informer_lab::{cache::{ListWatch, Reflector, Store, meta_namespace_key}, cluster::Cluster};
/// use k8s_openapi::api::core::v1::Namespace;
/// use tokio_util::sync::CancellationToken;
///
/// let cluster = Cluster::builder().start();
/// let store = Arc::new(Store::new(meta_namespace_key::<Namespace>));
/// let reflector = Reflector::new(ListWatch::all(cluster.client("default")), store.clone());
///
/// let stop = CancellationToken::new();
/// let second = async { tokio::time::sleep(Duration::from_secs(1)).await; stop.cancel() };
/// tokio::join!(reflector.run(stop.clone()), second);
/// assert!(store.list_keys().contains(&"default".to_owned()));
/// # }
/// ```
pub struct Reflector<T> {
    source: Arc<dyn ListerWatcher<T>>,
    store: Arc<dyn ReflectorStore<T>>,
    resync: Duration,
    should_resync: Option<ShouldResync>,
    page_size: Option<u32>,
    min_watch_timeout: Duration,
    on_error: Option<OnError>,
    random: fastrand::Rng,
    observer: Observer,
    version: Arc<Mutex<String>>,
}

/// What one run remembers from list to list.
struct Memory {
    /// The last version was expired or not there yet: ask for the most recent state.
    version_unavailable: bool,
    /// A list of version 0 came in pages, so the server has no watch cache.
    paginated: bool,
    backoff: Backoff,
    random: fastrand::Rng,
}

/// How a watch ended.
enum End {
    /// The stream is over: open it again.
    Closed,
    /// The server is busy: open it again later.
    Busy,
    /// It cannot go on from here: list again.
    Broken(String),
}

impl<T> Reflector<T> {
    /// A Reflector that has not run yet.
    pub fn new(source: impl ListerWatcher<T> + 'static, store: Arc<dyn ReflectorStore<T>>) -> Self {
        Self::from_parts(Arc::new(source), store)
    }

    pub(crate) fn from_parts(source: Arc<dyn ListerWatcher<T>>, store: Arc<dyn ReflectorStore<T>>) -> Self {
        Self {
            source,
            store,
            resync: Duration::ZERO,
            should_resync: None,
            page_size: None,
            min_watch_timeout: Duration::from_secs(300),
            on_error: None,
            random: fastrand::Rng::new(),
            observer: Observer::default(),
            version: Arc::default(),
        }
    }

    /// Calls the store's `resync` this often while a watch is open; zero, the default, is never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = period;
        self
    }

    /// Is asked each time a resync is due.
    #[must_use]
    pub fn should_resync(mut self, should: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.should_resync = Some(Arc::new(should));
        self
    }

    /// Asks for every list in pages of this size. By default only a list that cannot come from the server's watch cache
    /// is, in pages of 500.
    #[must_use]
    pub fn page_size(mut self, size: u32) -> Self {
        self.page_size = Some(size);
        self
    }

    /// Lets a watch last this long at least and twice as long at most; no less than five minutes, the default.
    #[must_use]
    pub fn min_watch_timeout(mut self, timeout: Duration) -> Self {
        self.min_watch_timeout = self.min_watch_timeout.max(timeout);
        self
    }

    /// Called with each failure of a list and of opening a watch, before the next try. (client-go says nothing when the
    /// connection is refused or the server is busy.)
    #[must_use]
    pub fn on_error(mut self, on_error: impl Fn(ReflectorError) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(on_error));
        self
    }

    /// Where the jitter of waits and watch timeouts comes from; by default from the operating system.
    #[must_use]
    pub fn random(mut self, random: fastrand::Rng) -> Self {
        self.random = random;
        self
    }

    /// Tells `observer` what happens.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// The resourceVersion up to which the store is like the server; empty before the first list.
    pub fn last_sync_resource_version(&self) -> String {
        lock(&self.version).clone()
    }

    /// Keeps the last version where an informer can read it.
    pub(crate) fn version(mut self, version: Arc<Mutex<String>>) -> Self {
        self.version = version;
        self
    }

    fn set_version(&self, version: String) {
        *lock(&self.version) = version;
    }
}

impl<T: Object + Send + Sync> Reflector<T> {
    /// Runs until `stop`, which also ends a request that is under way.
    pub async fn run(&self, stop: CancellationToken) {
        stop.run_until_cancelled(self.run_forever()).await;
    }

    async fn run_forever(&self) {
        let mut random = self.random.clone();
        let backoff = Backoff::new(random.fork());
        let mut memory = Memory { version_unavailable: false, paginated: false, backoff, random };
        loop {
            let reason = match self.list_and_watch(&mut memory).await {
                Ok(reason) => reason,
                Err(error) => {
                    let reason = error.to_string();
                    self.report(error);
                    reason
                }
            };
            memory.backoff.wait().await;
            self.observer.tell(|| Event::Relisting { reason });
        }
    }

    fn report(&self, error: ReflectorError) {
        debug!("{error}");
        if let Some(on_error) = &self.on_error {
            on_error(error);
        }
    }

    /// One list and the watches that follow it; returns why a new list is needed.
    async fn list_and_watch(&self, memory: &mut Memory) -> Result<String, ReflectorError> {
        self.list(memory).await?;
        let mut resync_at = Instant::now() + self.resync;
        loop {
            let opened = Instant::now();
            let version = self.last_sync_resource_version();
            let has_version = !matches!(version.as_str(), "" | "0");
            let end = match self.open_watch(version, memory).await {
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

    async fn list(&self, memory: &mut Memory) -> Result<(), ReflectorError> {
        let last = self.last_sync_resource_version();
        let version = match last.as_str() {
            _ if memory.version_unavailable => "",
            "" => "0",
            last => last,
        };
        let limit = self.page_size.unwrap_or(if memory.paginated || matches!(version, "" | "0") { PAGE } else { 0 });
        let from_cache = version == "0";
        let options = ListOptions { resource_version: Some(version.to_owned()), limit, ..ListOptions::default() };
        let Listed { items, resource_version, paginated } =
            self.list_or_most_recent(options, memory).await.map_err(|error| {
                self.observer.tell(|| Event::ListFailed { error: error.to_string() });
                ReflectorError::List(self.source.description(), error)
            })?;
        memory.paginated |= paginated && from_cache;
        memory.version_unavailable = false;
        self.observer.tell(|| Event::Listed { resource_version: resource_version.clone(), objects: items.len() });
        self.store
            .replace(items, &resource_version)
            .map_err(|error| ReflectorError::Store(self.source.description(), error))?;
        self.set_version(resource_version);
        Ok(())
    }

    /// Lists, and once more for the most recent state if the version that was asked for is not to be had.
    async fn list_or_most_recent(&self, options: ListOptions, memory: &mut Memory) -> Result<Listed<T>, ApiError> {
        match pager::list(&*self.source, options.clone()).await {
            Err(error) if error.is_expired() || error.is_too_large_resource_version() => {
                memory.version_unavailable = true;
                pager::list(&*self.source, ListOptions { resource_version: None, ..options }).await
            }
            other => other,
        }
    }

    async fn open_watch(&self, version: String, memory: &mut Memory) -> Result<WatchStream<T>, ApiError> {
        let timeout = self.min_watch_timeout.mul_f64(1.0 + memory.random.f64());
        let options = ListOptions {
            resource_version: Some(version.clone()),
            timeout_seconds: timeout.as_secs().try_into().unwrap_or(u32::MAX),
            allow_watch_bookmarks: true,
            ..ListOptions::default()
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
        self.observer.tell(|| Event::Watched {
            kind,
            key: object_to_name(&*object).map(|name| name.to_string()).unwrap_or_default(),
            resource_version: version.clone(),
        });
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

    fn store_bookmark(&self, version: &str) -> String {
        if let Err(error) = self.store.bookmark(version) {
            warn!("a bookmark was not stored: {error}");
        }
        version.to_owned()
    }
}
