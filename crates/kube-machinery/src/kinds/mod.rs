//! The kinds that the server knows. Each has a row in the table of kinds: a [`Resource`] with its names, its columns,
//! and the functions that set its defaults and validate it. `served` is the table. A row also says how a server stores the
//! objects and answers the requests of its kind (`strategy`, `registry`, `stored_form`), but this module does neither.
//!
//! A validation returns causes, as upstream's returns a `field.ErrorList`. Its parameter `at` is the path of the field.

pub mod admission;
pub mod api_service;
mod apps;
mod batch;
mod catalog;
mod certificate_signing_request;
pub mod client_config;
mod cluster_trust_bundle;
pub mod columns;
mod conditions;
mod core;
pub mod custom_resource;
pub mod custom_resource_definition;
mod decoding;
mod deprecated_labels;
mod dynamic_resources;
mod embedded;
mod endpoint_slice;
mod event;
pub mod field_selector;
mod fields;
mod flow_control;
mod group_resource;
mod horizontal_pod_autoscaler;
mod lease;
pub mod metadata;
mod networking;
mod pod_certificate_request;
mod pod_disruption_budget;
pub mod pod_security;
mod priority_class;
pub mod quota;
mod rbac;
mod registry;
mod reset_fields;
mod resource;
mod resource_list;
mod reviews;
mod row;
mod runtime_class;
mod served;
mod storage;
mod storage_version_migration;
mod stored_form;
mod strategy;
mod subresource;
mod validation;
mod webhook_address;

pub use self::catalog::{Catalog, preference};
pub use self::certificate_signing_request::{
    note_requester, parse_certificate_request, subject_restriction, validity_of_certificate,
};
pub use self::core::limit_range::{limits_broken_by_claim, limits_broken_by_pod, set_default_resources};
pub use self::core::namespace;
pub use self::core::persistent_volume_claim::{class_of_claim, requests_more};
pub use self::core::pod::amounts::{amounts, pod_requests};
pub use self::core::service::SERVICE_RANGE;
pub use self::dynamic_resources::admin_access;
pub use self::flow_control::bootstrap as flow_control_bootstrap;
pub use self::resource::{
    Allocator, Change, CreateOnUpdate, DeleteResponse, Deletion, Dependents, Dispatcher, Generation, GroupResource,
    Lifetime, Resource, Scope, Serving, StatusOnCreate, Subresource, TableConvertor, UnconditionalUpdate,
};
pub use self::resource_list::is_extended_resource;
pub use self::reviews::TOKEN_REQUEST;
pub use self::runtime_class::{merge_runtime_class, overhead_problem};
pub use self::served::{
    ADMISSION_POLICIES, API_SERVICES, CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CLUSTER_TRUST_BUNDLES, CONFIG_MAPS,
    CSI_DRIVERS, CSI_NODES, CSI_STORAGE_CAPACITIES, CUSTOM_RESOURCE_DEFINITIONS, ENDPOINT_SLICES, ENDPOINTS, EVENTS,
    FLOW_SCHEMAS, INGRESS_CLASSES, INGRESSES, LEASES, LIMIT_RANGES, NAMESPACES, NODES, PERSISTENT_VOLUME_CLAIMS,
    PERSISTENT_VOLUMES, POD_DISRUPTION_BUDGETS, PODS, PRIORITY_CLASSES, RESOURCE_CLAIMS, RESOURCE_QUOTAS, RESOURCES,
    ROLE_BINDINGS, ROLES, RUNTIME_CLASSES, SECRETS, SERVICE_ACCOUNTS, SERVICE_CIDRS, SERVICES, STORAGE_CLASSES,
    VOLUME_ATTACHMENTS,
};
use crate::conventions::names;
pub use crate::conventions::names::{is_label, is_path_segment, is_subdomain};
