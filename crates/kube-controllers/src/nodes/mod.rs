//! The simulated nodes: the scheduler, which chooses a node for each pod, and one kubelet for all nodes, which writes
//! the statuses that pods would have if their containers ran. Both are clients of the API. No container runs.

pub mod claims;
pub(crate) mod constraints;
pub mod dynamic;
mod events;
pub mod heartbeats;
mod items;
pub mod kubelet;
pub mod logs;
pub mod node;
pub mod node_lease;
pub mod node_status;
mod pod;
mod progress;
pub mod requests;
pub mod scheduler;
pub mod stages;
