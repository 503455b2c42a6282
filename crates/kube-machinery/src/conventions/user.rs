//! Who sends a request. Upstream: `user.Info` in `k8s.io/apiserver/pkg/authentication/user`.

use std::collections::BTreeMap;

use crate::value::{Value, json};

/// The group of everybody who is known.
pub const AUTHENTICATED: &str = "system:authenticated";
/// The group of those who may do everything.
pub const MASTERS: &str = "system:masters";
const ANONYMOUS: &str = "system:anonymous";
/// The group of everybody else.
pub const UNAUTHENTICATED: &str = "system:unauthenticated";

/// Who sends a request: what authentication has found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name, which tells users apart.
    pub name: String,
    /// What tells users of the same name apart over time; empty if nothing does.
    pub uid: String,
    /// The groups that the user belongs to.
    pub groups: Vec<String>,
    /// What else the authenticator knows, such as the id of the credential.
    pub extra: BTreeMap<String, Vec<String>>,
}

impl User {
    /// A user of these groups.
    pub fn new(name: impl Into<String>, groups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { name: name.into(), groups: groups.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Nobody in particular.
    pub fn anonymous() -> Self {
        Self::new(ANONYMOUS, [UNAUTHENTICATED])
    }

    /// Who asks where nobody is asked who they are, and what they may do counts.
    pub fn admin() -> Self {
        Self::new("kubernetes-admin", [MASTERS, AUTHENTICATED])
    }

    pub fn is_anonymous(&self) -> bool {
        self.name == ANONYMOUS
    }

    /// The user with the group of all who are known. Upstream: `AuthenticatedGroupAdder`.
    pub fn authenticated(mut self) -> Self {
        let told = |group: &String| group == AUTHENTICATED || group == UNAUTHENTICATED;
        if !self.is_anonymous() && !self.groups.iter().any(told) {
            self.groups.push(AUTHENTICATED.to_owned());
        }
        self
    }

    /// The `UserInfo` of reviews.
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
