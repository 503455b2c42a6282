//! The columns that `kubectl get` shows for RoleBindings and ClusterRoleBindings. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use super::{AGE, Column, NAME};
use crate::kinds::fields::{items, text};
use crate::value::Value;

pub(in crate::kinds) const BINDINGS: &[Column] = &[
    NAME,
    Column::new(
        "Role",
        "roleRef can reference a Role in the current namespace or a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
        |binding, _| role(binding).into(),
    ),
    AGE,
    Column::new("Users", "Users in the roleBinding", |binding, _| subjects(binding, "User").into()).wide(),
    Column::new("Groups", "Groups in the roleBinding", |binding, _| subjects(binding, "Group").into()).wide(),
    Column::new("ServiceAccounts", "ServiceAccounts in the roleBinding", |binding, _| {
        subjects(binding, "ServiceAccount").into()
    })
    .wide(),
];

pub(in crate::kinds) const CLUSTER_BINDINGS: &[Column] = &[
    NAME,
    Column::new(
        "Role",
        "roleRef can only reference a ClusterRole in the global namespace. If the RoleRef cannot be resolved, the Authorizer must return an error.",
        |binding, _| role(binding).into(),
    ),
    AGE,
    Column::new("Users", "Users in the clusterRoleBinding", |binding, _| subjects(binding, "User").into()).wide(),
    Column::new("Groups", "Groups in the clusterRoleBinding", |binding, _| subjects(binding, "Group").into()).wide(),
    Column::new("ServiceAccounts", "ServiceAccounts in the clusterRoleBinding", |binding, _| {
        subjects(binding, "ServiceAccount").into()
    })
    .wide(),
];

fn role(binding: &Value) -> String {
    let reference = &binding["roleRef"];
    format!("{}/{}", text(reference, "kind"), text(reference, "name"))
}

/// Upstream: `SubjectsStrings`.
fn subjects(binding: &Value, kind: &str) -> String {
    let named = items(binding, "subjects").iter().filter(|subject| subject["kind"] == kind).map(|subject| {
        let name = text(subject, "name");
        if kind == "ServiceAccount" { format!("{}/{name}", text(subject, "namespace")) } else { name.to_owned() }
    });
    named.collect::<Vec<_>>().join(", ")
}
