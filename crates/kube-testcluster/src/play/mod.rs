//! What a cluster is given to play: pods at the start, scenarios, faults.

pub(crate) mod admin;
pub(crate) mod crowd;
pub(crate) mod faults;
pub(crate) mod pods_file;
pub(crate) mod scenario;
mod typed_step;
