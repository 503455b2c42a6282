//! client-go's `util/workqueue`: a queue that hands each key to one worker at a time, however often it was added; and workers
//! over it.
//!
//! A controller's handlers [add](WorkQueue::add) the keys of objects that changed. Its [workers](WorkQueue::workers) bring one
//! object after the other nearer to what it asks for. A key whose work failed comes again, later each time.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use kube_informers::workqueue::WorkQueue;
//! use tokio_util::sync::CancellationToken;
//!
//! let queue = WorkQueue::new();
//! let stop = CancellationToken::new();
//! queue.add("default/web"); // what a handler does
//!
//! let reconcile = async |key: &'static str| {
//!     if queue.retries(&key) < 3 {
//!         return Err(std::io::Error::other("the API server refused")); // again, later each time
//!     }
//!     stop.cancel();
//!     Ok(())
//! };
//! queue.workers(2, reconcile).run(&stop).await?; // two keys at a time, until the stop
//! # Ok(())
//! # }
//! ```
//!
//! A worker of your own takes [`Item`]s from [`WorkQueue::get`].
//!
//! | type | what it is |
//! |---|---|
//! | [`WorkQueue`] | the queue: add now, later, or rate limited; get; shut down |
//! | [`Item`] | a key in the hands of a worker |
//! | [`Workers`] | so many keys at a time, with back-off, until a stop |
//! | [`RateLimiter`] | how long a failed key waits |
//! | [`Order`], [`Metrics`], [`WorkEvent`] | code of yours that the queue calls, and what it tells |

mod access;
mod bucket;
mod builder;
mod delayed;
mod get;
mod item;
mod known;
mod limiter;
mod line;
mod metrics;
mod observe;
mod order;
mod queue;
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
