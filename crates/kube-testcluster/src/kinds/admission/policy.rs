//! Validating admission policies and their bindings, as they are read from their objects. Upstream: `PolicyHook` in
//! `k8s.io/apiserver/pkg/admission/plugin/policy/generic`.

use std::sync::Arc;

use kube_informers::selector::LabelSelector;

use super::match_resources::MatchResources;
#[cfg(feature = "cel")]
use super::policy_expressions::Expressions;
use super::webhook::{FailurePolicy, selector, text};
use crate::kinds::fields;
use crate::value::Value;

/// A policy with its bindings. A policy without bindings has no effect.
#[derive(Debug)]
pub(crate) struct PolicyHook {
    pub(crate) policy: Arc<Policy>,
    /// Sorted by name.
    pub(crate) bindings: Vec<Binding>,
}

/// A policy: CEL expressions that accept or refuse a request.
#[derive(Debug)]
pub(crate) struct Policy {
    pub(crate) name: String,
    /// The spec that the policy was read from.
    spec: Value,
    /// The requests that the policy applies to.
    pub(crate) constraints: Option<MatchResources>,
    pub(crate) param_kind: Option<ParamKind>,
    pub(crate) failure_policy: FailurePolicy,
    #[cfg(feature = "cel")]
    pub(crate) expressions: Expressions,
}

/// The kind of a policy's parameters.
#[derive(Debug)]
pub(crate) struct ParamKind {
    pub(crate) api_version: String,
    pub(crate) kind: String,
}

/// A binding: the requests that a policy is applied to, its parameters, and the consequences of a failed validation.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) resources: Option<MatchResources>,
    pub(crate) params: Option<ParamRef>,
    pub(crate) actions: Vec<Action>,
}

/// A reference to the parameter objects of a binding.
#[derive(Debug)]
pub(crate) struct ParamRef {
    pub(crate) name: String,
    pub(crate) namespace: String,
    /// The selector of parameter objects, or why it is invalid.
    pub(crate) selector: Option<Result<LabelSelector, String>>,
    pub(crate) not_found: NotFound,
}

/// The decision on a request if no parameter object is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotFound {
    Allow,
    Deny,
}

/// A consequence of a failed validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
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
    pub(crate) fn of(value: &Value) -> Option<Self> {
        value.is_object().then(|| Self { api_version: text(&value["apiVersion"]), kind: text(&value["kind"]) })
    }

    /// Returns the group and the version of the parameters; both empty if they are malformed.
    pub(crate) fn group_version(&self) -> (&str, &str) {
        group_version(&self.api_version).unwrap_or_default()
    }
}

/// Splits `group/version`. Upstream: `parseGroupVersion`.
pub(super) fn group_version(text: &str) -> Option<(&str, &str)> {
    match text.matches('/').count() {
        _ if text == "/" => Some(("", "")),
        0 => Some(("", text)),
        1 => text.split_once('/'),
        _ => None,
    }
}

impl Binding {
    /// Reads a binding, and returns it after the name of its policy.
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
