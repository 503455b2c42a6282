//! The kinds: a row for each in the table of kinds, with its defaults, its validation and its columns. Nothing here knows
//! where objects are stored.

mod addresses;
pub(crate) mod columns;
mod config;
mod embedded;
mod event;
pub(crate) mod field_selector;
mod fields;
mod lease;
pub(crate) mod metadata;
mod names;
pub(crate) mod namespace;
mod node;
mod pod;
mod replica_set;
mod resource;
mod reviews;
mod served;
mod service;
mod service_account;

pub(crate) use self::pod::fields_from_annotations;
pub(crate) use self::resource::{
    Allocator, CreateOnUpdate, DeleteResponse, Deletion, Dependents, Generation, Lifetime, Resource, StatusOnCreate,
    Subresource, UnconditionalUpdate,
};
pub(crate) use self::served::{EVENTS, NAMESPACES, NODES, PODS, RESOURCES, SERVICE_ACCOUNTS, SERVICES, find, served};
