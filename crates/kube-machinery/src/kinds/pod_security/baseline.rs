//! The checks of the level `baseline`, which keep a pod from the known ways to take over its node. The texts are those
//! of upstream's `policy/check_*.go`.

use std::collections::BTreeSet;

use super::checks::Violation;
use super::pod::{Pod, containers, joined, name, plural, setters};
use crate::conventions::quote::quote;
use crate::kinds::fields::{items, pairs, text};
use crate::value::Value;

/// Returns true for the two profile types of AppArmor and seccomp that do not weaken a container.
pub(super) fn is_safe_profile(profile: &Value) -> bool {
    matches!(text(profile, "type"), "RuntimeDefault" | "Localhost")
}

/// The values of a field that are not allowed, and where a pod sets them.
pub(super) struct Bad<'a> {
    pub(super) pod: bool,
    pub(super) containers: Vec<&'a str>,
    pub(super) values: BTreeSet<&'a str>,
}

impl<'a> Bad<'a> {
    /// Finds the profiles of a kind that are not safe, in the security contexts of the pod and its containers.
    pub(super) fn profiles(pod: Pod<'a>, field: &str) -> Self {
        let mut values = BTreeSet::new();
        let mut is_bad = |of: &'a Value| {
            let profile = &of["securityContext"][field];
            let is_bad = profile.is_object() && !is_safe_profile(profile);
            if is_bad {
                values.insert(text(profile, "type"));
            }
            is_bad
        };
        let of_pod = is_bad(pod.spec);
        let containers = pod.containers().filter(|container| is_bad(container)).map(name).collect();
        Self { pod: of_pod, containers, values }
    }

    pub(super) fn setters(&self) -> Option<String> {
        setters(self.pod, &self.containers)
    }
}

pub(super) fn app_armor_profile(pod: Pod<'_>) -> Option<Violation> {
    const PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";
    let is_allowed = |value: &str| matches!(value, "" | "runtime/default") || value.starts_with("localhost/");
    let bad = Bad::profiles(pod, "appArmorProfile");
    let annotations: BTreeSet<String> = pairs(pod.metadata, "annotations")
        .filter(|(name, value)| name.starts_with(PREFIX) && !is_allowed(value))
        .map(|(name, value)| format!("{name}={}", quote(value)))
        .collect();
    let annotated = plural(annotations.len(), "annotation", "annotations").to_owned();
    let setters: Vec<String> =
        bad.setters().into_iter().chain((!annotations.is_empty()).then_some(annotated)).collect();
    if setters.is_empty() {
        return None;
    }
    let values: Vec<&str> = bad.values.into_iter().chain(annotations.iter().map(String::as_str)).collect();
    let reason = plural(values.len(), "forbidden AppArmor profile", "forbidden AppArmor profiles");
    let detail = format!("{} must not set AppArmor profile type to {}", setters.join(" and "), joined(values));
    Some(Violation::new(reason, detail))
}

pub(super) fn capabilities(pod: Pod<'_>) -> Option<Violation> {
    const ALLOWED: [&str; 13] = [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ];
    let (bad, added) = containers_that_add(pod, &ALLOWED);
    (!bad.is_empty()).then(|| Violation::new("non-default capabilities", must_not_add(&bad, &added)))
}

/// Returns the names of the containers that add other capabilities than these, and those capabilities.
pub(super) fn containers_that_add<'a>(pod: Pod<'a>, allowed: &[&str]) -> (Vec<&'a str>, BTreeSet<&'a str>) {
    let mut added = BTreeSet::new();
    let mut is_bad = |container: &'a Value| {
        let all = items(&container["securityContext"]["capabilities"], "add").iter().filter_map(Value::as_str);
        let bad: Vec<&str> = all.filter(|capability| !allowed.contains(capability)).collect();
        added.extend(bad.iter().copied());
        !bad.is_empty()
    };
    let names = pod.containers().filter(|container| is_bad(container)).map(name).collect();
    (names, added)
}

pub(super) fn must_not_add(names: &[&str], capabilities: &BTreeSet<&str>) -> String {
    format!("{} must not include {} in securityContext.capabilities.add", containers(names), joined(capabilities))
}

pub(super) fn host_namespaces(pod: Pod<'_>) -> Option<Violation> {
    let shared = ["hostNetwork", "hostPID", "hostIPC"].into_iter().filter(|field| pod.spec[*field] == true);
    let shared: Vec<String> = shared.map(|field| format!("{field}=true")).collect();
    (!shared.is_empty()).then(|| Violation::new("host namespaces", shared.join(", ")))
}

