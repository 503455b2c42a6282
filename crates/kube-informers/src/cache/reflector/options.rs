//! What a Reflector can be told, by itself or inside of an informer. Upstream: `ReflectorOptions` in
//! `tools/cache/reflector.go`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::ReflectorError;
use super::backoff::Delay;
use super::seeds::Seeds;
use super::trigger::ResyncTrigger;

/// How a Reflector gets what exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchList {
    /// By a LIST, as client-go up to 0.34.
    No,
    /// By a WATCH that begins with what exists (a streaming list), and by a LIST where that is refused; as client-go since
    /// 0.35.
    #[default]
    Yes,
}

type OnError = Arc<dyn Fn(ReflectorError) + Send + Sync>;

/// How a Reflector asks, and what it does about failures. The default is what client-go does today, with limits of time that
/// client-go leaves to its HTTP client.
///
/// | limit | default | what it ends |
/// |---|---|---|
/// | [`list_timeout`](Self::list_timeout) | 10 minutes | a list, with all its pages |
/// | [`answer_timeout`](Self::answer_timeout) | 90 seconds | the wait for a watch to open, and silence in a streaming list |
/// | [`bookmark_timeout`](Self::bookmark_timeout) | 3 minutes | silence in a watch in which bookmarks have come |
/// | [`watch_grace`](Self::watch_grace) | 10 seconds | a watch that goes on for this long after its own timeout |
///
/// The limits hold for every source. [`ListWatch::idle_timeout`] is one more: it sees
/// the bytes of a list.
///
/// Clones share the source of their jitter, so that two Reflectors with the same options do not come back to a server at the
/// same moment.
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

/// The least that [`ReflectorOptions::min_watch_timeout`] can be.
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
    /// What client-go does today.
    pub fn new() -> Self {
        Self::default()
    }

    /// How it gets what exists. A source that has no streaming lists is not asked for one.
    #[must_use]
    pub fn watch_list(mut self, watch_list: WatchList) -> Self {
        self.watch_list = watch_list;
        self
    }

    /// Asks for every list in pages of this size; with zero, for every list in one answer. By default only a list that cannot
    /// come from the server's watch cache comes in pages, of 500 objects.
    #[must_use]
    pub fn page_size(mut self, size: u32) -> Self {
        self.page_size = Some(size);
        self
    }

    /// Asks the server to end each watch after this time at least and twice this time at most. Less than five minutes, the
    /// default, is taken as five minutes.
    #[must_use]
    pub fn min_watch_timeout(mut self, timeout: Duration) -> Self {
        self.min_watch_timeout = timeout.max(MIN_WATCH_TIMEOUT);
        self
    }

    /// Gives up a list that takes longer than this, with all its pages; ten minutes by default. It fails with
    /// [`ApiError::TooLong`](crate::cache::ApiError::TooLong).
    #[must_use]
    pub fn list_timeout(mut self, timeout: Duration) -> Self {
        self.list_timeout = timeout;
        self
    }

    /// Gives up opening a watch after this time, and a streaming list in which nothing comes for this long; 90 seconds by
    /// default, since an API server gives a request up after 60. Both fail with
    /// [`ApiError::Silent`](crate::cache::ApiError::Silent).
    #[must_use]
    pub fn answer_timeout(mut self, timeout: Duration) -> Self {
        self.answer_timeout = timeout;
        self
    }

    /// Opens a watch again in which bookmarks have come, and then nothing for this long; three minutes by default. An API
    /// server sends a bookmark each minute, so the connection is dead. A source whose bookmarks are further apart wants a
    /// longer time.
    #[must_use]
    pub fn bookmark_timeout(mut self, timeout: Duration) -> Self {
        self.bookmark_timeout = timeout;
        self
    }

    /// Opens a watch again that goes on for this long after the server should have ended it; ten seconds by default. This
    /// finds a dead connection also where no bookmarks come.
    #[must_use]
    pub fn watch_grace(mut self, grace: Duration) -> Self {
        self.watch_grace = grace;
        self
    }

    /// Opens a watch that ends with an internal error of the server again at once, as long as such errors have come for no
    /// longer than this; after that, and with zero, the default, it is listed again.
    #[must_use]
    pub fn retry_internal_errors(mut self, window: Duration) -> Self {
        self.internal_errors = window;
        self
    }

    /// How long to wait before the next try, by the number of waits before this one. They are counted from zero again when two
    /// minutes have passed since they last were.
    ///
    /// By default the waits double from 0.8 to 30 seconds, and each is made longer at random by up to its own length.
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

    /// Called with each failure, before the next try: of a list, of opening a watch, within a watch, and with each object that
    /// was lost. (client-go says nothing when the connection is refused or the server is busy.)
    ///
    /// Called with the expired versions that lead to a new list, too, if the server says so when a watch is opened:
    /// [`ReflectorError::is_expired`] tells them from failures.
    ///
    /// Without it, failures are in the log: with the level `warn` the first time and each time that the text is another, with
    /// `debug` in between; expired versions always with `debug`.
    #[must_use]
    pub fn on_error(mut self, on_error: impl Fn(ReflectorError) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Arc::new(on_error));
        self
    }

    /// Makes the jitter of waits and watch timeouts the same in each run of a program; by default it comes from the operating
    /// system. Reflectors with clones of these options still differ from each other.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seeds = Seeds::new(seed);
        self
    }

    /// Resyncs also each time that this trigger is fired.
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
