//! client-go's `util/workqueue`: queues that hand each key to one worker at a time, however often it was added.
//!
//! ```text
//! RateLimitingQueue   add_rate_limited, forget      how long a failed key waits
//!   DelayingQueue     add_after                     when a key comes in
//!     Queue           add, get, done                who works on it
//! ```
//!
//! Each layer does everything that the one below does. A queue has no task of its own: every operation first lets in
//! what is due, and of those who wait in [`Queue::get`] one keeps the time for all. So there is nothing to start, nothing
//! outlives the queue, and a paused `tokio` clock is a test clock.
//!
//! A worker:
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
//! use kube_informers::workqueue::{RateLimitingQueue, default_controller_limiter};
//!
//! let queue = RateLimitingQueue::new(default_controller_limiter());
//! queue.add("default/nettool");
//! let mut tries = 0;
//! while let Some(key) = queue.get().await {
//!     tries += 1;
//!     if tries < 3 {
//!         queue.add_rate_limited(key); // failed: again, later
//!     } else {
//!         queue.forget(&key); // done: the next failure is a first one
//!         queue.shut_down();
//!     }
//!     queue.done(&key); // in any case
//! }
//! assert_eq!(tries, 3);
//! # }
//! ```

mod bucket;
mod delaying;
mod get;
mod items;
mod limiter;
mod line;
mod metrics;
mod order;
mod queue;
mod rate_limiting;
mod state;
mod waiters;
mod waiting;

pub use bucket::Bucket;
pub use delaying::DelayingQueue;
pub use get::Get;
pub use limiter::{
    Exponential, FastSlow, MaxOf, RateLimiter, WithMaxWait, default_controller_limiter, default_item_limiter,
};
pub use metrics::{Metrics, Unfinished};
pub use order::{Fifo, Order};
pub use queue::Queue;
pub use rate_limiting::RateLimitingQueue;
