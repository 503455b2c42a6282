//! The kinds of the API group `rbac.authorization.k8s.io`: roles have permissions, bindings give them to users.

pub(super) mod cluster_role;
pub(super) mod cluster_role_binding;
pub(super) mod role;
pub(super) mod role_binding;
mod rules;
mod subjects;

use crate::conventions::edit::{list, object_field, set_default};
use crate::value::{Value, json};

/// The API group of roles. It is also the `apiGroup` of subjects that are users or groups.
const GROUP: &str = "rbac.authorization.k8s.io";

/// Sets the defaults of both kinds of bindings: the API groups of the role and of the subjects. Upstream:
/// `SetDefaults_RoleBinding`, `SetDefaults_Subject`.
fn set_defaults_of_binding(binding: &mut Value) {
    if let Some(role) = object_field(binding, "roleRef")
        && role["apiGroup"].as_str().is_none_or(str::is_empty)
    {
        role["apiGroup"] = json!(GROUP);
    }
    for subject in list(binding, "subjects").filter(|subject| subject["kind"] == "User" || subject["kind"] == "Group") {
        set_default(subject, "apiGroup", json!(GROUP));
    }
}
