//! The kinds of the API group `networking.k8s.io`: Ingress, IngressClass, IPAddress, NetworkPolicy and ServiceCIDR, with
//! their validation.

pub(super) mod ingress;
pub(super) mod ingress_class;
mod ingress_rules;
pub(super) mod ip_address;
pub(super) mod network_policy;
pub(super) mod service_cidr;

use super::fields::{invalid, text};
use super::names;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::value::Value;

/// Validates a reference to an object of any kind: its `apiGroup`, `kind` and `name`. Upstream:
/// `validateIngressTypedLocalObjectReference`.
fn validate_reference(reference: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if let Some(group) = reference["apiGroup"].as_str() {
        causes.extend(invalid(&format_args!("{at}.apiGroup"), group, names::subdomain(group)));
    }
    for field in ["kind", "name"] {
        let at = format_args!("{at}.{field}");
        match text(reference, field) {
            "" => causes.push(Cause::required(at, "")),
            name => causes.extend(invalid(&at, name, names::path_segment(name))),
        }
    }
    causes
}
