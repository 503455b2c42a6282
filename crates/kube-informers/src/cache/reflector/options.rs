//! ReflectorOptions: the options of a Reflector, alone or inside an informer. Upstream: `ReflectorOptions` in
//! `tools/cache/reflector.go`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::ReflectorError;
use super::backoff::Delay;
use super::seeds::Seeds;
use super::trigger::ResyncTrigger;

/// The request by which a Reflector gets the existing objects (client-go's feature gate `WatchListClient`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchList {
    /// A LIST, as in client-go up to 0.34.
    No,
    /// A streaming list (a WATCH that begins with the existing objects), or a LIST if the server refuses that. This is
    /// the default of client-go since 0.35.
    #[default]
    Yes,
}

type OnError = Arc<dyn Fn(ReflectorError) + Send + Sync>;

/// The options of a Reflector: its requests, time limits, and reactions to failures. The defaults are those of current
/// client-go, plus time limits that client-go leaves to its HTTP client.
///
/// | limit | default | ends |
/// |---|---|---|
/// | [`list_timeout`](Self::list_timeout) | 10 minutes | a list, with all its pages |
/// | [`answer_timeout`](Self::answer_timeout) | 90 seconds | the wait for a watch to open, and silence in a streaming list |
/// | [`bookmark_timeout`](Self::bookmark_timeout) | 3 minutes | silence in a watch in which bookmarks have come |
/// | [`watch_grace`](Self::watch_grace) | 10 seconds | a watch that is still open this long after its own timeout |
///
/// The limits apply to every source. [`ListWatch::idle_timeout`] is an additional limit, for silence within a list.
///
/// Clones share the source of their jitter, because two Reflectors with the same options should not return to a server
/// at the same moment.
///
/// ```
/// use kube_informers::cache::{ReflectorOptions, WatchList};
///
/// let quiet = ReflectorOptions::new().watch_list(WatchList::No).page_size(100).on_error(|_| {});
/// ```
///
#[cfg_attr(feature = "client", doc = "[`ListWatch::idle_timeout`]: crate::cache::ListWatch::idle_timeout")]
#[cfg_attr(
    not(feature = "client"),
    doc = "[`ListWatch::idle_timeout`]: https://docs.rs/kube-informers/latest/kube_informers/cache/struct.ListWatch.html#method.idle_timeout"
)]
#[derive(Clone)]
#[non_exhaustive]
pub struct ReflectorOptions {
    pub(super) watch_list: WatchList,
    pub(super) page_size: Option<u32>,
    pub(super) min_watch_timeout: Duration,
    pub(super) list_timeout: Duration,
    pub(super) answer_timeout: Duration,
    pub(super) bookmark_timeout: Duration,
    pub(super) watch_grace: Duration,
    pub(super) internal_errors: Duration,
    pub(super) delay: Option<Delay>,
    pub(super) on_error: Option<OnError>,
    pub(super) seeds: Seeds,
    pub(super) resync_trigger: Option<ResyncTrigger>,
}

/// The smallest value of [`ReflectorOptions::min_watch_timeout`].
const MIN_WATCH_TIMEOUT: Duration = Duration::from_secs(300);

impl Default for ReflectorOptions {
    fn default() -> Self {
        Self {
            watch_list: WatchList::default(),
            page_size: None,
            min_watch_timeout: MIN_WATCH_TIMEOUT,
            list_timeout: Duration::from_secs(600),
            answer_timeout: Duration::from_secs(90),
            bookmark_timeout: Duration::from_secs(180),
            watch_grace: Duration::from_secs(10),
            internal_errors: Duration::ZERO,
            delay: None,
            on_error: None,
            seeds: Seeds::default(),
            resync_trigger: None,
        }
    }
}

impl ReflectorOptions {
    /// Returns the defaults, which are those of current client-go.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether the existing objects are requested by a streaming list or by a list. A source without streaming
    /// lists is always listed.
    #[must_use]
    pub fn watch_list(mut self, watch_list: WatchList) -> Self {
        self.watch_list = watch_list;
        self
    }

    /// Sets the page size of all lists, in objects; with 0, every list comes in one answer (client-go's
    /// `WatchListPageSize`).
    ///
    /// By default, the first list, a list for the most recent state, and all lists from a server without a watch cache
    /// have pages of 500 objects. Any other list comes in one answer.
    #[must_use]
    pub fn page_size(mut self, size: u32) -> Self {
        self.page_size = Some(size);
        self
    }

