//! The roles that kube-apiserver makes when it starts, and their bindings. Upstream: `EnsureRBACPolicy` in `pkg/registry/rbac/rest`,
//! and `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`, from which `peers/validation/policy` writes them.

use kube_machinery::conventions::fill::object;
use kube_machinery::kinds::{CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, Resource};
use kube_machinery::value::Value;

/// An object a line, of the four kinds.
static POLICY: &str = include_str!("bootstrap_policy.jsonl");

/// The objects with their kinds, in upstream's order. An aggregated role comes before those that it is made of, and has no rules.
///
/// In a page there are none: they would be a part of what it downloads, and no lesson asks for them.
pub(crate) fn objects() -> impl DoubleEndedIterator<Item = (&'static Resource, Value)> {
    let lines = if cfg!(target_family = "wasm") { "" } else { POLICY };
    lines.lines().map(|line| {
        let mut value: Value = serde_json::from_str(line).expect("the policy is a part of this program");
        let kind = object(&mut value).remove("kind");
        let row = [CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, ROLES, ROLE_BINDINGS];
        let row = row.into_iter().find(|row| kind.as_ref().is_some_and(|kind| kind == row.kind));
        (row.expect("the policy has four kinds"), value)
    })
}
