//! Validation of what a pod and its containers may do. Upstream: `validatePodSpecSecurityContext` and `ValidateSecurityContext` in
//! `pkg/apis/core/validation/validation.go`.

use serde_json::Value;

use super::containers::{items, text};
use crate::machinery::cause::Cause;

const PROFILES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];

/// The errors in the security context of a pod, `at`.
pub(super) fn of_pod(spec: &Value, at: &str) -> Vec<Cause> {
    let (context, at_context) = (&spec["securityContext"], format!("{at}.securityContext"));
    let mut causes = Vec::new();
    for field in ["fsGroup", "runAsUser", "runAsGroup"] {
        causes.extend(id(&context[field], &format!("{at_context}.{field}")));
    }
    for (i, group) in items(context, "supplementalGroups").iter().enumerate() {
        causes.extend(id(group, &format!("{at_context}.supplementalGroups[{i}]")));
    }
    causes.extend(word(context, "supplementalGroupsPolicy", &["Merge", "Strict"], &at_context));
    if spec["shareProcessNamespace"] == true && spec["hostPID"] == true {
        let why = "ShareProcessNamespace and HostPID cannot both be enabled";
        causes.push(Cause::invalid_as(format!("{at}.shareProcessNamespace"), "true", why));
    }
    for (i, control) in items(context, "sysctls").iter().enumerate() {
        if text(control, "name").is_empty() {
            causes.push(Cause::required(format!("{at_context}.sysctls[{i}].name"), ""));
        }
    }
    causes.extend(word(context, "fsGroupChangePolicy", &["Always", "OnRootMismatch"], &at_context));
    causes.extend(seccomp(&context["seccompProfile"], &format!("{at_context}.seccompProfile")));
    causes
}

/// The errors in the security context of a container, `at`.
pub(super) fn of_container(context: &Value, at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for field in ["runAsUser", "runAsGroup"] {
        causes.extend(id(&context[field], &format!("{at}.{field}")));
    }
    causes.extend(word(context, "procMount", &["Default", "Unmasked"], at));
    causes.extend(seccomp(&context["seccompProfile"], &format!("{at}.seccompProfile")));
    causes.extend(word(&context["appArmorProfile"], "type", &PROFILES, &format!("{at}.appArmorProfile")));
    causes
}

/// A user or a group of Linux.
fn id(number: &Value, at: &str) -> Option<Cause> {
    let fits = number.as_i64().is_none_or(|number| (0..=i64::from(i32::MAX)).contains(&number));
    (!fits).then(|| Cause::invalid_json(at, number, "must be between 0 and 2147483647, inclusive"))
}

fn word(context: &Value, field: &str, words: &[&str], at: &str) -> Option<Cause> {
    let word = context[field].as_str().filter(|word| !words.contains(word))?;
    Some(Cause::unsupported(format!("{at}.{field}"), &format!("{word:?}"), words))
}

fn seccomp(profile: &Value, at: &str) -> Option<Cause> {
    let (kind, file) = (text(profile, "type"), profile["localhostProfile"].as_str());
    let at_file = format!("{at}.localhostProfile");
    match (kind, file) {
        _ if profile.is_null() => None,
        ("Localhost", None | Some("")) => Some(Cause::required(at_file, "must be set when seccomp type is Localhost")),
        ("Localhost", Some(_)) => None,
        (kind, Some(file)) => {
            let shown = format!("{{\"Type\":{kind:?},\"LocalhostProfile\":{file:?}}}");
            Some(Cause::invalid_as(at_file, &shown, "can only be set when seccomp type is Localhost"))
        }
        (_, None) => word(profile, "type", &PROFILES, at),
    }
}
