//! Validates `restartPolicy` and `restartPolicyRules`, which say if a container restarts after it ended, and
//! `resizePolicy`, which says if it restarts when its cpu or memory changes. Upstream:
//! `validateContainerRestartPolicy`, `validateInitContainerRestartPolicy` and `validateResizePolicy` in
//! `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;

use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{each, items, one_of, one_of_if_set, required_one_of, text};
use crate::value::Value;

const POLICIES: [&str; 3] = ["Always", "Never", "OnFailure"];
const ACTIONS: [&str; 2] = ["Restart", "RestartAllContainers"];
const OPERATORS: [&str; 2] = ["In", "NotIn"];
const MOST_RULES: usize = 20;
const MOST_EXIT_CODES: usize = 255;
const RESIZED: [&str; 2] = ["cpu", "memory"];
const ON_RESIZE: [&str; 2] = ["NotRequired", "RestartContainer"];

pub(super) fn policy(container: &Value, at: At<'_>) -> Causes {
    let rules = items(container, "restartPolicyRules");
    let mut causes = Causes::from_iter(one_of_if_set(container, "restartPolicy", &POLICIES, at));
    if container["restartPolicy"].is_null() {
        if rules.is_empty() {
            return causes;
        }
        let why = "must specify restartPolicy when restart rules are used";
        causes.push(Cause::required(format_args!("{at}.restartPolicy"), why));
    }
    if rules.len() > MOST_RULES {
        causes.push(Cause::too_many(format_args!("{at}.restartPolicyRules"), rules.len(), MOST_RULES));
    }
    causes.extend(each(container, "restartPolicyRules", at).flat_map(|(at, rule)| validate_rule(rule, &at)));
    causes
}

/// Validates the restart policy of an init container. If rules come without a policy, upstream reports only the missing
/// policy.
pub(super) fn policy_of_init(container: &Value, at: At<'_>) -> Causes {
    let mut causes = policy(container, at);
    if container["restartPolicy"].is_null() {
        causes.truncate(1);
    }
    causes
}

fn validate_rule(rule: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::from_iter(one_of(text(rule, "action"), &ACTIONS, &format_args!("{at}.action")));
    let (codes, at) = (&rule["exitCodes"], format_args!("{at}.exitCodes"));
    if !codes.is_object() {
        causes.push(Cause::required(at, "must be specified"));
        return causes;
    }
    causes.extend(one_of(text(codes, "operator"), &OPERATORS, &format_args!("{at}.operator")));
    let count = items(codes, "values").len();
    if count > MOST_EXIT_CODES {
        causes.push(Cause::too_many(format_args!("{at}.values"), count, MOST_EXIT_CODES));
    }
    causes
}

/// `restarts` is the restart policy of the pod.
pub(super) fn on_resize(container: &Value, restarts: &str, at: At<'_>) -> Causes {
    let (mut causes, mut seen) = (Causes::new(), HashSet::new());
    // Upstream's path is that of the list, not of the item.
    let list = format_args!("{at}.resizePolicy");
    for (path, item) in each(container, "resizePolicy", at) {
        let (resource, policy) = (text(item, "resourceName"), text(item, "restartPolicy"));
        if !seen.insert(resource) {
            causes.push(Cause::duplicate(path, resource));
        }
        causes.extend(required_one_of(resource, &RESIZED, &list));
        causes.extend(required_one_of(policy, &ON_RESIZE, &list));
        if restarts == "Never" && policy != "NotRequired" {
            let why = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            causes.push(Cause::invalid(list, policy, why));
        }
    }
    causes
}

/// Refuses `RestartContainer` for an init container that is not a sidecar.
pub(super) fn on_resize_of_init(container: &Value, at: At<'_>) -> Causes {
    let why = "must not be set to 'RestartContainer' for non-sidecar initContainers";
    let wrong = each(container, "resizePolicy", at).filter(|(_, item)| item["restartPolicy"] == "RestartContainer");
    wrong.map(|(at, _)| Cause::invalid(format_args!("{at}.restartPolicy"), "RestartContainer", why)).collect()
}
