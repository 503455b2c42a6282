//! Leader election: of several candidates, one at a time works. Upstream: client-go's `tools/leaderelection`.
//!
//! The candidates compete for a `coordination.k8s.io/v1` Lease. Its holder renews it; a candidate that has not seen it renewed
//! for the lease duration takes it. The holder stops earlier, after the renew deadline.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use kube_informers::leader_election::{LeaderElector, Outcome};
//! use tokio_util::sync::CancellationToken;
//!
//! # let cluster = kube_testcluster::Cluster::builder().start();
//! # let client = cluster.client("default");
//! let stop = CancellationToken::new();
//! let mut elector = LeaderElector::new(client, "default", "my-controller", "pod-1");
//! let outcome = elector
//!     .run(stop, async |lead| {
//!         // The work of the leader. It is dropped when the leadership is lost.
//!         assert!(lead.is_held());
//!         "done"
//!     })
//!     .await?;
//! assert_eq!(outcome, Outcome::Finished("done"));
//! # Ok(()) }
//! ```
//!
//! # What is guaranteed
//!
//! - Two candidates never lead at the same time, if time passes for both at nearly the same rate: in the time of a renew
//!   deadline on the holder's clock, less than a lease duration passes on any other. By default that allows a factor of 1.5.
//! - What the clocks show does not matter. A candidate measures by its own monotonic clock how long the record stays the same,
//!   and never looks at the times in it.
//! - The work of the leader is not polled after the renew deadline. That is measured from the moment *before* the last
//!   successful renewal was sent, so a slow answer does not prolong it. (client-go measures from the answer, and so can have two
//!   leaders when an answer takes longer than the difference of the two periods.)
//! - Every write carries the resourceVersion that was read: of two candidates that take an expired lease, one gets a conflict.
//!
//! # What is not
//!
//! - Only what the future of [`LeaderElector::run`] owns stops when it is dropped. Tasks that it spawned go on, unless they are
//!   aborted with it (`tokio::task::JoinSet` does that).
//! - A future that blocks its thread cannot be stopped, and while it blocks the lease is not renewed.
//! - A request that was sent before the leadership was lost may arrive later. What must not be written by an old leader needs a
//!   resourceVersion of its own.
//! - The monotonic clock of Linux stands still while a machine sleeps: a leader on a laptop that was closed notices at its next
//!   renewal.
//! - Whoever deletes the Lease or empties its holder calls for an election at once, although the leader does not know yet.
//!
//! Not here: events about the election, the health check of an expired leader, and client-go's coordinated election (alpha).
//!
//! A candidate needs the verbs `get`, `create` and `update` on `leases`.

mod candidate;
mod elector;
mod error;
mod outcome;
mod periods;
mod record;
mod status;

pub use elector::LeaderElector;
pub use error::{InvalidElection, LeaseError};
pub use outcome::{Leadership, Outcome};
pub use status::LeaderStatus;
