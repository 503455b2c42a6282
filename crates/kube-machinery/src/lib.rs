//! The types of Kubernetes without a server: what an object is, how it is written, and which objects are valid.
//! Upstream: `k8s.io/apimachinery`, `k8s.io/apiextensions-apiserver`, `sigs.k8s.io/structured-merge-diff` and the
//! strategies of `k8s.io/kubernetes`.
//!
//! - [`value`]: JSON values whose copies share memory;
//! - [`conventions`]: quantities, names, times, causes of a refusal, and other rules that all kinds share;
//! - [`codec`]: JSON, YAML, protobuf, patches, the schemas of built-in types and of custom resources, CEL;
//! - [`managed_fields`]: which manager owns which field, and how an applied configuration is merged;
//! - [`kinds`]: an entry for each kind, with its defaults, validation, strategy and columns.
//!
//! Nothing here stores an object or speaks HTTP: `kube-testcluster` does. This crate has what that server and
//! `kube-controllers` share, and its API changes with them.

#![allow(
    missing_docs,
    reason = "the crates of this workspace share it; most variants and fields are those of upstream's types"
)]

pub mod codec;
pub mod conventions;
pub mod kinds;
pub mod managed_fields;
pub mod value;

/// The version of Kubernetes whose types, rules and answers this crate has. `peers/upgrade` sets it.
pub const KUBERNETES_VERSION: &str = "v1.37.2";
