//! The objects that a cluster starts with, and the scenarios and faults that change it while it runs.

pub(crate) mod admin;
pub(crate) mod api_service;
pub(crate) mod bootstrap_policy;
pub(crate) mod crowd;
pub(crate) mod faults;
pub(crate) mod pods_file;
pub(crate) mod scenario;
mod typed_step;
