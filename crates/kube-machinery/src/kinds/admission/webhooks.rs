//! Validation of the webhooks in ValidatingWebhookConfigurations and MutatingWebhookConfigurations, which have the same
//! rules. Upstream: `pkg/apis/admissionregistration/validation`.

use std::collections::BTreeSet;

use super::conditions;
use super::expressions::Declarations;
use super::rules::rule;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::core::pod;
use crate::kinds::fields::{each, invalid, items, one_of, one_of_if_set, text};
use crate::kinds::{names, webhook_address};
use crate::value::Value;

const NO_SIDE_EFFECTS: [&str; 2] = ["None", "NoneOnDryRun"];
const SIDE_EFFECTS: [&str; 4] = ["None", "NoneOnDryRun", "Some", "Unknown"];
/// The versions of `AdmissionReview`, the request to a webhook, that the API server can send.
const VERSIONS: [&str; 2] = ["v1", "v1beta1"];

/// The rules that an update may break, because the old object breaks them too (ratcheting).
struct Tolerated {
    /// A webhook may have side effects.
    side_effects: bool,
    /// A webhook may understand no version of `AdmissionReview` that the server sends.
    unknown_versions: bool,
    /// Several webhooks may have the same name.
    same_names: bool,
    /// Selectors may have invalid label values.
    label_values: bool,
    /// The match conditions are not checked, because the update leaves them unchanged.
    conditions: bool,
}

/// Returns the rules that the new object may break. Upstream: `ValidateValidatingWebhookConfigurationUpdate`,
/// `ValidateMutatingWebhookConfigurationUpdate`.
fn tolerated(new: &Value, old: Option<&Value>) -> Tolerated {
    let old_hooks = old.map_or(&[][..], |old| items(old, "webhooks"));
    let knows = |hook: &Value| items(hook, "admissionReviewVersions").iter().any(is_known);
    let names: BTreeSet<&str> = old_hooks.iter().map(|hook| text(hook, "name")).collect();
    let selects_badly = |hook: &Value| selectors(hook, &"").iter().any(is_of_value);
    let conditions =
        |hooks: &[Value]| hooks.iter().map(|hook| items(hook, "matchConditions").to_vec()).collect::<Vec<_>>();
    Tolerated {
        side_effects: !old_hooks.iter().all(|hook| NO_SIDE_EFFECTS.contains(&text(hook, "sideEffects"))),
        unknown_versions: old_hooks
            .iter()
            .any(|hook| !knows(hook) && !items(hook, "admissionReviewVersions").is_empty()),
        same_names: names.len() < old_hooks.len(),
        label_values: old_hooks.iter().any(selects_badly),
        conditions: old.is_some() && conditions(items(new, "webhooks")) == conditions(old_hooks),
    }
}

/// Upstream: `validateValidatingWebhookConfiguration`, `validateMutatingWebhookConfiguration`.
pub(super) fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let tolerated = tolerated(new, old);
    let (mut causes, mut names) = (Causes::new(), BTreeSet::new());
    for (i, hook) in items(new, "webhooks").iter().enumerate() {
        let at = format_args!("webhooks[{i}]");
        causes.extend(webhook(hook, &tolerated, &at));
        causes.extend(versions(hook, &tolerated, &format_args!("{at}.admissionReviewVersions")));
        let name = text(hook, "name");
        if !tolerated.same_names && !name.is_empty() && !names.insert(name) {
            causes.push(Cause::duplicate(format_args!("{at}.name"), name));
        }
    }
    causes.extend(super::static_suffix(new, old));
    causes
}

/// The resources that no webhook gets. Upstream: `exclusion.Excluded`.
const EXCLUDED: [(&str, &str); 6] = [
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
];

/// Warns of rules that name resources which no webhook gets. Upstream: `WarningsForValidatingWebhookRules`.
pub(super) fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let mut warnings = super::static_suffix_warnings(new, old);
    for (i, hook) in items(new, "webhooks").iter().enumerate() {
        for (j, rule) in items(hook, "rules").iter().enumerate() {
            let (groups, resources) = (items(rule, "apiGroups"), items(rule, "resources"));
            let has_wildcard = [groups, resources].iter().any(|names| names.iter().any(|name| name == "*"));
            let mut named = BTreeSet::new();
            let pairs = groups.iter().flat_map(|group| resources.iter().map(move |resource| (group, resource)));
            for (group, resource) in pairs.filter_map(|(group, resource)| Some((group.as_str()?, resource.as_str()?))) {
                if !has_wildcard && EXCLUDED.contains(&(group, resource)) && named.insert((group, resource)) {
                    let why = "is excluded from admission webhooks; this rule will have no effect";
                    warnings.push(format!("webhooks[{i}].rules[{j}]: {resource}.{group} {why}"));
                }
            }
        }
    }
    warnings
}

