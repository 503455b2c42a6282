//! Runs heavy work beside the threads of the runtime. Decoding and validating a request of megabytes, or converting a
//! long list, takes up to a second without a pause, and every other request on the same thread would wait that long. So
//! such work is done in turns, and another thread takes over the runtime's other tasks meanwhile.

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

/// The threads of the runtime that serves a request in a task of its own. Requests in process have none: they share
/// their task with the program's own code, which must not be moved to another thread.
#[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "only a socket has requests with a task of their own"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Threads {
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
    /// Returns the weight of work on so many bytes.
    pub(crate) fn of(threads: Option<Threads>, bytes: u64) -> Self {
        match threads {
            Some(Threads::Several) if bytes >= HEAVY => Self::Heavy,
            _ => Self::Light,
        }
    }
}

/// The turns of heavy work: one for each two threads of the machine, so that the other half serves the rest, and memory
/// holds the decoded values of few requests.
#[derive(Clone, Debug)]
pub(crate) struct Turns(Arc<Semaphore>);

impl Turns {
    pub(crate) fn new() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Self(Arc::new(Semaphore::new((threads / 2).max(1))))
    }

    /// Runs work. Heavy work has a turn while it computes, not while it waits, for a webhook for example.
    pub(crate) async fn run<T>(&self, weight: Weight, work: impl Future<Output = T>) -> T {
        match weight {
            Weight::Light => work.await,
            Weight::Heavy => {
                let mut work = pin!(work);
                let mut turns = PollSemaphore::new(self.0.clone());
                poll_fn(|cx| {
                    let _turn = ready!(turns.poll_acquire(cx));
                    block_in_place(|| work.as_mut().poll(cx))
                })
                .await
            }
        }
    }
}
