//! Reflector: keeps a store or a queue like the server, by LIST and then WATCH, or by WATCH alone.
//! Upstream: `tools/cache/reflector.go`.

mod backoff;
mod error;
mod list;
mod open_watch;
mod options;
mod patience;
mod resync;
mod retry;
mod seeds;
mod trigger;
mod turns;
mod watch;
mod watch_list;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use crate::cache::causes::with_causes;
use crate::cache::key::Object;
use crate::cache::lister_watcher::ListerWatcher;
use crate::cache::observe::{Event, Observer};
use crate::cache::store::ReflectorStore;
use crate::lock::{Mutex, lock};
use crate::told::Told;

use backoff::Backoff;
use error::About;
use open_watch::OpenWatch;
use watch_list::WatchListError;

pub use error::ReflectorError;
pub use options::{ReflectorOptions, WatchList};
pub use trigger::ResyncTrigger;
pub(super) use turns::Turns;

/// A watch that ends sooner than this without an event was not healthy.
const SHORT: Duration = Duration::from_secs(1);

/// So many of these in a row are told; fewer happen when a server restarts.
const SHORT_IN_A_ROW: u32 = 5;

type ShouldResync = Arc<dyn Fn() -> bool + Send + Sync>;

/// Lists, then watches from the list's resourceVersion, and does so again when the watch cannot go on.
///
/// A watch that ends is opened again at once from the last version seen; an error of the list, an expired version or a
/// watch that fails leads to a new list after a wait ([`ReflectorOptions::backoff`]).
///
/// A connection that died without a word is found by the limits of [`ReflectorOptions`]: by default after three minutes where
/// the server sends bookmarks, and else at the end of the watch's own timeout, which is five to ten minutes.
///
/// Every failure is told: see [`ReflectorOptions::on_error`]. The object of an event that the store or a transformer refuses is
/// lost and told; the rest goes on. In a list, one object that is refused fails the whole list, as upstream: the failure is told,
/// and the list made again after a wait. In a streaming list, an object that the transformer refuses is lost alone, as an event is.
///
/// The answers 429, 503 and 504 are hidden by a `kube::Client` with its default retry, for minutes: see
/// [`ListWatch`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// use std::{sync::Arc, time::Duration};
/// use kube_informers::cache::{ListWatch, Reflector, Store, meta_namespace_key};
/// use kube_testcluster::Cluster;
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
///
#[cfg_attr(feature = "client", doc = "[`ListWatch`]: crate::cache::ListWatch#the-clients-own-retries")]
#[cfg_attr(
    not(feature = "client"),
    doc = "[`ListWatch`]: https://docs.rs/kube-informers/latest/kube_informers/cache/struct.ListWatch.html#the-clients-own-retries"
)]
pub struct Reflector<T> {
    source: Arc<dyn ListerWatcher<T>>,
    store: Arc<dyn ReflectorStore<T>>,
    resync: Duration,
    should_resync: Option<ShouldResync>,
    /// Called before a resync that a trigger asks for.
    before_asked_resync: Option<Arc<dyn Fn() + Send + Sync>>,
    options: ReflectorOptions,
    observer: Observer,
    version: Arc<Mutex<String>>,
    /// How the consumer of the store has its turn after each event, if it runs in the same task.
    consumer: Option<Turns>,
    told: Mutex<Told<About>>,
}

/// What one run remembers from list to list.
struct Memory {
    /// The last version was expired or not there yet: ask for the most recent state.
    version_unavailable: bool,
    /// A list of version 0 came in pages, so the server has no watch cache.
    paginated: bool,
    /// How many watches in a row ended within a second and without an event.
    short_watches: u32,
    backoff: Backoff,
    random: fastrand::Rng,
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
            before_asked_resync: None,
            options: ReflectorOptions::default(),
            observer: Observer::default(),
            version: Arc::default(),
            consumer: None,
            told: Mutex::default(),
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

    /// How it asks, and what it does about failures.
    #[must_use]
    pub fn options(mut self, options: ReflectorOptions) -> Self {
        self.options = options;
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

    /// Calls `before` before each resync that a [`ResyncTrigger`] asks for.
    pub(crate) fn before_asked_resync(mut self, before: impl Fn() + Send + Sync + 'static) -> Self {
        self.before_asked_resync = Some(Arc::new(before));
        self
    }

    /// The consumer of the store runs in the same task as the Reflector.
    pub(crate) fn consumer(mut self, turns: Turns) -> Self {
        self.consumer = Some(turns);
        self
    }

    /// An event came with this version. An empty one is none: where to go on is what it was before.
    fn advance_version(&self, version: &str) {
        if !version.is_empty() {
            version.clone_into(&mut lock(&self.version));
        }
    }

    /// The store is like a list of this version, which may be none.
    fn replace_version(&self, version: String) {
        *lock(&self.version) = version;
    }
}

impl<T> fmt::Debug for Reflector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reflector")
            .field("source", &self.source.description())
            .field("version", &*lock(&self.version))
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<T: Object + Send + Sync> Reflector<T> {
    /// Runs until `stop`, which also ends a request that is under way.
    pub async fn run(&self, stop: CancellationToken) {
        stop.run_until_cancelled(self.run_forever()).await;
    }

    async fn run_forever(&self) {
        let mut random = self.options.seeds.next();
        let backoff = Backoff::new(random.fork(), self.options.delay.clone());
        let mut memory = Memory { version_unavailable: false, paginated: false, short_watches: 0, backoff, random };
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
            self.observer.tell::<T>(|| Event::Relisting { reason });
        }
    }

    /// Tells the log and the user. The log has each failure as a warning once.
    fn report(&self, error: ReflectorError) {
        let is_news = !error.is_expired() && lock(&self.told).is_news(error.about(), error.told_by());
        if is_news {
            warn!("{}", with_causes(&error));
        } else {
            debug!("{}", with_causes(&error));
        }
        if let Some(on_error) = &self.options.on_error {
            on_error(error);
        }
    }

    /// Failures of this kind are over.
    fn works(&self, about: About) {
        lock(&self.told).works(about);
    }

    /// What exists, and the watches that follow; returns why it takes a new list to go on.
    async fn list_and_watch(&self, memory: &mut Memory) -> Result<String, ReflectorError> {
        let mut kept = None;
        if self.options.watch_list == WatchList::Yes && self.source.has_watch_list() {
            match self.stream_list(memory).await {
                Ok(watch) => kept = Some(watch),
                Err(WatchListError::Failed(error)) => self.report(error),
                Err(why) => debug!("falling back to a list of {}: {}", self.source.description(), with_causes(&why)),
            }
        }
        if kept.is_none() {
            self.list(memory).await?;
        }
        self.watch(kept, memory).await
    }
}
