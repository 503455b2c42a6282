//! The kinds that the server knows. Each has a row in the table of kinds, with its names, defaults, validation and
//! columns. This module knows nothing about storage.

mod addresses;
pub(crate) mod admission;
pub(crate) mod api_service;
mod apps;
mod batch;
mod catalog;
mod certificate_signing_request;
pub(crate) mod client_config;
pub(crate) mod columns;
mod conditions;
mod core;
pub(crate) mod custom_resource;
pub(crate) mod custom_resource_definition;
mod embedded;
mod endpoint_slice;
mod event;
pub(crate) mod field_selector;
mod fields;
mod horizontal_pod_autoscaler;
mod lease;
pub(crate) mod metadata;
mod networking;
mod pod_disruption_budget;
mod priority_class;
mod rbac;
mod resource;
mod resource_list;
mod reviews;
mod runtime_class;
mod served;
mod storage_class;
mod stored_form;
mod strategy;
mod subresource;
mod url;

pub(crate) use self::catalog::{Catalog, preference};
pub(crate) use self::certificate_signing_request::{note_requester, subject_restriction};
pub(crate) use self::core::namespace;
pub(crate) use self::core::pod::fields_from_annotations;
pub(crate) use self::resource::{
    Allocator, Change, CreateOnUpdate, DeleteResponse, Deletion, Dependents, Generation, GroupResource, Lifetime,
    Resource, Scope, Serving, StatusOnCreate, Subresource, UnconditionalUpdate,
};
pub(crate) use self::reviews::TOKEN_REQUEST;
pub(crate) use self::served::{
    ADMISSION_POLICIES, API_SERVICES, CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, CONFIG_MAPS, CUSTOM_RESOURCE_DEFINITIONS,
    ENDPOINT_SLICES, ENDPOINTS, EVENTS, NAMESPACES, NODES, PODS, PRIORITY_CLASSES, RESOURCES, ROLE_BINDINGS, ROLES,
    SECRETS, SERVICE_ACCOUNTS, SERVICES,
};
use crate::machinery::names;
pub(crate) use crate::machinery::names::{is_label, is_path_segment, is_subdomain};
