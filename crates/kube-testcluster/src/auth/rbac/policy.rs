//! All roles and bindings, parsed and indexed, because RBAC needs them for every request. They follow the stored
//! objects: before each decision, the writes since the last one are applied. Upstream: `DefaultRuleResolver` in
//! `pkg/registry/rbac/validation/rule.go`, which reads them from informers.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use tokio::sync::mpsc::UnboundedReceiver;

use super::binding::{Binding, Bindings, RoleRef};
use super::policy_rule::PolicyRule;
use crate::store::Store;
use crate::store::object::Key;
use crate::store::watch_cache::OpenedEvent;
use kube_machinery::conventions::quote::quote;
use kube_machinery::conventions::user::User;
use kube_machinery::kinds::{CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, Resource};
use kube_machinery::value::Value;

/// The reason why the rules of a binding cannot be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// The role does not exist.
    NotFound { row: &'static Resource, name: String },
    /// A ClusterRoleBinding names a namespaced Role.
    NoNamespace,
    /// The binding names a kind that is not a role.
    UnknownKind(String),
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The resource is in the singular, as in the error of a client-go lister.
            Self::NotFound { row, name } => write!(f, "{}.{} {} not found", row.singular(), row.group(), quote(name)),
            Self::NoNamespace => f.write_str("Namespace parameter required."),
            Self::UnknownKind(kind) => write!(f, "unsupported role reference kind: {}", quote(kind)),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Policy {
    cluster_roles: BTreeMap<Key, Vec<PolicyRule>>,
    roles: BTreeMap<Key, Vec<PolicyRule>>,
    /// The ClusterRoleBindings.
    everywhere: Bindings,
    /// The RoleBindings, by namespace.
    in_namespaces: HashMap<String, Bindings>,
}

impl Policy {
    /// Applies the state of a role or binding after a write; `None` after its removal.
    pub(super) fn put(&mut self, resource: &Resource, key: &Key, object: Option<&Value>) {
        let roles = match resource.plural() {
            "clusterroles" => &mut self.cluster_roles,
            "roles" => &mut self.roles,
            _ => return self.put_binding(key, object),
        };
        match object {
            Some(role) => drop(roles.insert(key.clone(), PolicyRule::all_of(role))),
            None => drop(roles.remove(key)),
        }
    }

    fn put_binding(&mut self, key: &Key, object: Option<&Value>) {
        let bindings = match key.namespace() {
            None => &mut self.everywhere,
            Some(namespace) => self.in_namespaces.entry(namespace.to_owned()).or_default(),
        };
        match object {
            Some(binding) => bindings.put(Binding::read(key.namespace(), key.name(), binding)),
            None => bindings.remove(key.name()),
        }
        if let Some(namespace) = key.namespace()
            && self.in_namespaces.get(namespace).is_some_and(Bindings::is_empty)
        {
            self.in_namespaces.remove(namespace);
        }
    }

    /// Returns the rules of a role. `namespace` is the namespace of the binding; empty for a ClusterRoleBinding.
    /// Upstream: `GetRoleReferenceRules`.
    pub(crate) fn rules_of(&self, role: &RoleRef, namespace: &str) -> Result<&[PolicyRule], Unresolved> {
        let (roles, row, namespace) = match role.kind.as_str() {
            "ClusterRole" => (&self.cluster_roles, CLUSTER_ROLES, None),
            "Role" if namespace.is_empty() => return Err(Unresolved::NoNamespace),
            "Role" => (&self.roles, ROLES, Some(namespace)),
            other => return Err(Unresolved::UnknownKind(other.to_owned())),
        };
        let found = roles.get(&Key::new(namespace, &role.name)).map(Vec::as_slice);
        found.ok_or_else(|| Unresolved::NotFound { row, name: role.name.clone() })
    }

    /// Returns the bindings of a user with their rules: first the ClusterRoleBindings, then the bindings of this
    /// namespace, unless it is empty. Both are in the order of their names. Upstream: `VisitRulesFor`.
    pub(super) fn of<'a>(
        &'a self,
        user: &'a User,
        namespace: &str,
    ) -> impl Iterator<Item = (&'a Binding, Result<&'a [PolicyRule], Unresolved>)> {
        let own = self.in_namespaces.get(namespace).filter(|_| !namespace.is_empty());
        let bindings = self.everywhere.of(user).chain(own.into_iter().flat_map(|own| own.of(user)));
        bindings.map(|binding| (binding, self.rules_of(&binding.role, binding.namespace())))
    }
}

/// A policy that follows the stored roles and bindings.
#[derive(Debug)]
pub(crate) struct LivePolicy {
    policy: Policy,
    /// The writes of roles and bindings that are not applied yet, a stream for each of the four kinds.
    changes: [UnboundedReceiver<OpenedEvent>; 4],
}

impl LivePolicy {
    /// Reads the stored roles and bindings, and follows their changes.
    pub(crate) fn start(store: &Store) -> Self {
        let mut policy = Policy::default();
        let changes = [CLUSTER_ROLES, CLUSTER_ROLE_BINDINGS, ROLES, ROLE_BINDINGS].map(|row| {
            let (objects, _, changes) = store.lock().follow(row);
            for object in objects.iter().filter_map(|object| object.open().ok()) {
                policy.put(row, &object.key, Some(&object.value));
            }
            changes
        });
        Self { policy, changes }
    }

    /// Returns the current policy. Applies only the writes since the last call.
    pub(crate) fn current(&mut self) -> &Policy {
        for changes in &mut self.changes {
            while let Ok((event, current)) = changes.try_recv() {
                let object = event.object();
                self.policy.put(&object.resource, &object.key, current.as_ref().map(|object| &object.value));
            }
        }
        &self.policy
    }
}
