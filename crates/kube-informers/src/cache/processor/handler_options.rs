//! What can be said about a handler when it is added. Upstream: `HandlerOptions` in `tools/cache/shared_informer.go`.

use std::time::Duration;

use super::buffer::Buffer;

/// How a handler, or a subscription, is told of changes. The default is the informer's resync period and a buffer without limit.
///
/// ```
/// use kube_informers::cache::{Buffer, HandlerOptions};
/// use std::time::Duration;
///
/// let slow = HandlerOptions::new().resync(Duration::from_secs(600)).buffer(Buffer::Coalesced);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HandlerOptions {
    pub(in crate::cache) resync: Option<Duration>,
    pub(super) buffer: Buffer,
}

impl HandlerOptions {
    /// The default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells it everything again this often; zero is never, less than a second is a second.
    ///
    /// Once the informer runs, no handler resyncs more often than those before it: if none of them did, a late handler gets no resync,
    /// and a warning is logged.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(period);
        self
    }

    /// What becomes of changes that it is too slow for.
    #[must_use]
    pub fn buffer(mut self, buffer: Buffer) -> Self {
        self.buffer = buffer;
        self
    }
}
