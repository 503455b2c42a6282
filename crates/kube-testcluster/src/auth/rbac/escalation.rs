//! Prevents privilege escalation: a user who writes a role or a binding cannot grant rights that the user does not
//! have. The handlers call [`check`] for every write, but it refuses only writes of the four RBAC kinds. Upstream:
//! `pkg/registry/rbac/escalation_check.go`, `ConfirmNoEscalation` in `pkg/registry/rbac/validation/rule.go`, and
//! `policybased/storage.go` of the four kinds.

use std::collections::BTreeSet;

use super::binding::RoleRef;
use super::covers::{compact, uncovered};
use super::policy::Unresolved;
use super::{GROUP, Policy, PolicyRule};
use crate::auth::access::Caller;
use crate::auth::attributes::{Attributes, ResourceAttributes};
use crate::auth::authorization::is_privileged;
use crate::http::status::ApiError;
use crate::plugins::authorization::Authorize;
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::conventions::edit::object;
use kube_machinery::conventions::quote::{quote, quote_list};
use kube_machinery::kinds::Resource;
use kube_machinery::value::Value;

/// A write to check. Only a write of a role or a binding can grant rights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckedWrite<'a> {
    pub(crate) resource: &'a Resource,
    /// The namespace in the path; empty for a ClusterRole or ClusterRoleBinding.
    pub(crate) namespace: &'a str,
    /// The name in the path; empty for a creation by POST.
    pub(crate) name: &'a str,
    pub(crate) new: &'a Value,
    /// The state before the write; `None` for a creation.
    pub(crate) old: Option<&'a Value>,
}

/// Refuses a role or a binding that grants rights which the caller does not have, unless the caller has the right to
/// `escalate` or `bind`. Writes of other kinds, and the cluster's own writes, pass.
///
/// # Errors
/// 403, or another error if the role of a binding cannot be found.
pub(crate) fn check(caller: Option<&Caller>, grant: CheckedWrite<'_>) -> Result<(), ApiError> {
    let Some(caller) = caller.filter(|caller| grant.resource.group() == GROUP && !is_privileged(&caller.user)) else {
        return Ok(());
    };
    match grant.resource.plural() {
        "roles" | "clusterroles" => caller.check_role(grant),
        "rolebindings" | "clusterrolebindings" => caller.check_binding(grant),
        _ => Ok(()),
    }
}

impl Caller {
    /// Checks a write of a role: the user must have its rules, or the right to `escalate`.
    fn check_role(&self, grant: CheckedWrite<'_>) -> Result<(), ApiError> {
        if self.may("escalate", GROUP, grant.resource.plural(), grant.namespace, grant.name)
            || grant.changes_only_gc_fields()
        {
            return Ok(());
        }
        self.confirm_no_escalation(grant, &PolicyRule::all_of(grant.new))?;
        // A role that gathers the rules of other roles (`aggregationRule`) may get any rights later.
        let gathers = |role: &Value| {
            let selectors = role["aggregationRule"]["clusterRoleSelectors"].as_array();
            selectors.is_some_and(|selectors| !selectors.is_empty())
        };
        if gathers(grant.new) || grant.old.is_some_and(gathers) {
            let why = "must have cluster-admin privileges to use the aggregationRule";
            self.confirm_no_escalation(grant, &PolicyRule::everything()).map_err(|_| grant.forbidden(why))?;
        }
        Ok(())
    }

