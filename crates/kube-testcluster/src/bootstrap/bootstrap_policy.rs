//! The RBAC roles and bindings that kube-apiserver creates when it starts, such as `cluster-admin`, `view` and those of
//! its components. Upstream: `EnsureRBACPolicy` in `pkg/registry/rbac/rest`, and
//! `plugin/pkg/auth/authorizer/rbac/bootstrappolicy`, from which `peers/validation/policy` generates
//! `bootstrap_policy.jsonl`.

use kube_machinery::conventions::edit::object;
use kube_machinery::kinds::{CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, Resource};
use kube_machinery::value::Value;

/// The objects, one JSON text a line, of the four RBAC kinds.
static POLICY: &str = include_str!("bootstrap_policy.jsonl");

/// Returns the objects with their kinds, in upstream's order. An aggregated role precedes the roles that it is made of,
/// and has no rules.
pub(crate) fn objects() -> impl DoubleEndedIterator<Item = (&'static Resource, Value)> {
    POLICY.lines().map(|line| {
        let mut value: Value = serde_json::from_str(line).expect("the policy is a part of this program");
        let kind = object(&mut value).remove("kind");
        let row = [CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, ROLES, ROLE_BINDINGS];
        let row = row.into_iter().find(|row| kind.as_ref().is_some_and(|kind| kind == row.kind()));
        (row.expect("the policy has four kinds"), value)
    })
}
