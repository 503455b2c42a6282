//! What the controllers of workloads share.

pub(super) mod error;
pub(super) mod expectations;
pub(super) mod object;
pub(super) mod own_writes;
pub(super) mod recorder;
pub(super) mod when_needed;
