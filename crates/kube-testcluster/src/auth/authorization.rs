//! The [`Authorizer`]: decides if a user may do something, by the cluster's mode (everything is allowed, or RBAC). With
//! RBAC, `access.rs` asks it for every request. Admission and the reviews (`SubjectAccessReview`) ask it for further
//! permissions. Upstream: `pkg/kubeapiserver/authorizer`, and `k8s.io/apiserver/pkg/authorization/union`.

use std::sync::{Mutex, PoisonError};

use super::attributes::Attributes;
use super::rbac::{LivePolicy, Policy, PolicyRule};
use crate::http::status::ApiError;
use crate::plugins::authorization::Authorize;
pub(crate) use crate::plugins::authorization::Decision;
use crate::settings::Authorization;
use crate::store::Store;
use kube_machinery::conventions::aggregate::aggregate;
use kube_machinery::conventions::user::{MASTERS, User};

#[derive(Debug)]
pub(crate) enum Authorizer {
    AlwaysAllow,
    /// The stored roles and bindings decide. Members of `system:masters` may do everything.
    Rbac(Box<Mutex<LivePolicy>>),
}

/// All rules of a user in a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rules {
    Everything,
    /// The listed rules. `problem` names the errors in finding them; it is empty if there were none.
    Listed {
        rules: Vec<PolicyRule>,
        problem: String,
    },
}

impl Authorizer {
    pub(crate) fn new(store: &Store) -> Self {
        match store.settings.authorization {
            Authorization::AlwaysAllow => Self::AlwaysAllow,
            Authorization::Rbac => Self::Rbac(Box::new(Mutex::new(LivePolicy::start(store)))),
        }
    }

    /// Checks a request. Fails with 403 if the user may not do this.
    pub(crate) fn check(&self, user: &User, attributes: &Attributes) -> Result<(), ApiError> {
        match self.authorize(user, attributes) {
            Decision { allowed: true, .. } => Ok(()),
            Decision { reason, .. } => Err(attributes.forbidden(&user.name, &reason)),
        }
    }

    pub(crate) fn rules_for(&self, user: &User, namespace: &str) -> Rules {
        match self {
            Self::AlwaysAllow => Rules::Everything,
            Self::Rbac(live) => {
                let (rules, problems) = with_policy(live, |policy| policy.rules_for(user, namespace));
                Rules::Listed { rules, problem: aggregate(problems).unwrap_or_default() }
            }
        }
    }

    /// Calls `read` with the RBAC policy; `None` without RBAC.
    pub(crate) fn policy<T>(&self, read: impl FnOnce(&Policy) -> T) -> Option<T> {
        match self {
            Self::AlwaysAllow => None,
            Self::Rbac(live) => Some(with_policy(live, read)),
        }
    }
}

impl Authorize for Authorizer {
    fn authorize(&self, user: &User, attributes: &Attributes) -> Decision {
        let decided = match self {
            Self::AlwaysAllow => Ok(String::new()),
            Self::Rbac(_) if is_privileged(user) => Ok(String::new()),
            Self::Rbac(live) => with_policy(live, |policy| policy.authorize(user, attributes)),
        };
        match decided {
            Ok(reason) => Decision { allowed: true, reason },
            Err(reason) if reason.is_empty() => Decision { allowed: false, reason },
            Err(reason) => Decision { allowed: false, reason: format!("rbac: {reason}") },
        }
    }
}

/// Returns true if a user may do everything, whatever the roles are. Upstream: `NewPrivilegedGroups`.
pub(crate) fn is_privileged(user: &User) -> bool {
    user.groups.iter().any(|group| group == MASTERS)
}

fn with_policy<T>(live: &Mutex<LivePolicy>, read: impl FnOnce(&Policy) -> T) -> T {
    read(live.lock().unwrap_or_else(PoisonError::into_inner).current())
}
