//! The contents of the objects that a cluster can start with. `builder/first_objects.rs` stores them.

pub(crate) mod api_service;
pub(crate) mod bootstrap_policy;
pub(crate) mod flow_control;
pub(crate) mod manifests_file;
pub(crate) mod many_pods;
pub(crate) mod pods_file;
mod yaml_documents;
