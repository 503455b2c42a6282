//! What a cluster is given to play: the service of its API, pods at the start, scenarios, faults.

pub(crate) mod admin;
pub(crate) mod api_service;
pub(crate) mod crowd;
pub(crate) mod faults;
pub(crate) mod pods_file;
pub(crate) mod scenario;
mod typed_step;
