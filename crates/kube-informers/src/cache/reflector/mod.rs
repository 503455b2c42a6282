//! Reflector: copies the server's objects into a store or a queue. Upstream: `tools/cache/reflector.go`.

mod backoff;
mod end_warning;
mod error;
mod list;
mod open_watch;
mod options;
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
use crate::log_dedup::LogDedup;

use backoff::Backoff;
use error::Subject;
use open_watch::OpenWatch;
use watch_list::WatchListError;

pub use error::ReflectorError;
pub use options::{ReflectorOptions, WatchList};
pub use trigger::ResyncTrigger;
pub(super) use turns::Turns;

/// A watch that ends sooner than this without an event counts as a failure.
const SHORT: Duration = Duration::from_secs(1);

/// Short watches are reported each time that this many have ended in a row. Fewer are normal when a server restarts.
const SHORT_IN_A_ROW: u32 = 5;

type ShouldResync = Arc<dyn Fn() -> bool + Send + Sync>;

/// Lists the objects of a source, then watches from the list's resourceVersion, and lists again when the watch cannot
/// continue (client-go's `Reflector`).
///
/// When a watch ends, the next watch starts at once from the last resourceVersion seen. After a failed list, an expired
/// resourceVersion or another error of a watch, the Reflector waits ([`ReflectorOptions::backoff`]) and lists again. If
/// only the connection was refused, the server was busy or the watch was silent, it opens a new watch without a list.
///
/// The limits of [`ReflectorOptions`] detect a connection that died silently: by default after three minutes if the
/// server sends bookmarks, else at the end of the watch's timeout, which is five to ten minutes.
///
/// Every failure is reported to [`ReflectorOptions::on_error`] and the log. If the store or a transformer refuses the
/// object of an event, that change is lost, and the watch continues. If they refuse an object of a list, the whole list
/// fails, as upstream, and is requested again. In a streaming list, an object that the transformer refuses is lost
/// alone.
///
/// A `kube::Client` with its default retries hides the answers 429, 503 and 504 for minutes: see [`ListWatch`].
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
    /// Asked in each period whether to resync; `None` means always.
    should_resync: Option<ShouldResync>,
    /// The callback before a resync that a [`ResyncTrigger`] starts.
    before_triggered_resync: Option<Arc<dyn Fn() + Send + Sync>>,
    options: ReflectorOptions,
    observer: Observer,
    /// The resourceVersion of the last list or event, which an informer shares.
    version: Arc<Mutex<String>>,
    /// Lets the consumer of the queue run after each event, if it runs in the same task.
    consumer: Option<Turns>,
    log_dedup: Mutex<LogDedup<Subject>>,
}

/// The state of one run, kept from list to list.
struct RunState {
    /// True if the server does not have the last resourceVersion (no longer, or not yet). The next list then requests
    /// the most recent state.
    version_unavailable: bool,
    /// True if a list at resourceVersion 0 came in pages, which means that the server has no watch cache.
    paginated: bool,
    /// The number of watches in a row that ended within a second and without an event.
    short_watches: u32,
    backoff: Backoff,
    random: fastrand::Rng,
}

impl<T> Reflector<T> {
    /// Makes a Reflector that copies `source` into `store`.
    pub fn new(source: impl ListerWatcher<T> + 'static, store: Arc<dyn ReflectorStore<T>>) -> Self {
        Self::from_parts(Arc::new(source), store)
    }

    pub(crate) fn from_parts(source: Arc<dyn ListerWatcher<T>>, store: Arc<dyn ReflectorStore<T>>) -> Self {
        Self {
            source,
            store,
            resync: Duration::ZERO,
            should_resync: None,
            before_triggered_resync: None,
            options: ReflectorOptions::default(),
            observer: Observer::default(),
            version: Arc::default(),
            consumer: None,
            log_dedup: Mutex::default(),
        }
    }

