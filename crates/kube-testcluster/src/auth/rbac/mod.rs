//! Role-based access control (RBAC): a user may do what a rule allows, in a role that a binding gives to the user or to
//! one of the user's groups. There are no rules that deny. Upstream: `plugin/pkg/auth/authorizer/rbac`,
//! `pkg/registry/rbac`.

mod binding;
mod covers;
pub(crate) mod escalation;
mod policy;
mod policy_rule;

pub(crate) use self::policy::{LivePolicy, Policy};
pub(crate) use self::policy_rule::PolicyRule;

use super::attributes::Attributes;
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::conventions::user::User;

const GROUP: &str = "rbac.authorization.k8s.io";

impl Policy {
    /// Returns the reason why the user is allowed to do something. If no rule allows it, the error lists the roles that
    /// could not be resolved; it is empty if there are none. Upstream: `RBACAuthorizer.Authorize`.
    pub(super) fn authorize(&self, user: &User, attributes: &Attributes) -> Result<String, String> {
        let namespace = match attributes {
            Attributes::Path { .. } => "",
            Attributes::Resource(attributes) => attributes.namespace.as_str(),
        };
        let mut problems = Vec::new();
        for (binding, rules) in self.of(user, namespace) {
            match rules {
                Ok(rules) if rules.iter().any(|rule| rule.allows(attributes)) => {
                    return Ok(format!("RBAC: allowed by {}", binding.described(user)));
                }
                Ok(_) => {}
                Err(problem) => problems.push(problem.to_string()),
            }
        }
        Err(aggregate(problems).map_or_else(String::new, |problems| format!("RBAC: {problems}")))
    }

    /// Returns all rules of a user in a namespace, and the errors in resolving them. Upstream: `RulesFor`.
    pub(super) fn rules_for(&self, user: &User, namespace: &str) -> (Vec<PolicyRule>, Vec<String>) {
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for (_, rules) in self.of(user, namespace) {
            match rules {
                Ok(rules) => all.extend_from_slice(rules),
                Err(problem) => problems.push(problem.to_string()),
            }
        }
        (all, problems)
    }
}
