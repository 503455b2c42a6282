//! What a cluster is given to play: the service of its API, the roles that it begins with, pods at the start, scenarios, faults.

pub(crate) mod admin;
pub(crate) mod api_service;
pub(crate) mod bootstrap_policy;
pub(crate) mod crowd;
pub(crate) mod faults;
pub(crate) mod pods_file;
pub(crate) mod scenario;
mod typed_step;
