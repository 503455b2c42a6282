//! Validates RoleBindings and ClusterRoleBindings: the reference to the role, and the subjects (users, groups and
//! service accounts) that get the role. Upstream: `ValidateRoleBinding` in `pkg/apis/rbac/validation/validation.go`.

use super::GROUP;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{invalid, items, one_of, required, text};
use crate::kinds::names::{self, NameRule};
use crate::value::{Value, json};

/// Validates a binding. `kinds` has the kinds of roles that the binding may refer to. Causes for missing names come
/// late, because upstream checks them by tags on its types (declarative validation), after the handwritten validation.
pub(super) fn binding(new: &Value, old: Option<&Value>, kinds: &[&str]) -> Causes {
    let role = &new["roleRef"];
    let mut causes: Causes = one_of(text(role, "apiGroup"), &[GROUP], &"roleRef.apiGroup").into_iter().collect();
    causes.extend(one_of(text(role, "kind"), kinds, &"roleRef.kind"));
    let name = text(role, "name");
    if !name.is_empty() {
        causes.extend(invalid(&"roleRef.name", name, NameRule::PathSegment.messages(name)));
    }
    let subjects = || items(new, "subjects").iter().enumerate().map(|(i, subject)| (format!("subjects[{i}]"), subject));
    let is_namespaced = kinds.contains(&"Role");
    causes.extend(subjects().flat_map(|(at, one)| subject(one, is_namespaced, &at)));
    causes.extend(required(role, "name", &"roleRef"));
    causes.extend(old.and_then(|old| validate_unchanged(role, &old["roleRef"])));
    causes.extend(subjects().filter_map(|(at, subject)| required(subject, "name", &at)));
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
