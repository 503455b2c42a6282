//! The kinds of `resource.k8s.io`: dynamic resource allocation. A driver publishes the devices of nodes in
//! ResourceSlices, a ResourceClaim asks for some of them, and the scheduler allocates them. Upstream:
//! `pkg/apis/resource`, `pkg/registry/resource`.
//!
//! Much of the validation is declarative, in the table of types. The functions here leave out the rules that a
//! declarative rule covers, because its error replaces theirs.

mod admin_access;
mod allocation;
mod attributes;
mod binding_conditions;
mod capacity;
mod claim_spec;
mod configuration;
mod device;
pub(super) mod device_class;
pub(super) mod device_taint_rule;
mod names;
mod request_policy;
pub(super) mod resource_claim;
pub(super) mod resource_claim_template;
pub(super) mod resource_slice;
mod selectors;
mod taints;

pub use self::admin_access::admin_access;

const GROUP: &str = "resource.k8s.io";
