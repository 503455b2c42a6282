//! The ValidatingAdmissionPolicyBinding kind: it applies a ValidatingAdmissionPolicy to a set of requests, with
//! parameters and with the actions for a failed validation. Upstream: `pkg/apis/admissionregistration`.

use std::collections::BTreeSet;

use super::match_resources;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::edit::object_field;
use crate::kinds::columns;
use crate::kinds::core::pod;
use crate::kinds::fields::{invalid, items, one_of, text};
use crate::kinds::metadata::{FinalizerRule, UpdatedMetadata};
use crate::kinds::names;
use crate::kinds::resource::{Generation, ResourceRow, Scope, Strategy, UnconditionalUpdate};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "admissionregistration.k8s.io",
    plural: "validatingadmissionpolicybindings",
    singular: "validatingadmissionpolicybinding",
    kind: "ValidatingAdmissionPolicyBinding",
    storage_hash: "v9715VZqakg=",
    scope: Scope::Cluster,
    categories: &["api-extensions"],
    generation: Generation::Counted,
    strategy: Strategy { unconditional_update: UnconditionalUpdate::Refused, ..Strategy::USUAL },
    defaults: set_defaults,
    validate,
    columns: columns::policy::ADMISSION_POLICY_BINDINGS,
    finalizer_rule: FinalizerRule::Usual,
    updated_metadata: UpdatedMetadata::Whole,
    warnings: super::static_suffix_warnings,
    ..ResourceRow::USUAL
};

/// Upstream: `SetObjectDefaults_ValidatingAdmissionPolicyBinding`.
fn set_defaults(binding: &mut Value) {
    let resources = object_field(binding, "spec").and_then(|spec| object_field(spec, "matchResources"));
    resources.into_iter().for_each(match_resources::set_defaults);
}

/// Upstream: `validateValidatingAdmissionPolicyBindingSpec`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    let (spec, policy) = (&new["spec"], text(&new["spec"], "policyName"));
    let messages = if policy.is_empty() { Vec::new() } else { names::subdomain(policy) };
    let mut causes = invalid(&"spec.policyName", policy, messages);
    if spec["paramRef"].is_object() {
        causes.extend(param_ref(&spec["paramRef"], &"spec.paramRef"));
    }
    if spec["matchResources"].is_object() {
        causes.extend(match_resources::validate(&spec["matchResources"], &"spec.matchResources"));
    }
    causes.extend(actions(spec, &"spec.validationActions"));
    causes.extend(super::static_suffix(new, old));
    causes
}

/// Validates a reference to parameters, by name or by selector. Upstream: `validateParamRef`.
fn param_ref(reference: &Value, at: At<'_>) -> Causes {
    const EXCLUSIVE: &str = "name and selector are mutually exclusive";
    let (name, has_selector) = (text(reference, "name"), reference["selector"].is_object());
    let (at_name, at_selector) = (format_args!("{at}.name"), format_args!("{at}.selector"));
    let mut causes = Causes::new();
    if !name.is_empty() {
        causes.extend(invalid(&at_name, name, names::path_segment(name)));
        if has_selector {
            causes.push(Cause::forbidden(at_name, EXCLUSIVE));
        }
    }
    if has_selector {
        causes.extend(pod::label_selector(&reference["selector"], &at_selector));
        if !name.is_empty() {
            causes.push(Cause::forbidden(at_selector, EXCLUSIVE));
        }
    }
    if name.is_empty() && !has_selector {
        causes.push(Cause::required(at, "one of name or selector must be specified"));
    }
    let at_action = format_args!("{at}.parameterNotFoundAction");
    match text(reference, "parameterNotFoundAction") {
        "" => causes.push(Cause::required(at_action, "")),
        action => causes.extend(one_of(action, &["Deny", "Allow"], &at_action)),
    }
    causes
}

/// Upstream: `validateValidationActions`.
fn actions(spec: &Value, at: At<'_>) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), BTreeSet::new());
    for (i, action) in items(spec, "validationActions").iter().enumerate() {
        let (action, at) = (action.as_str().unwrap_or_default(), format_args!("{at}[{i}]"));
        causes.extend(one_of(action, &["Audit", "Deny", "Warn"], &at));
        if !seen.insert(action) {
            causes.push(Cause::duplicate(at, action));
        }
    }
    if seen.contains("Deny") && seen.contains("Warn") {
        let why = "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers \
                   serves no purpose)";
        causes.push(Cause::invalid_json(at, &spec["validationActions"], why));
    }
    causes
}