pub(super) fn host_path_volumes(pod: Pod<'_>) -> Option<Violation> {
    let volumes = items(pod.spec, "volumes").iter().filter(|volume| volume["hostPath"].is_object());
    let names: Vec<&str> = volumes.map(name).collect();
    let detail = || format!("{} {}", plural(names.len(), "volume", "volumes"), joined(&names));
    (!names.is_empty()).then(|| Violation::new("hostPath volumes", detail()))
}

pub(super) fn host_ports(pod: Pod<'_>) -> Option<Violation> {
    let used = |container: &Value| -> Vec<String> {
        let ports = items(container, "ports").iter().filter_map(|port| port["hostPort"].as_i64());
        ports.filter(|port| *port != 0).map(|port| port.to_string()).collect()
    };
    let bad = pod.containers_that(|container| !used(container).is_empty());
    let ports: BTreeSet<String> = pod.containers().flat_map(used).collect(); // sorted as texts, as upstream
    let list: Vec<&str> = ports.iter().map(String::as_str).collect();
    let verb = plural(bad.len(), "uses", "use");
    let noun = plural(ports.len(), "hostPort", "hostPorts");
    let detail = || format!("{} {verb} {noun} {}", containers(&bad), list.join(", "));
    (!bad.is_empty()).then(|| Violation::new("hostPort", detail()))
}

pub(super) fn host_probes(pod: Pod<'_>) -> Option<Violation> {
    let hosts = |container: &Value| -> BTreeSet<String> {
        let probes = ["livenessProbe", "readinessProbe", "startupProbe"].map(|probe| &container[probe]);
        let hooks = ["postStart", "preStop"].map(|hook| &container["lifecycle"][hook]);
        let handlers = probes.into_iter().chain(hooks);
        let named = handlers.flat_map(|handler| ["httpGet", "tcpSocket"].map(|action| text(&handler[action], "host")));
        named.filter(|host| !host.is_empty()).map(ToOwned::to_owned).collect()
    };
    let names: BTreeSet<&str> = pod.containers_that(|container| !hosts(container).is_empty()).into_iter().collect();
    let bad: Vec<&str> = names.into_iter().collect();
    let named: BTreeSet<String> = pod.containers().flat_map(hosts).collect();
    let verb = plural(bad.len(), "uses", "use");
    let noun = plural(named.len(), "probe or lifecycle host", "probe or lifecycle hosts");
    let detail = || format!("{} {verb} {noun} {}", containers(&bad), joined(&named));
    (!bad.is_empty()).then(|| Violation::new("probe or lifecycle host", detail()))
}

pub(super) fn privileged(pod: Pod<'_>) -> Option<Violation> {
    let bad = pod.containers_that(|container| container["securityContext"]["privileged"] == true);
    let detail = || format!("{} must not set securityContext.privileged=true", containers(&bad));
    (!bad.is_empty()).then(|| Violation::new("privileged", detail()))
}

pub(super) fn proc_mount(pod: Pod<'_>) -> Option<Violation> {
    if pod.minor >= 35 && pod.has_user_namespace() { None } else { any_proc_mount(pod) }
}

pub(super) fn any_proc_mount(pod: Pod<'_>) -> Option<Violation> {
    fn forbidden(container: &Value) -> Option<&str> {
        container["securityContext"]["procMount"].as_str().filter(|mount| *mount != "Default")
    }
    let bad = pod.containers_that(|container| forbidden(container).is_some());
    let mounts: BTreeSet<&str> = pod.containers().filter_map(forbidden).collect();
    let detail = || format!("{} must not set securityContext.procMount to {}", containers(&bad), joined(&mounts));
    (!bad.is_empty()).then(|| Violation::new("procMount", detail()))
}

