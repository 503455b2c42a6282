//! The simulated nodes: the scheduler, which places pods, and the kubelet, which runs them. Both are clients of the
//! API.

pub(crate) mod constraints;
pub(crate) mod kubelet;
pub(crate) mod logs;
pub(crate) mod node;
mod pod;
pub(crate) mod requests;
pub(crate) mod scheduler;
pub(crate) mod stages;
