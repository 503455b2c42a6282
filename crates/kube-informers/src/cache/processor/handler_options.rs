//! HandlerOptions: the options of one handler or subscription, given when it is added to an informer. Upstream:
//! `HandlerOptions` in `tools/cache/shared_informer.go`.

use std::time::Duration;

use super::buffer::Buffer;

/// The resync period and the buffer of a handler or a subscription (client-go's `HandlerOptions`). The defaults are the
/// informer's resync period and an unbounded buffer.
///
/// ```
/// use kube_informers::cache::{Buffer, HandlerOptions};
/// use std::time::Duration;
///
/// let slow = HandlerOptions::new().resync(Duration::from_secs(600)).buffer(Buffer::Coalesced);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct HandlerOptions {
    /// `None`: the informer's default.
    pub(in crate::cache) resync: Option<Duration>,
    pub(super) buffer: Buffer,
}

impl HandlerOptions {
    /// Returns the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the resync period, after which the handler gets an update of every object again. Zero means never; a period
    /// below one second counts as one second.
    ///
    /// A handler that is added while the informer runs cannot resync more often than the earlier handlers. If none of
    /// them resyncs, it gets no resync, and a warning is logged.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.resync = Some(period);
        self
    }

    /// Sets the kind of buffer for notifications that the handler has not handled yet.
    #[must_use]
    pub fn buffer(mut self, buffer: Buffer) -> Self {
        self.buffer = buffer;
        self
    }
}
