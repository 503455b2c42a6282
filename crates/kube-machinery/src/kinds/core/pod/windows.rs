//! Validation of pods by their operating system: the Windows options of security contexts, the fields that Windows or
//! Linux pods must not set, HostProcess containers on Windows, and, on Linux, pods with a user namespace of their own.
//! Upstream: `validateWindowsSecurityContextOptions`, `validateWindowsHostProcessPod`, `validateWindows`,
//! `validateLinux` and `validateHostUsers` in `pkg/apis/core/validation/validation.go`.

use super::containers::visit;
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::fields::{ItemPath, invalid, items, required, text};
use crate::kinds::names;
use crate::value::Value;

/// The largest size of `gmsaCredentialSpec`, in bytes.
const LONGEST_SPEC: usize = 64 * 1024;
/// The domain in `runAsUserName` must be shorter than this, in bytes.
const DOMAIN_LIMIT: usize = 256;
/// The longest user in `runAsUserName`, in bytes.
const LONGEST_USER: usize = 104;

/// Checks that `spec.os`, if it is set, names a known operating system, and that no field of another one is set.
pub(super) fn system(spec: &Value, at: At<'_>) -> Causes {
    let (system, path) = (&spec["os"], format_args!("{at}.os"));
    if !system.is_object() {
        return Causes::new();
    }
    if let Some(cause) = required(system, "name", &path) {
        return Causes::from([cause]);
    }
    match text(system, "name") {
        "linux" => validate_linux(spec, at),
        "windows" => validate_windows(spec, at),
        other => Causes::from([Cause::unsupported_text(path, other, &["linux", "windows"])]),
    }
}

/// Iterates over the security contexts of all containers, with the paths of the containers.
fn contexts<'v, 'p>(spec: &'v Value, at: At<'p>) -> impl Iterator<Item = (ItemPath<'p>, &'v Value)> {
    visit(spec, at).map(|(path, container)| (path, &container["securityContext"]))
}

fn validate_linux(spec: &Value, at: At<'_>) -> Causes {
    let why = "windows options cannot be set for a linux pod";
    let wrong = |context: &Value, at: At<'_>| {
        let is_set = !context["windowsOptions"].is_null();
        is_set.then(|| Cause::forbidden(format_args!("{at}.securityContext.windowsOptions"), why))
    };
    let of_containers = contexts(spec, at).filter_map(|(at, context)| wrong(context, &at));
    wrong(&spec["securityContext"], at).into_iter().chain(of_containers).collect()
}

fn validate_windows(spec: &Value, at: At<'_>) -> Causes {
    const OF_POD: [&str; 11] = [
        "appArmorProfile",
        "seLinuxOptions",
        "seccompProfile",
        "fsGroup",
        "fsGroupChangePolicy",
        "sysctls",
        "runAsUser",
        "runAsGroup",
        "supplementalGroups",
        "supplementalGroupsPolicy",
        "seLinuxChangePolicy",
    ];
    const OF_CONTAINER: [&str; 10] = [
        "appArmorProfile",
        "seLinuxOptions",
        "seccompProfile",
        "capabilities",
        "readOnlyRootFilesystem",
        "privileged",
        "allowPrivilegeEscalation",
        "procMount",
        "runAsUser",
        "runAsGroup",
    ];
    let context = &spec["securityContext"];
    let is_set =
        |parent: &Value, field: &str| !parent[field].is_null() && parent[field] != Value::Array(Vec::new().into());
    let mut paths: Vec<String> = Vec::new();
    let of_pod = OF_POD.into_iter().filter(|field| is_set(context, field));
    paths.extend(of_pod.map(|field| format!("{at}.securityContext.{field}")));
    let node = [
        ("hostUsers", !spec["hostUsers"].is_null()),
        ("hostPID", spec["hostPID"] == true),
        ("hostIPC", spec["hostIPC"] == true),
        ("shareProcessNamespace", !spec["shareProcessNamespace"].is_null()),
    ];
    paths.extend(node.into_iter().filter(|(_, is_set)| *is_set).map(|(field, _)| format!("{at}.{field}")));
    for (path, context) in contexts(spec, at) {
        let own = OF_CONTAINER.into_iter().filter(|field| !context[*field].is_null());
        paths.extend(own.map(|field| format!("{path}.securityContext.{field}")));
    }
    paths.into_iter().map(|path| Cause::forbidden(path, "cannot be set for a windows pod")).collect()
}

/// Checks that a pod with its own user namespace (`hostUsers: false`) does not use the node's other namespaces or block
/// devices.
pub(super) fn own_users(spec: &Value, at: At<'_>) -> Causes {
    if spec["hostUsers"] != false {
        return Causes::new();
    }
    // Upstream's paths write two of the names with a capital letter.
    let shared = [("hostNetwork", "hostNetwork"), ("hostPID", "HostPID"), ("hostIPC", "HostIPC")];
    let shared = shared.into_iter().filter(|(field, _)| spec[*field] == true).map(|(_, name)| format!("{at}.{name}"));
    let devices = visit(spec, at).filter(|(_, container)| !items(container, "volumeDevices").is_empty());
    let devices = devices.map(|(path, _)| format!("{path}.volumeDevices"));
    shared.chain(devices).map(|path| Cause::forbidden(path, "when `hostUsers` is false")).collect()
}

