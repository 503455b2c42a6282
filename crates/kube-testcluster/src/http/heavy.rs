//! Runs heavy work so that other requests need not wait for it. Decoding and validating a request of megabytes, or
//! converting a long list, takes up to a second without a pause, and every other request on the same thread would wait
//! that long. So another thread takes over the other tasks meanwhile (`block_in_place`), and [`HeavyLimit`] limits how
//! many requests do heavy work at a time.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::ready;

use tokio::sync::Semaphore;
#[cfg(feature = "serve")]
use tokio::task::block_in_place;
use tokio_util::sync::PollSemaphore;

/// The size in bytes from which the body, the object or the list of a request makes its work heavy.
const HEAVY: u64 = 64 * 1024;

/// The threads of the runtime that serves a socket. A request over a socket has this as an extension, because it has a
/// task of its own. A request in process has no such extension: it shares its task with the program's own code, which
/// must not be moved to another thread.
#[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "only a socket has requests with a task of their own"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SocketThreads {
    One,
    Several,
}

#[cfg(not(feature = "serve"))]
fn block_in_place<T>(work: impl FnOnce() -> T) -> T {
    work()
}

/// The weight of some work of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    Light,
    Heavy,
}

impl Weight {
    /// Returns the weight of work on this many bytes.
    pub(crate) fn of(threads: Option<SocketThreads>, bytes: u64) -> Self {
        match threads {
            Some(SocketThreads::Several) if bytes >= HEAVY => Self::Heavy,
            _ => Self::Light,
        }
    }
}

/// Limits how much heavy work runs at the same time, to one request for each two threads of the machine. The other half
/// of the threads serves other requests. The limit also bounds the memory that decoded values take.
#[derive(Clone, Debug)]
pub(crate) struct HeavyLimit(Arc<Semaphore>);

impl HeavyLimit {
    pub(crate) fn new() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new((threads / 2).max(1))))
    }

    /// Runs work. Heavy work counts towards the limit while it computes, not while it waits, for example for a webhook.
    pub(crate) async fn run<T>(&self, weight: Weight, work: impl Future<Output = T>) -> T {
        match weight {
            Weight::Light => work.await,
            Weight::Heavy => {
                let mut work = pin!(work);
                let mut permits = PollSemaphore::new(self.0.clone());
                poll_fn(|cx| {
                    let _permit = ready!(permits.poll_acquire(cx)); // given back at the end of this poll
                    block_in_place(|| work.as_mut().poll(cx))
                })
                .await
            }
        }
    }
}
