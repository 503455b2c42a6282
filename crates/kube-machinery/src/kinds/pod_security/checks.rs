//! The table of all checks, and the versions and levels in which each applies. Upstream: `policy/registry.go`.

use super::baseline::{
    any_proc_mount, app_armor_profile, capabilities, host_namespaces, host_path_volumes, host_ports, host_probes,
    privileged, proc_mount, se_linux_options, seccomp_profile, sysctls, windows_host_process,
};
use super::pod::Pod;
use super::policy::{Level, LevelVersion, Version};
use super::restricted::{
    allow_privilege_escalation, restricted_capabilities, restricted_seccomp_profile, restricted_volumes,
    run_as_non_root, run_as_user,
};
use crate::value::Value;

/// A check that a pod fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    reason: &'static str,
    detail: String,
}

impl Violation {
    pub(super) fn new(reason: &'static str, detail: String) -> Self {
        Self { reason, detail }
    }
}

struct Check {
    id: &'static str,
    /// The first minor version that has the check.
    since: u64,
    /// The baseline check that this one replaces in the level `restricted`.
    replaces: Option<&'static str>,
    check: fn(Pod<'_>) -> Option<Violation>,
}

/// The checks of the level `baseline`, in the order in which upstream reports them: by id.
const BASELINE: &[Check] = &[
    Check { id: "appArmorProfile", since: 0, replaces: None, check: app_armor_profile },
    Check { id: "capabilities_baseline", since: 0, replaces: None, check: capabilities },
    Check { id: "hostNamespaces", since: 0, replaces: None, check: host_namespaces },
    Check { id: "hostPathVolumes", since: 0, replaces: None, check: host_path_volumes },
    Check { id: "hostPorts", since: 0, replaces: None, check: host_ports },
    Check { id: "hostProbesAndHostLifecycle", since: 34, replaces: None, check: host_probes },
    Check { id: "privileged", since: 0, replaces: None, check: privileged },
    Check { id: "procMount", since: 0, replaces: None, check: proc_mount },
    Check { id: "seLinuxOptions", since: 0, replaces: None, check: se_linux_options },
    Check { id: "seccompProfile_baseline", since: 0, replaces: None, check: seccomp_profile },
    Check { id: "sysctls", since: 0, replaces: None, check: sysctls },
    Check { id: "windowsHostProcess", since: 0, replaces: None, check: windows_host_process },
];

/// The further checks of the level `restricted`.
const RESTRICTED: &[Check] = &[
    Check { id: "allowPrivilegeEscalation", since: 8, replaces: None, check: allow_privilege_escalation },
    Check {
        id: "capabilities_restricted",
        since: 22,
        replaces: Some("capabilities_baseline"),
        check: restricted_capabilities,
    },
    Check { id: "procMount_restricted", since: 35, replaces: Some("procMount"), check: any_proc_mount },
    Check { id: "restrictedVolumes", since: 0, replaces: Some("hostPathVolumes"), check: restricted_volumes },
    Check { id: "runAsNonRoot", since: 0, replaces: None, check: run_as_non_root },
    Check { id: "runAsUser", since: 23, replaces: None, check: run_as_user },
    Check {
        id: "seccompProfile_restricted",
        since: 19,
        replaces: Some("seccompProfile_baseline"),
        check: restricted_seccomp_profile,
    },
];

/// Returns the checks that a pod, or a template of pods, fails in a level and a version.
pub fn violations(of: LevelVersion, metadata: &Value, spec: &Value) -> Vec<Violation> {
    let minor = match of.version {
        Version::Minor(minor) => minor,
        Version::Latest => u64::MAX,
    };
    let restricted: &[Check] = if of.level == Level::Restricted { RESTRICTED } else { &[] };
    let baseline: &[Check] = if of.level == Level::Privileged { &[] } else { BASELINE };
    let is_replaced = |id: &str| restricted.iter().any(|check| check.replaces == Some(id) && check.since <= minor);
    let checks = baseline.iter().filter(|check| !is_replaced(check.id)).chain(restricted);
    let pod = Pod { metadata, spec, minor };
    checks.filter(|check| check.since <= minor).filter_map(|check| (check.check)(pod)).collect()
}

/// Returns the reasons of violations as a text. Upstream: `ForbiddenReason`.
pub fn reasons(violations: &[Violation]) -> String {
    violations.iter().map(|violation| violation.reason).collect::<Vec<_>>().join(", ")
}

/// Returns the reasons of violations as a text, each with its detail. Upstream: `ForbiddenDetail`.
pub fn details(violations: &[Violation]) -> String {
    let detailed = violations.iter().map(|Violation { reason, detail }| format!("{reason} ({detail})"));
    detailed.collect::<Vec<_>>().join(", ")
}