/// Validates HostProcess containers, which run as processes of the Windows node.
pub(super) fn host_process(spec: &Value, at: At<'_>) -> Causes {
    let host_process = |context: &Value| context["windowsOptions"]["hostProcess"].as_bool();
    let of_pod = host_process(&spec["securityContext"]);
    let (mut causes, mut all, mut on_the_node) = (Causes::new(), 0, 0);
    for (path, context) in contexts(spec, at) {
        let own = host_process(context);
        all += 1;
        on_the_node += usize::from(own.or(of_pod) == Some(true));
        if let (Some(pod), Some(own)) = (of_pod, own)
            && pod != own
        {
            let why = format!("pod hostProcess value must be identical if both are specified, was {pod}");
            causes.push(Cause::invalid_as(
                format_args!("{path}.securityContext.windowsOptions.hostProcess"),
                &own.to_string(),
                &why,
            ));
        }
    }
    if on_the_node == 0 {
        return causes;
    }
    if on_the_node != all {
        let why = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        causes.push(Cause::invalid(at, "", why));
    }
    if spec["hostNetwork"] != true {
        let why = "hostNetwork must be true if pod contains any hostProcess containers";
        causes.push(Cause::invalid_as(format_args!("{at}.hostNetwork"), "false", why));
    }
    causes
}

/// Validates the Windows options of a security context.
pub(super) fn options(options: &Value, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    if let Some(name) = options["gmsaCredentialSpecName"].as_str() {
        causes.extend(invalid(&format_args!("{at}.gmsaCredentialSpecName"), name, names::subdomain(name)));
    }
    if let Some(credentials) = options["gmsaCredentialSpec"].as_str() {
        let why = match credentials.len() {
            0 => "gmsaCredentialSpec cannot be an empty string",
            1..=LONGEST_SPEC => "",
            _ => "gmsaCredentialSpec size must be under 64 KiB",
        };
        let wrong = (!why.is_empty()).then(|| shown(&format_args!("{at}.gmsaCredentialSpec"), credentials, why));
        causes.extend(wrong);
    }
    if let Some(name) = options["runAsUserName"].as_str() {
        causes.extend(messages_of_user(name).iter().map(|why| shown(&format_args!("{at}.runAsUserName"), name, why)));
    }
    causes
}

/// Makes a cause that shows the text as JSON: upstream passes a pointer, which Go does not print as a quoted Go string.
fn shown(at: At<'_>, text: &str, why: &str) -> Cause {
    Cause::invalid_json(at, &Value::from(text), why)
}

/// Returns the error messages for a user name, `USER` or `DOMAIN\USER`.
fn messages_of_user(name: &str) -> Vec<&'static str> {
    let parts: Vec<&str> = name.split('\\').collect();
    let (domain, user) = match parts[..] {
        _ if name.is_empty() => return vec!["runAsUserName cannot be an empty string"],
        _ if name.chars().any(|c| c.is_ascii_control()) => {
            return vec!["runAsUserName cannot contain control characters"];
        }
        [user] => (None, user),
        [domain, user] => (Some(domain), user),
        _ => return vec!["runAsUserName cannot contain more than one backslash"],
    };
    let is_known = |domain: &str| is_net_bios(domain) || is_dns(domain);
    [
        (
            domain.is_some_and(|domain| domain.len() >= DOMAIN_LIMIT),
            "runAsUserName's Domain length must be under 256 characters",
        ),
        (
            domain.is_some_and(|domain| !is_known(domain)),
            "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
        ),
        (user.is_empty(), "runAsUserName's User cannot be empty"),
        (user.len() > LONGEST_USER, "runAsUserName's User length must not be longer than 104 characters"),
        (
            !user.is_empty() && user.chars().all(|c| ". ".contains(c)),
            "runAsUserName's User cannot contain only periods or spaces",
        ),
        (
            user.contains(['"', '/', '\\', ':', ';', '|', '=', ',', '+', '*', '?', '<', '>', '@', '[', ']']),
            "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]",
        ),
    ]
    .into_iter()
    .filter_map(|(is_wrong, why)| is_wrong.then_some(why))
    .collect()
}

/// Returns true for 1 to 15 allowed characters that do not start with a dot.
fn is_net_bios(domain: &str) -> bool {
    let fits = !domain.contains(['\\', '/', ':', '*', '?', '"', '<', '>', '|']);
    (1..=15).contains(&domain.chars().count()) && fits && !domain.starts_with('.')
}

fn is_dns(domain: &str) -> bool {
    domain.split('.').all(|label| names::label(&label.to_ascii_lowercase()).is_empty())
}
