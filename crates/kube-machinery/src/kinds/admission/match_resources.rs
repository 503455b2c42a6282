//! The part of an admission policy or its binding that selects requests: `matchConstraints` of a policy,
//! `matchResources` of a binding. Here they are read, get their defaults and are validated; `matching` compares the
//! rules with a request. Upstream: `MatchResources`, and `validateMatchResources` in
//! `pkg/apis/admissionregistration/validation`.

use std::collections::BTreeSet;

use kube_selectors::LabelSelector;

use super::matching::{RequestAttributes, Rule};
use super::rules::rule;
use super::webhook::{MatchPolicy, selector, text};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::{empty, list, set_default};
use crate::kinds::core::pod;
use crate::kinds::fields::{each, invalid, items, one_of};
use crate::kinds::names;
use crate::value::{Value, json};

/// The requests that a policy or a binding selects.
#[derive(Debug)]
pub struct MatchResources {
    pub rules: Vec<NamedRule>,
    /// Requests that these rules match are not selected, even if `rules` match them too.
    pub excluded: Vec<NamedRule>,
    pub policy: MatchPolicy,
    /// The selector, or the reason why it is invalid.
    pub namespace_selector: Result<LabelSelector, String>,
    pub object_selector: Result<LabelSelector, String>,
}

/// A rule that may also list the names of objects. Upstream: `NamedRuleWithOperations`.
#[derive(Debug)]
pub struct NamedRule {
    rule: Rule,
    names: Vec<String>,
}

impl NamedRule {
    fn all_of(rules: &Value) -> Vec<Self> {
        let names = |rule: &Value| rule["resourceNames"].as_array().into_iter().flatten().map(text).collect();
        let each = rules.as_array().into_iter().flatten().zip(Rule::all_of(rules));
        each.map(|(value, rule)| Self { rule, names: names(value) }).collect()
    }

    pub fn matches(&self, request: &RequestAttributes<'_>, name: &str) -> bool {
        self.rule.matches(request) && (self.names.is_empty() || self.names.iter().any(|known| known == name))
    }
}

impl MatchResources {
    /// Reads a `MatchResources` object; `None` if it is absent.
    pub(super) fn of(value: &Value) -> Option<Self> {
        value.is_object().then(|| Self {
            rules: NamedRule::all_of(&value["resourceRules"]),
            excluded: NamedRule::all_of(&value["excludeResourceRules"]),
            policy: MatchPolicy::of(&value["matchPolicy"]),
            namespace_selector: selector(&value["namespaceSelector"]),
            object_selector: selector(&value["objectSelector"]),
        })
    }
}

/// Upstream: `SetDefaults_MatchResources`.
pub(super) fn set_defaults(resources: &mut Value) {
    set_default(resources, "matchPolicy", json!("Equivalent"));
    set_default(resources, "namespaceSelector", empty());
    set_default(resources, "objectSelector", empty());
    for rules in ["resourceRules", "excludeResourceRules"] {
        list(resources, rules).for_each(|rule| set_default(rule, "scope", json!("*")));
    }
}

pub(super) fn validate(resources: &Value, at: At<'_>) -> Causes {
    let (policy, at_policy) = (resources["matchPolicy"].as_str().unwrap_or_default(), format_args!("{at}.matchPolicy"));
    let mut causes: Causes = one_of(policy, &["Equivalent", "Exact"], &at_policy).into_iter().collect();
    for field in ["namespaceSelector", "objectSelector"] {
        causes.extend(pod::label_selector(&resources[field], &format_args!("{at}.{field}")));
    }
    for rules in ["resourceRules", "excludeResourceRules"] {
        causes.extend(each(resources, rules, at).flat_map(|(at, rule)| named_rule(rule, &at)));
    }
    causes
}

/// Upstream: `validateNamedRuleWithOperations`.
fn named_rule(value: &Value, at: At<'_>) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), BTreeSet::new());
    for (i, name) in items(value, "resourceNames").iter().enumerate() {
        let (name, at) = (name.as_str().unwrap_or_default(), format_args!("{at}.resourceNames[{i}]"));
        causes.extend(invalid(&at, name, names::path_segment(name)));
        if !seen.insert(name) {
            causes.push(Cause::duplicate(at, name));
        }
    }
    causes.extend(rule(value, at));
    causes
}