    /// Sets the shortest watch timeout. The timeout of each watch is random between this value and twice this value.
    /// The default and the smallest allowed value is five minutes (client-go's `MinWatchTimeout`).
    #[must_use]
    pub fn min_watch_timeout(mut self, timeout: Duration) -> Self {
        self.min_watch_timeout = timeout.max(MIN_WATCH_TIMEOUT);
        self
    }

    /// Sets the time limit of a list with all its pages; ten minutes by default. A longer list fails with
    /// [`ApiError::TooLong`](crate::cache::ApiError::TooLong).
    #[must_use]
    pub fn list_timeout(mut self, timeout: Duration) -> Self {
        self.list_timeout = timeout;
        self
    }

    /// Sets the time limit for opening a watch and for silence in a streaming list
    /// ([`ApiError::Silent`](crate::cache::ApiError::Silent)). The default is 90 seconds, because an API server gives
    /// up a request after 60.
    #[must_use]
    pub fn answer_timeout(mut self, timeout: Duration) -> Self {
        self.answer_timeout = timeout;
        self
    }

    /// Sets the time limit for silence in a watch that has sent bookmarks; three minutes by default. The watch is then
    /// opened again.
    ///
    /// An API server sends a bookmark every minute, so the connection is dead after three. A source with rarer
    /// bookmarks needs a longer limit.
    #[must_use]
    pub fn bookmark_timeout(mut self, timeout: Duration) -> Self {
        self.bookmark_timeout = timeout;
        self
    }

    /// Sets how long a watch may stay open after its timeout, at which the server should have ended it; ten seconds by
    /// default. The watch is then opened again. This detects a dead connection even without bookmarks.
    #[must_use]
    pub fn watch_grace(mut self, grace: Duration) -> Self {
        self.watch_grace = grace;
        self
    }

    /// Sets for how long a watch that ends with an internal server error is opened again at once. If such errors last
    /// longer than this, zero by default, the Reflector lists again (client-go's `MaxInternalErrorRetryDuration`).
    #[must_use]
    pub fn retry_internal_errors(mut self, window: Duration) -> Self {
        self.internal_errors = window;
        self
    }

    /// Sets the function that returns the wait before the next try. Its argument is the number of waits so far, which
    /// starts at 0 and is reset when more than two minutes have passed since the last reset.
    ///
    /// By default the waits double from 0.8 to 30 seconds, and each is lengthened at random by up to its own length.
    ///
    /// ```
    /// use kube_informers::cache::ReflectorOptions;
    /// use std::time::Duration;
    ///
    /// let steady = ReflectorOptions::new().backoff(|_| Duration::from_secs(5));
    /// ```
    #[must_use]
    pub fn backoff(mut self, delay: impl Fn(u32) -> Duration + Send + Sync + 'static) -> Self {
        self.delay = Some(Arc::new(delay));
        self
    }

    /// Sets a callback for each failure of a list or a watch and each lost object (client-go's `WatchErrorHandler`). It
    /// is called before the next try. (client-go's is not called when the connection is refused or the server is busy.)
    ///
    /// The callback also gets expired resourceVersions, which lead to a new list but are no failures
    /// ([`ReflectorError::is_expired`]).
    ///
    /// With or without a callback, failures are logged: at level `warn` the first time and whenever the text changes,
    /// at `debug` in between. Expired resourceVersions are always logged at `debug`.
    #[must_use]
    pub fn on_error(mut self, on_error: impl Fn(ReflectorError) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(on_error));
        self
    }

    /// Seeds the jitter of waits and watch timeouts, which makes it the same in each run of a program. By default the
    /// jitter is random. Reflectors with clones of these options still differ from each other.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seeds = Seeds::new(seed);
        self
    }

    /// Sets a trigger that starts a resync each time it is fired, in addition to the periodic resyncs.
    #[must_use]
    pub fn resync_trigger(mut self, trigger: &ResyncTrigger) -> Self {
        self.resync_trigger = Some(trigger.clone());
        self
    }
}

impl fmt::Debug for ReflectorOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectorOptions")
            .field("watch_list", &self.watch_list)
            .field("page_size", &self.page_size)
            .field("min_watch_timeout", &self.min_watch_timeout)
            .field("list_timeout", &self.list_timeout)
            .field("answer_timeout", &self.answer_timeout)
            .field("bookmark_timeout", &self.bookmark_timeout)
            .field("watch_grace", &self.watch_grace)
            .field("internal_errors", &self.internal_errors)
            .finish_non_exhaustive()
    }
}