/// Upstream: `validateValidatingWebhook`, `validateMutatingWebhook`.
fn webhook(hook: &Value, tolerated: &Tolerated, at: At<'_>) -> Causes {
    let mut causes: Causes = qualified_name(text(hook, "name"), &format_args!("{at}.name")).into_iter().collect();
    causes.extend(each(hook, "rules", at).flat_map(|(at, one)| rule(one, &at)));
    causes.extend(one_of_if_set(hook, "failurePolicy", &["Fail", "Ignore"], at));
    causes.extend(one_of_if_set(hook, "matchPolicy", &["Equivalent", "Exact"], at));
    let side_effects = if tolerated.side_effects { &SIDE_EFFECTS[..] } else { &NO_SIDE_EFFECTS };
    match hook["sideEffects"].as_str() {
        None => {
            let why = format!("must specify one of {}", side_effects.join(", "));
            causes.push(Cause::required(format_args!("{at}.sideEffects"), &why));
        }
        Some(chosen) => causes.extend(one_of(chosen, side_effects, &format_args!("{at}.sideEffects"))),
    }
    if hook["timeoutSeconds"].as_i64().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
        let why = "the timeout value must be between 1 and 30 seconds";
        causes.push(Cause::invalid_json(format_args!("{at}.timeoutSeconds"), &hook["timeoutSeconds"], why));
    }
    causes.extend(selectors(hook, at).into_iter().filter(|cause| !(tolerated.label_values && is_of_value(cause))));
    causes.extend(one_of_if_set(hook, "reinvocationPolicy", &["IfNeeded", "Never"], at));
    causes.extend(webhook_address::validate(&hook["clientConfig"], &format_args!("{at}.clientConfig")));
    if !tolerated.conditions {
        causes.extend(conditions::validate(hook, &Declarations::of_webhook(), at));
    }
    causes
}

/// Checks that the name is a domain name of at least three segments. Upstream: `IsFullyQualifiedName`.
fn qualified_name(name: &str, at: At<'_>) -> Option<Cause> {
    let wrong = names::subdomain(name);
    if name.is_empty() {
        Some(Cause::required(at, ""))
    } else if !wrong.is_empty() {
        Some(Cause::invalid(at, name, &wrong.join(",")))
    } else {
        let why = "should be a domain with at least three segments separated by dots";
        (name.split('.').count() < 3).then(|| Cause::invalid(at, name, why))
    }
}

/// Validates the selectors of a webhook.
fn selectors(hook: &Value, at: At<'_>) -> Causes {
    let fields = ["namespaceSelector", "objectSelector"].into_iter();
    fields.flat_map(|field| pod::label_selector(&hook[field], &format_args!("{at}.{field}"))).collect()
}

/// Returns true if the cause is about a value in an expression of a selector.
fn is_of_value(cause: &Cause) -> bool {
    cause.field().contains(".values[")
}

fn is_known(version: &Value) -> bool {
    version.as_str().is_some_and(|version| VERSIONS.contains(&version))
}

/// Upstream: `validateAdmissionReviewVersions`.
fn versions(hook: &Value, tolerated: &Tolerated, at: At<'_>) -> Causes {
    let versions = items(hook, "admissionReviewVersions");
    if versions.is_empty() {
        return Causes::from([Cause::required(at, &format!("must specify one of {}", VERSIONS.join(", ")))]);
    }
    let (mut causes, mut seen) = (Causes::new(), BTreeSet::new());
    for (i, version) in versions.iter().enumerate() {
        let (version, at) = (version.as_str().unwrap_or_default(), format_args!("{at}[{i}]"));
        if seen.insert(version) {
            causes.extend(invalid(&at, version, names::dns1035(version)));
        } else {
            causes.push(Cause::invalid(at, version, "duplicate version"));
        }
    }
    if !tolerated.unknown_versions && !versions.iter().any(is_known) {
        let why = format!("must include at least one of {}", VERSIONS.join(", "));
        causes.push(Cause::invalid_json(at, &hook["admissionReviewVersions"], &why));
    }
    causes
}
