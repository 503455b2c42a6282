//! A work queue and its workers. Upstream: client-go's `util/workqueue`.
//!
//! A controller's handlers [add](WorkQueue::add) the keys of changed objects. Its [workers](WorkQueue::workers)
//! reconcile one key after another. A key whose work failed is queued again, after a wait that grows with each failure.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use kube_informers::workqueue::WorkQueue;
//! use tokio_util::sync::CancellationToken;
//!
//! let queue = WorkQueue::new();
//! let stop = CancellationToken::new();
//! queue.add("default/web"); // usually done by a handler
//!
//! let reconcile = async |key: &'static str| {
//!     if queue.retries(&key) < 3 {
//!         return Err(std::io::Error::other("the API server refused")); // the key is queued again later
//!     }
//!     stop.cancel();
//!     Ok(())
//! };
//! queue.workers(2, reconcile).run(&stop).await?; // two keys at a time, until `stop` is cancelled
//! # Ok(())
//! # }
//! ```
//!
//! To write your own worker, take [`Item`]s from [`WorkQueue::get`].
//!
//! | type | purpose |
//! |---|---|
//! | [`WorkQueue`] | the queue: adds keys at once, later or rate limited; gets keys; shuts down |
//! | [`Item`] | the guard of a key that a worker has taken |
//! | [`Workers`] | process several keys at a time, with back-off, until a stop |
//! | [`RateLimiter`] | decides how long a failed key waits |
//! | [`Order`], [`Metrics`], [`WorkEvent`] | extension points: the order of keys, measurements, events for an observer |

mod access;
mod bucket;
mod builder;
mod delayed;
mod getter;
mod item;
mod key_table;
mod limiter;
mod metrics;
mod observe;
mod order;
mod queue;
mod queued_keys;
mod state;
mod workers;

pub use bucket::Bucket;
pub use builder::WorkQueueBuilder;
pub use item::Item;
pub use limiter::{
    Exponential, FastSlow, MaxOf, RateLimiter, WithMaxWait, default_controller_limiter, default_item_limiter,
};
pub use metrics::{Metrics, Unfinished};
pub use observe::{Effect, WorkEvent};
pub use order::{Fifo, Order};
pub use queue::WorkQueue;
pub use workers::{Action, LogErrors, OnError, ReconcilePanicked, Unstarted, Workers};
