//! What a cluster is given to play: pods at the start, and scenarios.

pub(crate) mod crowd;
pub(crate) mod pods_file;
pub(crate) mod scenario;
mod typed_step;
