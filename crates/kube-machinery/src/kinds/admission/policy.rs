//! A validating admission policy and its bindings, read from their objects. A policy has CEL expressions that accept or
//! refuse a request; a binding applies it to a set of requests, with parameters and with the actions for a failed
//! validation. Upstream: `PolicyHook` in `k8s.io/apiserver/pkg/admission/plugin/policy/generic`.

use std::sync::Arc;

use kube_selectors::LabelSelector;

use super::match_resources::MatchResources;
#[cfg(feature = "cel")]
use super::policy_expressions::Expressions;
use super::webhook::{FailurePolicy, selector, text};
use crate::kinds::{Catalog, Resource, fields};
use crate::value::Value;

/// A policy with its bindings. A policy without bindings has no effect.
#[derive(Debug)]
pub struct PolicyHook {
    pub policy: Arc<Policy>,
    /// Sorted by name.
    pub bindings: Vec<Binding>,
}

#[derive(Debug)]
pub struct Policy {
    pub name: String,
    /// The spec that the policy was read from, to recognize an unchanged policy.
    spec: Value,
    /// The requests that the policy applies to.
    pub constraints: Option<MatchResources>,
    pub param_kind: Option<ParamKind>,
    pub failure_policy: FailurePolicy,
    #[cfg(feature = "cel")]
    pub expressions: Expressions,
}

/// The kind of a policy's parameters: objects whose fields the expressions can read as `params`.
#[derive(Debug)]
pub struct ParamKind {
    pub api_version: String,
    pub kind: String,
}

/// A binding: the requests that a policy is applied to, its parameters, and the consequences of a failed validation.
#[derive(Debug)]
pub struct Binding {
    pub name: String,
    pub resources: Option<MatchResources>,
    pub params: Option<ParamRef>,
    pub actions: Vec<Action>,
}

/// A reference to the parameter objects of a binding.
#[derive(Debug)]
pub struct ParamRef {
    pub name: String,
    pub namespace: String,
    /// The selector of parameter objects, or the reason why it is invalid.
    pub selector: Option<Result<LabelSelector, String>>,
    pub not_found: NotFound,
}

/// The decision on a request if no parameter object is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFound {
    Allow,
    Deny,
}

/// A consequence of a failed validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Deny,
    Warn,
    Audit,
}

impl Policy {
    pub(super) fn of(object: &Value) -> Self {
        let spec = &object["spec"];
        Self {
            name: text(&object["metadata"]["name"]),
            constraints: MatchResources::of(&spec["matchConstraints"]),
            param_kind: ParamKind::of(&spec["paramKind"]),
            failure_policy: FailurePolicy::of(&spec["failurePolicy"]),
            #[cfg(feature = "cel")]
            expressions: Expressions::of(spec),
            spec: spec.clone(),
        }
    }

    /// Returns true if the policy was read from an object with this name and spec.
    pub(super) fn is_of(&self, object: &Value) -> bool {
        object["metadata"]["name"] == self.name.as_str() && object["spec"] == self.spec
    }
}

impl ParamKind {
    /// Returns the stored kind of a policy's parameters, if the catalog serves it.
    pub fn row<'c>(&self, catalog: &'c Catalog) -> Option<&'c Resource> {
        let (group, version) = self.group_version();
        let is_meant = |row: &&Resource| {
            (row.group(), row.version(), row.kind()) == (group, version, self.kind.as_str()) && row.is_stored()
        };
        catalog.served().find(is_meant)
    }

    pub fn of(value: &Value) -> Option<Self> {
        value.is_object().then(|| Self { api_version: text(&value["apiVersion"]), kind: text(&value["kind"]) })
    }

    /// Returns the group and the version of the parameters; both empty if they are malformed.
    pub fn group_version(&self) -> (&str, &str) {
        group_version(&self.api_version).unwrap_or_default()
    }
}

/// Upstream: `parseGroupVersion`.
pub(super) fn group_version(text: &str) -> Option<(&str, &str)> {
    match text.matches('/').count() {
        // As upstream, a slash alone counts as empty.
        _ if text == "/" => Some(("", "")),
        0 => Some(("", text)),
        1 => text.split_once('/'),
        _ => None,
    }
}

impl Binding {
    /// Reads a binding. Returns the name of its policy, and the binding.
    pub(super) fn of(object: &Value) -> (String, Self) {
        let spec = &object["spec"];
        let action = |action: &Value| match action.as_str()? {
            "Deny" => Some(Action::Deny),
            "Warn" => Some(Action::Warn),
            "Audit" => Some(Action::Audit),
            _ => None,
        };
        let binding = Self {
            name: text(&object["metadata"]["name"]),
            resources: MatchResources::of(&spec["matchResources"]),
            params: ParamRef::of(&spec["paramRef"]),
            actions: fields::items(spec, "validationActions").iter().filter_map(action).collect(),
        };
        (text(&spec["policyName"]), binding)
    }
}

impl ParamRef {
    fn of(value: &Value) -> Option<Self> {
        let is_denied = value["parameterNotFoundAction"] == "Deny";
        value.is_object().then(|| Self {
            name: text(&value["name"]),
            namespace: text(&value["namespace"]),
            selector: value["selector"].is_object().then(|| selector(&value["selector"])),
            not_found: if is_denied { NotFound::Deny } else { NotFound::Allow },
        })
    }
}
