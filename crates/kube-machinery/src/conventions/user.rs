//! The user that sends a request, as authentication found it. Authorization and admission decide by it. Upstream:
//! `user.Info` in `k8s.io/apiserver/pkg/authentication/user`.

use std::collections::BTreeMap;

use crate::value::{Value, json};

/// The group of all authenticated users.
pub const AUTHENTICATED: &str = "system:authenticated";
/// The group of the users who may do everything.
pub const MASTERS: &str = "system:masters";
const ANONYMOUS: &str = "system:anonymous";
/// The group of all users who are not authenticated.
pub const UNAUTHENTICATED: &str = "system:unauthenticated";

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    pub name: String,
    /// Distinguishes users who had the same name at different times; empty if the authenticator has no uid.
    pub uid: String,
    pub groups: Vec<String>,
    /// Further facts from the authenticator, such as the id of the credential.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    pub fn new(name: impl Into<String>, groups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { name: name.into(), groups: groups.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    pub fn anonymous() -> Self {
        Self::new(ANONYMOUS, [UNAUTHENTICATED])
    }

    /// Returns the administrator, who makes the requests without a token on a listener without authentication, if roles
    /// decide about requests. Without roles, these requests are anonymous.
    pub fn admin() -> Self {
        Self::new("kubernetes-admin", [MASTERS, AUTHENTICATED])
    }

    pub fn is_anonymous(&self) -> bool {
        self.name == ANONYMOUS
    }

    /// Adds the group of all authenticated users, unless the user is anonymous. Upstream: `AuthenticatedGroupAdder`.
    pub fn authenticated(mut self) -> Self {
        let is_implied = |group: &String| group == AUTHENTICATED || group == UNAUTHENTICATED;
        if !self.is_anonymous() && !self.groups.iter().any(is_implied) {
            self.groups.push(AUTHENTICATED.to_owned());
        }
        self
    }

    /// Returns the `UserInfo` that reviews contain.
    pub fn info(&self) -> Value {
        let mut info = json!({"username": self.name});
        if !self.uid.is_empty() {
            info["uid"] = json!(self.uid);
        }
        if !self.groups.is_empty() {
            info["groups"] = json!(self.groups);
        }
        if !self.extra.is_empty() {
            info["extra"] = json!(self.extra);
        }
        info
    }
}
