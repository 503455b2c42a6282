//! The kinds of the core API group (`v1`). `config` has two, ConfigMap and Secret; the other modules have one each.

pub(super) mod component_status;
pub(super) mod config;
pub(super) mod endpoints;
pub mod event;
pub(super) mod limit_range;
pub mod namespace;
pub(super) mod node;
pub(super) mod persistent_volume;
pub(super) mod persistent_volume_claim;
pub(super) mod pod;
pub(super) mod pod_template;
pub(super) mod replication_controller;
pub(super) mod resource_quota;
pub(super) mod service;
pub(super) mod service_account;