    /// Checks a write of a binding: the user must have the rules of its role, or the right to `bind` it.
    fn check_binding(&self, grant: CheckedWrite<'_>) -> Result<(), ApiError> {
        let role = RoleRef::of(grant.new);
        let resource = match role.kind.as_str() {
            "ClusterRole" => Some("clusterroles"),
            "Role" => Some("roles"),
            _ => None,
        };
        let may_bind = |resource| self.may("bind", &role.group, resource, grant.namespace, &role.name);
        if grant.changes_only_gc_fields() || resource.is_some_and(may_bind) {
            return Ok(());
        }
        let rules = |policy: &Policy| policy.rules_of(&role, grant.namespace).map(<[_]>::to_vec);
        match self.authorizer.policy(rules) {
            None => Ok(()),
            Some(Ok(rules)) => self.confirm_no_escalation(grant, &rules),
            // Upstream reads the role by its registry, whose error names the resource of the request.
            Some(Err(Unresolved::NotFound { name, .. })) => Err(ApiError::not_found(grant.resource, &name)),
            Some(Err(error @ Unresolved::NoNamespace)) => Err(ApiError::bad_request(error.to_string())),
            Some(Err(error @ Unresolved::UnknownKind(_))) => Err(ApiError::internal(error.to_string())),
        }
    }

    fn may(&self, verb: &str, group: &str, resource: &str, namespace: &str, name: &str) -> bool {
        let [verb, group, resource, namespace, name] = [verb, group, resource, namespace, name].map(ToOwned::to_owned);
        let subresource = String::new();
        let attributes = ResourceAttributes { verb, group, namespace, resource, subresource, name };
        self.authorizer.authorize(&self.user, &Attributes::Resource(attributes)).allowed
    }

    /// Refuses the write if the user does not have all rights in `wanted`. Upstream: `ConfirmNoEscalation`.
    fn confirm_no_escalation(&self, grant: CheckedWrite<'_>, wanted: &[PolicyRule]) -> Result<(), ApiError> {
        let Some((owned, problems)) = self.authorizer.policy(|policy| {
            let (mut owned, mut problems) = (Vec::new(), Vec::new());
            for (_, rules) in policy.of(&self.user, grant.namespace) {
                match rules {
                    Ok(rules) => owned.extend_from_slice(rules),
                    Err(problem) => problems.push(grant.message_about(&problem)),
                }
            }
            (owned, problems)
        }) else {
            return Ok(());
        };
        let missing: BTreeSet<String> = compact(uncovered(&owned, wanted)).iter().map(PolicyRule::shown).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let (name, groups) = (quote(&self.user.name), quote_list(&self.user.groups));
        let missing: Vec<String> = missing.into_iter().collect();
        let mut why = format!(
            "user {name} (groups={groups}) is attempting to grant RBAC permissions not currently held:\n{}",
            missing.join("\n")
        );
        if let Some(problems) = aggregate(problems) {
            why.push_str(&format!("; resolution errors: [{problems}]"));
        }
        Err(grant.forbidden(&why))
    }
}

impl CheckedWrite<'_> {
    /// Returns the message about a role that cannot be read. For a missing role it names the resource of the request, such
    /// as `rolebindings.rbac.authorization.k8s.io`, because upstream reads the role from its registry here, and not from
    /// a lister.
    fn message_about(&self, problem: &Unresolved) -> String {
        match problem {
            Unresolved::NotFound { name, .. } => format!("{} {} not found", self.resource.qualified(), quote(name)),
            other => other.to_string(),
        }
    }

    fn forbidden(&self, why: &str) -> ApiError {
        let name = self.new["metadata"]["name"].as_str().unwrap_or_default();
        ApiError::not_allowed(self.resource.group(), self.resource.plural(), name, why)
    }

    /// Returns true if the write changes only fields that the garbage collector changes. Upstream:
    /// `IsOnlyMutatingGCFields`.
    fn changes_only_gc_fields(&self) -> bool {
        let Some(old) = self.old else { return false };
        let rest = |value: &Value| {
            let mut value = value.clone();
            let fields = object(&mut value);
            fields.remove("kind");
            fields.remove("apiVersion");
            if let Some(metadata) = fields.get_mut("metadata") {
                for field in ["ownerReferences", "finalizers", "selfLink", "managedFields"] {
                    object(metadata).remove(field);
                }
            }
            value
        };
        rest(self.new) == rest(old)
    }
}
