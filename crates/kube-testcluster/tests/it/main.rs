//! One binary for all tests that use the crate from outside, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cluster_admission;
mod cluster_as_upstream;
mod cluster_bare;
mod cluster_binding;
mod cluster_bodies;
mod cluster_create;
mod cluster_delete;
mod cluster_depth;
mod cluster_determinism;
mod cluster_differential;
mod cluster_errors;
mod cluster_event_limits;
mod cluster_eviction;
mod cluster_faults;
mod cluster_forms;
mod cluster_garbage;
mod cluster_history;
mod cluster_kinds;
mod cluster_kubelet;
mod cluster_lifecycles;
mod cluster_limits;
mod cluster_list;
mod cluster_log;
mod cluster_metadata;
mod cluster_namespaces;
mod cluster_nodes;
mod cluster_openapi;
mod cluster_replica_sets;
mod cluster_restart;
mod cluster_reviews;
mod cluster_served_from;
mod cluster_services;
mod cluster_strategies;
mod cluster_stream;
mod cluster_tables;
mod cluster_tokens;
mod cluster_update;
mod cluster_validation;
mod cluster_watch;
mod deployment_controller;
mod examples;
mod job_controller;
mod replica_set_controller;
mod support;
