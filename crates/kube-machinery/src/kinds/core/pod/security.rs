//! Validation of the security contexts of pods and containers: user and group IDs, sysctls, seccomp and AppArmor
//! profiles, and privileges. Upstream: `validatePodSpecSecurityContext` and `ValidateSecurityContext` in
//! `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;

use super::profiles::{app_armor, seccomp};
use super::windows;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::conventions::go_struct::{Field, GoStruct};
use crate::kinds::fields::{each, items, one_of_if_set, required, text};
use crate::value::Value;

/// The sysctls (kernel parameters) that belong to the IPC namespace, beside `fs.mqueue.*`.
const OF_IPC: [&str; 10] = [
    "kernel.sem",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.shm_rmid_forced",
    "kernel.shm",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
    "kernel.msg",
];

/// `at` is the path of the pod spec.
pub(super) fn validate_pod_context(spec: &Value, at: At<'_>) -> Causes {
    let (context, at) = (&spec["securityContext"], format_args!("{at}.securityContext"));
    let mut causes = Causes::new();
    for field in ["fsGroup", "runAsUser", "runAsGroup"] {
        causes.extend(id(&context[field], &format_args!("{at}.{field}")));
    }
    for (i, group) in items(context, "supplementalGroups").iter().enumerate() {
        causes.extend(id(group, &format_args!("{at}.supplementalGroups[{i}]")));
    }
    causes.extend(sysctls(spec, &at));
    causes.extend(one_of_if_set(context, "fsGroupChangePolicy", &["Always", "OnRootMismatch"], &at));
    causes.extend(seccomp(&context["seccompProfile"], &format_args!("{at}.seccompProfile")));
    causes.extend(windows::options(&context["windowsOptions"], &format_args!("{at}.windowsOptions")));
    causes.extend(app_armor(&context["appArmorProfile"], &format_args!("{at}.appArmorProfile")));
    causes.extend(one_of_if_set(context, "supplementalGroupsPolicy", &["Merge", "Strict"], &at));
    causes.extend(one_of_if_set(context, "seLinuxChangePolicy", &["MountOption", "Recursive"], &at));
    causes
}

/// Checks that containers do not share both their own process namespace and the node's. Upstream:
/// `validateShareProcessNamespace`.
pub(super) fn shared_processes(spec: &Value, at: At<'_>) -> Option<Cause> {
    let both = spec["shareProcessNamespace"] == true && spec["hostPID"] == true;
    let why = "ShareProcessNamespace and HostPID cannot both be enabled";
    both.then(|| Cause::invalid_as(format_args!("{at}.shareProcessNamespace"), "true", why))
}

/// Validates the sysctls. A sysctl of a namespace that the pod shares with the node is refused, because it would change
/// the node. Upstream: `validateSysctls`.
fn sysctls(spec: &Value, at: At<'_>) -> Causes {
    let (mut causes, mut names) = (Causes::new(), HashSet::new());
    for (path, control) in each(&spec["securityContext"], "sysctls", at) {
        let (name, at) = (text(control, "name"), format_args!("{path}.name"));
        if name.is_empty() {
            causes.extend(required(control, "name", &path));
        } else if name.len() > 253 || !is_sysctl(name) {
            let why = "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";
            causes.push(Cause::invalid(at, name, why));
        } else if names.contains(name) {
            causes.push(Cause::duplicate(at, name));
        }
        let of_the_node = match namespace_of(name) {
            Some("net") if spec["hostNetwork"] == true => "may not be specified when 'hostNetwork' is true",
            Some("ipc") if spec["hostIPC"] == true => "may not be specified when 'hostIPC' is true",
            _ => "",
        };
        if !of_the_node.is_empty() {
            causes.push(Cause::invalid(at, name, of_the_node));
        }
        names.insert(name);
    }
    causes
}

/// Upstream: `IsValidSysctlName`.
fn is_sysctl(name: &str) -> bool {
    let end = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_segment =
        |part: &str| part.starts_with(end) && part.ends_with(end) && part.chars().all(|c| end(c) || "-_".contains(c));
    name.split(['.', '/']).all(is_segment)
}

