//! One test binary for all tests that use the crate from outside, because one binary links faster than many.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod certificate_controllers;
#[cfg(feature = "tls")]
mod certificate_signer;
mod cluster_admission;
mod cluster_admission_plugins;
mod cluster_apply;
mod cluster_apply_versions;
mod cluster_at_start;
mod cluster_autoscaler_versions;
mod cluster_bare;
mod cluster_binding;
mod cluster_bodies;
mod cluster_certificates;
mod cluster_components;
#[cfg(feature = "serve")]
mod cluster_connections;
#[cfg(feature = "tls")]
mod cluster_conversion;
mod cluster_create;
mod cluster_custom_decoding;
mod cluster_custom_read_back;
mod cluster_custom_resources;
mod cluster_data;
mod cluster_data_pods;
mod cluster_default_plugins;
mod cluster_definitions;
mod cluster_delete;
mod cluster_delete_options;
mod cluster_depth;
mod cluster_determinism;
mod cluster_errors;
mod cluster_event_limits;
mod cluster_events;
mod cluster_eviction;
mod cluster_eviction_budgets;
mod cluster_faults;
mod cluster_flow_control;
mod cluster_garbage;
mod cluster_health;
mod cluster_history;
mod cluster_init_containers;
mod cluster_kinds;
mod cluster_kubelet;
mod cluster_lifecycles;
mod cluster_limits;
mod cluster_list;
mod cluster_log;
mod cluster_long_lists;
mod cluster_metadata;
mod cluster_namespaces;
mod cluster_negotiation;
mod cluster_node_heartbeats;
mod cluster_nodes;
mod cluster_openapi;
#[cfg(feature = "cel")]
mod cluster_operators;
mod cluster_pod_admission;
mod cluster_pod_deadlines;
mod cluster_pod_generations;
mod cluster_pod_security;
mod cluster_pod_subresources;
#[cfg(feature = "cel")]
mod cluster_policies;
mod cluster_preemption;
mod cluster_quotas;
mod cluster_rbac;
mod cluster_read_options;
mod cluster_references;
mod cluster_replica_sets;
mod cluster_resource_claims;
mod cluster_restart;
mod cluster_reviews;
#[cfg(feature = "tls")]
mod cluster_secure_serving;
mod cluster_served_from;
mod cluster_service_addresses;
mod cluster_services;
mod cluster_storage_kinds;
mod cluster_strategies;
mod cluster_stream;
mod cluster_tables;
mod cluster_tokens;
mod cluster_update;
mod cluster_validation;
mod cluster_volume_scheduling;
mod cluster_watch;
#[cfg(feature = "tls")]
mod cluster_webhooks;
mod cluster_write_bodies;
mod cron_job_controller;
mod daemon_set_controller;
mod deployment_controller;
mod disruption_controller;
mod endpoint_slice_controller;
mod endpoint_slice_mirroring;
mod endpoints_controller;
mod ephemeral_volume_controller;
mod examples;
mod job_controller;
mod persistent_volume_controller;
mod rbac_decisions;
mod replica_set_controller;
mod replication_controller;
mod resource_quota_controller;
mod service_account_tokens;
mod stateful_set_controller;
mod storage_protection;
mod support;
mod taint_eviction_controller;
mod test_cluster;
