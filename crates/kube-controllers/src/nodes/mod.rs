//! The simulated nodes: the scheduler, which places pods, and the kubelet, which runs them. Both are clients of the
//! API.

pub(crate) mod constraints;
pub mod dynamic;
pub mod kubelet;
pub mod logs;
pub mod node;
mod pod;
pub mod requests;
pub mod scheduler;
pub mod stages;