/// Returns the Linux namespace, `ipc` or `net`, that a sysctl belongs to. Upstream: `GetNamespace` in
/// `k8s.io/component-helpers/node/util/sysctl`.
fn namespace_of(name: &str) -> Option<&'static str> {
    // A name may have slashes instead of dots between its parts, and dots inside them. The first separator decides.
    let name = match name.find(['.', '/']) {
        Some(first) if name[first..].starts_with('/') => name
            .chars()
            .map(|c| {
                if c == '/' {
                    '.'
                } else if c == '.' {
                    '/'
                } else {
                    c
                }
            })
            .collect(),
        _ => name.to_owned(),
    };
    let name = name.split('*').next().unwrap_or_default();
    if OF_IPC.contains(&name) || name.starts_with("fs.mqueue.") {
        return Some("ipc");
    }
    name.starts_with("net.").then_some("net")
}

/// The Go struct of a container's security context, as upstream's causes print it.
const CONTEXT: GoStruct = GoStruct(&[
    (
        "Capabilities",
        "capabilities",
        Field::Struct(&GoStruct(&[("Add", "add", Field::Plain), ("Drop", "drop", Field::Plain)])),
    ),
    ("Privileged", "privileged", Field::Plain),
    (
        "SELinuxOptions",
        "seLinuxOptions",
        Field::Struct(&GoStruct(&[
            ("User", "user", Field::Text),
            ("Role", "role", Field::Text),
            ("Type", "type", Field::Text),
            ("Level", "level", Field::Text),
        ])),
    ),
    (
        "WindowsOptions",
        "windowsOptions",
        Field::Struct(&GoStruct(&[
            ("GMSACredentialSpecName", "gmsaCredentialSpecName", Field::Plain),
            ("GMSACredentialSpec", "gmsaCredentialSpec", Field::Plain),
            ("RunAsUserName", "runAsUserName", Field::Plain),
            ("HostProcess", "hostProcess", Field::Plain),
        ])),
    ),
    ("RunAsUser", "runAsUser", Field::Plain),
    ("RunAsGroup", "runAsGroup", Field::Plain),
    ("RunAsNonRoot", "runAsNonRoot", Field::Plain),
    ("ReadOnlyRootFilesystem", "readOnlyRootFilesystem", Field::Plain),
    ("AllowPrivilegeEscalation", "allowPrivilegeEscalation", Field::Plain),
    ("ProcMount", "procMount", Field::Plain),
    ("SeccompProfile", "seccompProfile", Field::Struct(&super::profiles::PROFILE)),
    ("AppArmorProfile", "appArmorProfile", Field::Struct(&super::profiles::PROFILE)),
]);

/// `host_users` is true if the pod uses the node's user namespace.
pub(super) fn validate_container_context(context: &Value, host_users: bool, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    for field in ["runAsUser", "runAsGroup"] {
        causes.extend(id(&context[field], &format_args!("{at}.{field}")));
    }
    causes.extend(one_of_if_set(context, "procMount", &["Default", "Unmasked"], at));
    if host_users && context["procMount"] == "Unmasked" {
        let why = "`hostUsers` must be false to use `Unmasked`";
        causes.push(Cause::invalid(format_args!("{at}.procMount"), "Unmasked", why));
    }
    causes.extend(seccomp(&context["seccompProfile"], &format_args!("{at}.seccompProfile")));
    causes.extend(validate_escalation(context, at));
    causes.extend(windows::options(&context["windowsOptions"], &format_args!("{at}.windowsOptions")));
    causes.extend(app_armor(&context["appArmorProfile"], &format_args!("{at}.appArmorProfile")));
    causes
}

/// Checks that no other field contradicts `allowPrivilegeEscalation: false`.
fn validate_escalation(context: &Value, at: At<'_>) -> Causes {
    if context["allowPrivilegeEscalation"] != false {
        return Causes::new();
    }
    let administers = items(&context["capabilities"], "add").iter().filter(|name| *name == "CAP_SYS_ADMIN");
    let contradictions = (context["privileged"] == true)
        .then_some("cannot set `allowPrivilegeEscalation` to false and `privileged` to true")
        .into_iter()
        .chain(
            administers.map(|_| "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"),
        );
    contradictions.map(|why| Cause::invalid_as(at, &CONTEXT.print(context), why)).collect()
}

/// Checks the range of a user or group ID.
fn id(number: &Value, at: At<'_>) -> Option<Cause> {
    let fits = number.as_i64().is_none_or(|number| (0..=i64::from(i32::MAX)).contains(&number));
    (!fits).then(|| Cause::invalid_json(at, number, "must be between 0 and 2147483647, inclusive"))
}
