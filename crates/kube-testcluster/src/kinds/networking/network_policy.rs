//! Network policies. Upstream: `pkg/apis/networking`.

use serde_json::{Value, json};

use crate::kinds::columns;
use crate::kinds::fields::items;
use crate::kinds::resource::{Generation, Resource};
use crate::machinery::fill::{empty, list, missing};

/// The row of a NetworkPolicy.
pub(in crate::kinds) const ROW: Resource = Resource {
    group: "networking.k8s.io",
    plural: "networkpolicies",
    singular: "networkpolicy",
    kind: "NetworkPolicy",
    storage_hash: "YpfwF18m1G8=",
    short_names: &["netpol"],
    generation: Generation::Counted,
    defaults: set_defaults,
    columns: columns::networking::POLICIES,
    ..Resource::USUAL
};

/// Upstream: `SetDefaults_NetworkPolicy`, `SetDefaults_NetworkPolicyPort`.
fn set_defaults(policy: &mut Value) {
    missing(policy, "spec", empty());
    let spec = &mut policy["spec"];
    for direction in ["ingress", "egress"] {
        for port in list(spec, direction).flat_map(|rule| list(rule, "ports")) {
            missing(port, "protocol", json!("TCP"));
        }
    }
    if items(spec, "policyTypes").is_empty() {
        let leaves = !items(spec, "egress").is_empty();
        spec["policyTypes"] = if leaves { json!(["Ingress", "Egress"]) } else { json!(["Ingress"]) };
    }
}