pub(super) fn se_linux_options(pod: Pod<'_>) -> Option<Violation> {
    fn option<'a>(of: &'a Value, field: &str) -> &'a str {
        text(&of["securityContext"]["seLinuxOptions"], field)
    }
    let is_bad_type = |of: &Value| match option(of, "type") {
        "" | "container_t" | "container_init_t" | "container_kvm_t" => false,
        kind => pod.minor < 31 || kind != "container_engine_t",
    };
    let sets = |field: &str, of: &Value| !option(of, field).is_empty();
    let is_bad = |of: &Value| is_bad_type(of) || sets("user", of) || sets("role", of);
    let setters = setters(is_bad(pod.spec), &pod.containers_that(is_bad))?;
    let everywhere: Vec<&Value> = std::iter::once(pod.spec).chain(pod.containers()).collect();
    let bad = everywhere.iter().filter(|of| is_bad_type(of));
    let types: BTreeSet<&str> = bad.map(|of| option(of, "type")).collect();
    let mut data = Vec::new();
    if !types.is_empty() {
        data.push(format!("{} {}", plural(types.len(), "type", "types"), joined(&types)));
    }
    for field in ["user", "role"] {
        if everywhere.iter().any(|of| sets(field, of)) {
            data.push(format!("{field} may not be set"));
        }
    }
    let detail = format!("{setters} set forbidden securityContext.seLinuxOptions: {}", data.join("; "));
    Some(Violation::new("seLinuxOptions", detail))
}

/// Checks the annotations that chose the profile of seccomp before Kubernetes 1.19 had a field for it.
fn seccomp_annotations(pod: Pod<'_>) -> Option<Violation> {
    let is_allowed =
        |value: &str| matches!(value, "runtime/default" | "docker/default") || value.starts_with("localhost/");
    let of_containers =
        pod.containers().map(|container| format!("container.seccomp.security.alpha.kubernetes.io/{}", name(container)));
    let names = std::iter::once("seccomp.security.alpha.kubernetes.io/pod".to_owned()).chain(of_containers);
    let forbidden: BTreeSet<String> = names
        .filter_map(|name| {
            let value = pod.metadata["annotations"][name.as_str()].as_str().filter(|value| !is_allowed(value))?;
            Some(format!("{name}={}", quote(value)))
        })
        .collect();
    let list: Vec<&str> = forbidden.iter().map(String::as_str).collect();
    let noun = plural(list.len(), "annotation", "annotations");
    (!list.is_empty()).then(|| Violation::new("seccompProfile", format!("forbidden {noun} {}", list.join(", "))))
}

pub(super) fn seccomp_profile(pod: Pod<'_>) -> Option<Violation> {
    if pod.minor < 19 {
        return seccomp_annotations(pod);
    }
    let bad = Bad::profiles(pod, "seccompProfile");
    let setters = bad.setters()?;
    let detail = format!("{setters} must not set securityContext.seccompProfile.type to {}", joined(&bad.values));
    Some(Violation::new("seccompProfile", detail))
}

/// The settings of the kernel that a pod may change, because each container has its own values of them, and the first
/// minor version that allows each.
const SYSCTLS: [(&str, u64); 14] = [
    ("kernel.shm_rmid_forced", 0),
    ("net.ipv4.ip_local_port_range", 0),
    ("net.ipv4.tcp_syncookies", 0),
    ("net.ipv4.ping_group_range", 0),
    ("net.ipv4.ip_unprivileged_port_start", 0),
    ("net.ipv4.ip_local_reserved_ports", 27),
    ("net.ipv4.tcp_keepalive_time", 29),
    ("net.ipv4.tcp_fin_timeout", 29),
    ("net.ipv4.tcp_keepalive_intvl", 29),
    ("net.ipv4.tcp_keepalive_probes", 29),
    ("net.ipv4.tcp_rmem", 32),
    ("net.ipv4.tcp_wmem", 32),
    ("net.ipv4.tcp_slow_start_after_idle", 37),
    ("net.ipv4.tcp_notsent_lowat", 37),
];

pub(super) fn sysctls(pod: Pod<'_>) -> Option<Violation> {
    let is_allowed = |name: &str| SYSCTLS.iter().any(|(known, since)| *known == name && pod.minor >= *since);
    let all = items(&pod.spec["securityContext"], "sysctls").iter().map(name);
    let forbidden: Vec<&str> = all.filter(|name| !is_allowed(name)).collect();
    (!forbidden.is_empty()).then(|| Violation::new("forbidden sysctls", forbidden.join(", ")))
}

pub(super) fn windows_host_process(pod: Pod<'_>) -> Option<Violation> {
    let is_bad = |of: &Value| of["securityContext"]["windowsOptions"]["hostProcess"] == true;
    let setters = setters(is_bad(pod.spec), &pod.containers_that(is_bad))?;
    let detail = format!("{setters} must not set securityContext.windowsOptions.hostProcess=true");
    Some(Violation::new("hostProcess", detail))
}
