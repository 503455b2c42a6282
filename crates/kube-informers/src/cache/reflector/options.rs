//! What a Reflector can be told, by itself or inside of an informer. Upstream: `ReflectorOptions` in
//! `tools/cache/reflector.go`.

use std::sync::Arc;
use std::time::Duration;

use super::ReflectorError;

/// How a Reflector gets what exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WatchList {
    /// By a LIST, as client-go up to 0.34.
    No,
    /// By a WATCH that begins with what exists (a streaming list), and by a LIST where that is refused; as client-go since
    /// 0.35.
    #[default]
    Yes,
}

type OnError = Arc<dyn Fn(ReflectorError) + Send + Sync>;

/// How a Reflector asks, and what it does about failures. The default is what client-go does today.
///
/// ```
/// use kube_informers::cache::{ReflectorOptions, WatchList};
///
/// let quiet = ReflectorOptions::new().watch_list(WatchList::No).page_size(100).on_error(|_| {});
/// ```
#[derive(Clone)]
pub struct ReflectorOptions {
    pub(super) watch_list: WatchList,
    pub(super) page_size: Option<u32>,
    pub(super) min_watch_timeout: Duration,
    pub(super) internal_errors: Duration,
    pub(super) on_error: Option<OnError>,
    pub(super) random: fastrand::Rng,
}

impl Default for ReflectorOptions {
    fn default() -> Self {
        Self {
            watch_list: WatchList::default(),
            page_size: None,
            min_watch_timeout: Duration::from_secs(300),
            internal_errors: Duration::ZERO,
            on_error: None,
            random: fastrand::Rng::new(),
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

    /// Opens a watch that ends with an internal error of the server again at once, as long as such errors have come for no
    /// longer than this; after that, and with zero, the default, it is listed again.
    #[must_use]
    pub fn retry_internal_errors(mut self, window: Duration) -> Self {
        self.internal_errors = window;
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
}
