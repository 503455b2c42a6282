//! Validates RoleBindings and ClusterRoleBindings: the reference to the role, and the subjects (users, groups and
//! service accounts) that get the role. Upstream: `ValidateRoleBinding` in `pkg/apis/rbac/validation/validation.go`.

use super::GROUP;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, items, one_of, required, text};
use crate::kinds::names::{self, NameRule};
use crate::value::{Value, json};

/// Validates a binding. `kinds` has the kinds of roles that the binding may refer to.
pub(super) fn binding(new: &Value, old: Option<&Value>, kinds: &[&str]) -> Causes {
    let role = &new["roleRef"];
    let mut causes: Causes = one_of(text(role, "apiGroup"), &[GROUP], &"roleRef.apiGroup").into_iter().collect();
    causes.extend(one_of(text(role, "kind"), kinds, &"roleRef.kind"));
    let name = text(role, "name");
    // A missing name breaks a declarative rule too, but that one does not apply to an update that changes the reference.
    causes.extend(required(role, "name", &"roleRef"));
    if !name.is_empty() {
        causes.extend(invalid(&"roleRef.name", name, NameRule::PathSegment.messages(name)));
    }
    let subjects = items(new, "subjects").iter().enumerate();
    let is_namespaced = kinds.contains(&"Role");
    causes.extend(subjects.flat_map(|(i, one)| subject(one, is_namespaced, &format_args!("subjects[{i}]"))));
    causes.extend(old.and_then(|old| validate_unchanged(role, &old["roleRef"])));
    causes
}

fn validate_unchanged(role: &Value, old: &Value) -> Option<Cause> {
    let field = |name: &str| json!(text(role, name));
    let shown = format!(r#"{{"APIGroup":{},"Kind":{},"Name":{}}}"#, field("apiGroup"), field("kind"), field("name"));
    (role != old).then(|| Cause::invalid_as("roleRef", &shown, "field is immutable"))
}

/// Validates a subject. A service account in a RoleBinding may omit its namespace. Upstream:
/// `ValidateRoleBindingSubject`.
fn subject(subject: &Value, is_namespaced: bool, at: At<'_>) -> Causes {
    const KINDS: [&str; 3] = ["ServiceAccount", "User", "Group"];
    let (name, kind, group) = (text(subject, "name"), text(subject, "kind"), text(subject, "apiGroup"));
    let at_group = format_args!("{at}.apiGroup");
    let mut causes = Causes::new();
    match kind {
        "ServiceAccount" => {
            let messages = if name.is_empty() { Vec::new() } else { names::subdomain(name) };
            causes.extend(invalid(&format_args!("{at}.name"), name, messages));
            causes.extend(one_of(group, &[""], &at_group));
            if !is_namespaced {
                causes.extend(required(subject, "namespace", at));
            }
        }
        "User" | "Group" => causes.extend(one_of(group, &[GROUP], &at_group)),
        other => causes.push(Cause::unsupported_text(format_args!("{at}.kind"), other, &KINDS)),
    }
    causes
}
