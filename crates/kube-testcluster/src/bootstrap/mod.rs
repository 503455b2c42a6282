//! The objects that a cluster starts with.

pub(crate) mod api_service;
pub(crate) mod bootstrap_policy;
pub(crate) mod many_pods;
pub(crate) mod pods_file;