    /// Sets the period in which the store's `resync` is called while the Reflector watches; zero, the default, means
    /// never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = period;
        self
    }

    /// Sets a function that can skip a periodic resync by returning false (client-go's `ShouldResync`).
    #[must_use]
    pub fn should_resync(mut self, should: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.should_resync = Some(Arc::new(should));
        self
    }

    /// Sets the options for requests and failures.
    #[must_use]
    pub fn options(mut self, options: ReflectorOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets the observer that gets the Reflector's events.
    #[must_use]
    pub fn observer(mut self, observer: Observer) -> Self {
        self.observer = observer;
        self
    }

    /// Returns the resourceVersion up to which the store is up to date; empty before the first list (client-go's
    /// `LastSyncResourceVersion`).
    pub fn last_sync_resource_version(&self) -> String {
        lock(&self.version).clone()
    }

    /// Shares the last resourceVersion with an informer.
    pub(crate) fn version(mut self, version: Arc<Mutex<String>>) -> Self {
        self.version = version;
        self
    }

    pub(crate) fn before_triggered_resync(mut self, before: impl Fn() + Send + Sync + 'static) -> Self {
        self.before_triggered_resync = Some(Arc::new(before));
        self
    }

    /// Declares that the consumer of the queue runs in the Reflector's task and takes turns with it.
    pub(crate) fn consumer(mut self, turns: Turns) -> Self {
        self.consumer = Some(turns);
        self
    }

    /// Remembers the resourceVersion of an event. An empty one changes nothing, because the watch must still continue
    /// somewhere.
    fn advance_version(&self, version: &str) {
        if !version.is_empty() {
            version.clone_into(&mut lock(&self.version));
        }
    }

    /// Remembers the resourceVersion of a list, which may be empty.
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
    /// Runs until `stop` is cancelled, which also aborts a request in progress.
    pub async fn run(&self, stop: CancellationToken) {
        stop.run_until_cancelled(self.run_forever()).await;
    }

    async fn run_forever(&self) {
        let mut random = self.options.seeds.next();
        let backoff = Backoff::new(random.fork(), self.options.delay.clone());
        let mut state = RunState { version_unavailable: false, paginated: false, short_watches: 0, backoff, random };
        loop {
            let reason = match self.list_and_watch(&mut state).await {
                Ok(reason) => reason,
                Err(error) => {
                    let reason = error.to_string();
                    self.report(error);
                    reason
                }
            };
            state.backoff.wait().await;
            self.observer.emit::<T>(|| Event::Relisting { reason });
        }
    }

    /// Reports a failure to the log and to [`ReflectorOptions::on_error`]. The log warns about a failure once, and has
    /// its repetitions at level `debug`.
    fn report(&self, error: ReflectorError) {
        let is_new = !error.is_expired() && lock(&self.log_dedup).insert(error.subject(), error.dedup_text());
        if is_new {
            warn!("{}", with_causes(&error));
        } else {
            debug!("{}", with_causes(&error));
        }
        if let Some(on_error) = &self.options.on_error {
            on_error(error);
        }
    }

    /// Records a success, so that the next failure of this subject is a warning again.
    fn succeeded(&self, subject: Subject) {
        lock(&self.log_dedup).remove(subject);
    }

    /// Gets the existing objects by a streaming list or a list, then watches. Returns the reason why a new list is
    /// needed.
    async fn list_and_watch(&self, state: &mut RunState) -> Result<String, ReflectorError> {
        let mut kept = None; // the watch of a streaming list, which continues with the changes
        if self.options.watch_list == WatchList::Yes && self.source.has_watch_list() {
            match self.stream_list(state).await {
                Ok(watch) => kept = Some(watch),
                Err(WatchListError::Failed(error)) => self.report(error),
                Err(why) => debug!("falling back to a list of {}: {}", self.source.description(), with_causes(&why)),
            }
        }
        if kept.is_none() {
            self.list(state).await?;
        }
        self.watch(kept, state).await
    }
}
