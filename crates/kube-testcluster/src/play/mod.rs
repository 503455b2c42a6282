//! The contents of a cluster besides users' objects: the service of the API, RBAC roles, initial pods, scenarios and
//! faults.

pub(crate) mod admin;
pub(crate) mod api_service;
pub(crate) mod bootstrap_policy;
pub(crate) mod crowd;
pub(crate) mod faults;
pub(crate) mod pods_file;
pub(crate) mod scenario;
mod typed_step;
