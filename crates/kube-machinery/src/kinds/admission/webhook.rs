//! An admission webhook: a server that Kubernetes calls for each matching write, and that may change or refuse it.
//! Upstream: `WebhookAccessor` in `k8s.io/apiserver/pkg/admission/plugin/webhook/accessors.go`.

use std::collections::HashMap;
use std::time::Duration;

use kube_selectors::LabelSelector;

use super::matching::Rule;
#[cfg(feature = "cel")]
use super::program::Program;
use crate::conventions::label_selector;
use crate::kinds::client_config::ClientConfig;
#[cfg(feature = "cel")]
use crate::kinds::fields;
use crate::value::{Array, Value};

#[derive(Debug)]
pub struct Webhook {
    pub name: String,
    /// The unique identifier: the name of the configuration, the webhook's own name, and its number among those with
    /// the same name.
    pub uid: String,
    pub client: ClientConfig,
    pub rules: Vec<Rule>,
    pub match_policy: MatchPolicy,
    pub failure_policy: FailurePolicy,
    pub side_effects: SideEffects,
    pub timeout: Duration,
    /// The selector, or the reason why it is invalid.
    pub namespace_selector: Result<LabelSelector, String>,
    pub object_selector: Result<LabelSelector, String>,
    pub conditions: Vec<Condition>,
    /// The versions of `AdmissionReview` (the request to a webhook) that the webhook understands, in its order of
    /// preference.
    pub review_versions: Vec<String>,
    pub reinvocation: Reinvocation,
}

/// The versions of a resource that a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchPolicy {
    /// The version in the request alone.
    Exact,
    /// Any version of the resource. Objects are converted to the version that the rule names.
    Equivalent,
}

/// The decision on a request if the webhook cannot be called, or the policy cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePolicy {
    Fail,
    Ignore,
}

/// The side effects of a webhook. A webhook with possible side effects cannot be called for a dry run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideEffects {
    None,
    Possible,
}

/// The policy for a second call of a webhook, if a later webhook changes the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reinvocation {
    Never,
    IfNeeded,
}

/// A CEL expression that must be true for a request to match.
#[derive(Debug)]
pub struct Condition {
    #[cfg(feature = "cel")]
    pub program: Program,
}

impl Condition {
    pub(super) fn all_of(conditions: &Value) -> Vec<Self> {
        conditions.as_array().into_iter().flatten().map(Self::of).collect()
    }

    #[cfg(feature = "cel")]
    fn of(condition: &Value) -> Self {
        Self { program: Program::of(fields::text(condition, "expression")) }
    }

    #[cfg(not(feature = "cel"))]
    fn of(_: &Value) -> Self {
        Self {}
    }
}

impl Webhook {
    pub(super) fn all_of(configuration: &Value) -> Vec<Self> {
        let name = configuration["metadata"]["name"].as_str().unwrap_or_default();
        let hooks: &[Value] = configuration["webhooks"].as_array().map_or(&[], Array::as_slice);
        let mut count_by_name: HashMap<&str, usize> = HashMap::new();
        let numbered = hooks.iter().map(|hook| {
            let count = count_by_name.entry(hook["name"].as_str().unwrap_or_default()).or_default();
            *count += 1;
            Self::of(name, hook, *count - 1)
        });
        numbered.collect()
    }

    /// Reads a webhook. `nth` is the number of webhooks of the same name before it.
    fn of(configuration: &str, hook: &Value, nth: usize) -> Self {
        let name = text(&hook["name"]);
        let is_set_to = |field: &str, value: &str| hook[field] == value;
        let has_none = is_set_to("sideEffects", "None") || is_set_to("sideEffects", "NoneOnDryRun");
        Self {
            uid: format!("{configuration}/{name}/{nth}"),
            client: ClientConfig::of(&hook["clientConfig"]),
            rules: Rule::all_of(&hook["rules"]),
            match_policy: MatchPolicy::of(&hook["matchPolicy"]),
            failure_policy: FailurePolicy::of(&hook["failurePolicy"]),
            side_effects: if has_none { SideEffects::None } else { SideEffects::Possible },
            timeout: Duration::from_secs(hook["timeoutSeconds"].as_u64().unwrap_or(10)),
            namespace_selector: selector(&hook["namespaceSelector"]),
            object_selector: selector(&hook["objectSelector"]),
            conditions: Condition::all_of(&hook["matchConditions"]),
            review_versions: hook["admissionReviewVersions"].as_array().into_iter().flatten().map(text).collect(),
            reinvocation: if is_set_to("reinvocationPolicy", "IfNeeded") {
                Reinvocation::IfNeeded
            } else {
                Reinvocation::Never
            },
            name,
        }
    }
}

impl MatchPolicy {
    pub(super) fn of(value: &Value) -> Self {
        if value == "Exact" { Self::Exact } else { Self::Equivalent }
    }
}

impl FailurePolicy {
    pub(super) fn of(value: &Value) -> Self {
        if value == "Ignore" { Self::Ignore } else { Self::Fail }
    }
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

pub(super) fn selector(value: &Value) -> Result<LabelSelector, String> {
    label_selector::read(value).map_err(|why| why.to_string())
}
