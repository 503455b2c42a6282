//! Leader election: several candidates compete, and only one at a time works. Upstream: client-go's
//! `tools/leaderelection`.
//!
//! The candidates compete for a `coordination.k8s.io/v1` Lease. The holder renews it. A candidate that has seen no
//! renewal for the lease duration takes it. A holder that cannot renew stops earlier, after the renew deadline.
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
//!         // The leader's work. Its future is dropped when the leadership is lost.
//!         assert!(lead.is_held());
//!         "done"
//!     })
//!     .await?;
//! assert_eq!(outcome, Outcome::Finished("done"));
//! # Ok(()) }
//! ```
//!
//! # Guarantees
//!
//! - Two candidates never lead at the same time, provided that their clocks run at similar rates: while a renew
//!   deadline passes on the holder's clock, less than a lease duration must pass on any other clock. The default
//!   periods tolerate a factor of 1.5.
//! - The clocks need not be synchronised. A candidate measures with its own monotonic clock how long the record does
//!   not change, and ignores the times in the record.
//! - The leader's work is not polled after the renew deadline. The deadline counts from the moment *before* the last
//!   successful renewal was sent, so a slow answer does not prolong it. (client-go counts from the answer, so it can
//!   have two leaders if an answer takes longer than the difference of the two periods.)
//! - Every write has the resourceVersion that was read as a precondition. If two candidates take an expired lease, one
//!   of them gets a conflict.
//!
//! # Not guaranteed
//!
//! - When the leadership is lost, only the future of the leader's work is dropped. Tasks that it spawned continue,
//!   unless they are aborted with it (`tokio::task::JoinSet` does that).
//! - A future that blocks its thread cannot be stopped, and the lease is not renewed while it blocks.
//! - A request that was sent before the leadership was lost may arrive later. A write that an old leader must not make
//!   needs a resourceVersion as a precondition.
//! - The monotonic clock of Linux stops while a machine sleeps. A leader on a suspended laptop notices only at its next
//!   renewal.
//! - If the Lease is deleted or its holder emptied, another candidate may take it at once, before the leader notices.
//!
//! Not implemented: events, the health check of an expired leader, and client-go's coordinated election (alpha).
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
