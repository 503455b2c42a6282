//! Bindings of roles to users and groups, parsed from RoleBindings and ClusterRoleBindings. Every request needs the
//! bindings of its user, so they are indexed by user and group (the subjects of the binding). Upstream:
//! `pkg/registry/rbac/validation/rule.go`.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;

use kube_machinery::conventions::quote::quote;
use kube_machinery::conventions::user::User;
use kube_machinery::value::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RoleRef {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) name: String,
}

impl RoleRef {
    pub(crate) fn of(binding: &Value) -> Self {
        let text = |field: &str| binding["roleRef"][field].as_str().unwrap_or_default().to_owned();
        let group = match text("apiGroup") {
            group if group.is_empty() => super::GROUP.to_owned(), // the default
            group => group,
        };
        Self { group, kind: text("kind"), name: text("name") }
    }
}

/// A subject of a binding, as it is written there: a user, a group or a service account.
#[derive(Clone, Debug)]
struct Subject {
    kind: String,
    name: String,
    namespace: String,
}

/// The user or group that a subject stands for, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum UserOrGroup {
    User(String),
    Group(String),
}

#[derive(Clone, Debug)]
pub(super) struct Binding {
    /// Empty for a ClusterRoleBinding.
    namespace: String,
    name: String,
    pub(super) role: RoleRef,
    subjects: Vec<Subject>,
}

impl Binding {
    pub(super) fn read(namespace: Option<&str>, name: &str, binding: &Value) -> Self {
        let subject = |subject: &Value| {
            let text = |field: &str| subject[field].as_str().unwrap_or_default().to_owned();
            Subject { kind: text("kind"), name: text("name"), namespace: text("namespace") }
        };
        let subjects = binding["subjects"].as_array().into_iter().flatten().map(subject).collect();
        let namespace = namespace.unwrap_or_default().to_owned();
        Self { namespace, name: name.to_owned(), role: RoleRef::of(binding), subjects }
    }

    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns the user or group that a subject stands for. A service account is a user; without a namespace it belongs
    /// to the namespace of the binding.
    fn user_or_group(&self, subject: &Subject) -> Option<UserOrGroup> {
        match subject.kind.as_str() {
            "User" => Some(UserOrGroup::User(subject.name.clone())),
            "Group" => Some(UserOrGroup::Group(subject.name.clone())),
            "ServiceAccount" => {
                let namespace = Some(&subject.namespace).filter(|own| !own.is_empty()).unwrap_or(&self.namespace);
                let name = format!("system:serviceaccount:{namespace}:{}", subject.name);
                (!namespace.is_empty()).then_some(UserOrGroup::User(name))
            }
            _ => None,
        }
    }

    /// Describes the binding, its role, and its first subject that matches the user.
    pub(super) fn described(&self, user: &User) -> String {
        let is_user = |subject: &&Subject| match self.user_or_group(subject) {
            Some(UserOrGroup::User(name)) => name == user.name,
            Some(UserOrGroup::Group(name)) => user.groups.contains(&name),
            None => false,
        };
        let subject = self.subjects.iter().find(is_user);
        let subject = subject.map(|subject| Described { subject, binding: self }.to_string()).unwrap_or_default();
        let (kind, name) = match self.namespace.as_str() {
            "" => ("ClusterRoleBinding", self.name.clone()),
            namespace => ("RoleBinding", format!("{}/{namespace}", self.name)),
        };
        format!("{kind} {} of {} {} to {subject}", quote(&name), self.role.kind, quote(&self.role.name))
    }
}

/// A subject in the words of upstream's `describeSubject`.
struct Described<'a> {
    subject: &'a Subject,
    binding: &'a Binding,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Subject { kind, name, namespace } = self.subject;
        let name = match (kind.as_str(), namespace.as_str()) {
            ("ServiceAccount", "") => format!("{name}/{}", self.binding.namespace),
            ("ServiceAccount", namespace) => format!("{name}/{namespace}"),
            _ => name.clone(),
        };
        write!(f, "{kind} {}", quote(&name))
    }
}

/// The bindings of one namespace, or all ClusterRoleBindings.
#[derive(Debug, Default)]
pub(super) struct Bindings {
    by_name: BTreeMap<String, Binding>,
    /// The names of each user's bindings.
    of_users: HashMap<String, BTreeSet<String>>,
    /// The names of each group's bindings.
    of_groups: HashMap<String, BTreeSet<String>>,
}

impl Bindings {
    pub(super) fn put(&mut self, binding: Binding) {
        self.remove(&binding.name);
        for named in binding.subjects.iter().filter_map(|subject| binding.user_or_group(subject)) {
            let names = match named {
                UserOrGroup::User(name) => self.of_users.entry(name).or_default(),
                UserOrGroup::Group(name) => self.of_groups.entry(name).or_default(),
            };
            names.insert(binding.name.clone());
        }
        self.by_name.insert(binding.name.clone(), binding);
    }

    pub(super) fn remove(&mut self, name: &str) {
        let Some(binding) = self.by_name.remove(name) else { return };
        for named in binding.subjects.iter().filter_map(|subject| binding.user_or_group(subject)) {
            let (map, named) = match named {
                UserOrGroup::User(user) => (&mut self.of_users, user),
                UserOrGroup::Group(group) => (&mut self.of_groups, group),
            };
            if let Some(names) = map.get_mut(&named) {
                names.remove(name);
                if names.is_empty() {
                    map.remove(&named);
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub(super) fn of(&self, user: &User) -> impl Iterator<Item = &Binding> {
        let of_groups = user.groups.iter().filter_map(|group| self.of_groups.get(group));
        let names: BTreeSet<&String> = self.of_users.get(&user.name).into_iter().chain(of_groups).flatten().collect();
        names.into_iter().filter_map(|name| self.by_name.get(name))
    }
}
