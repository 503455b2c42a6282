//! Validation of the containers in a pod or a pod template. Upstream: `validateContainers`, `validateInitContainers` and
//! `validateContainerCommon` in `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;

use serde_json::Value;

use super::environment::{environment, environment_from};
use super::probe_validation::{hooks, none, probes};
use super::resource_validation::resources;
use super::security;
use crate::kinds::names;
use crate::machinery::cause::Cause;

const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];
const MESSAGE_POLICIES: [&str; 2] = ["File", "FallbackToLogsOnError"];
pub(crate) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// The errors in the containers of a pod spec; `at` is the path of the spec, `volumes` are the names that can be mounted.
pub(super) fn containers(spec: &Value, volumes: &HashSet<&str>, at: &str) -> Vec<Cause> {
    let own = items(spec, "containers");
    let mut causes = Vec::new();
    if own.is_empty() {
        causes.push(Cause::required(format!("{at}.containers"), ""));
    }
    let mut names: HashSet<&str> = HashSet::new();
    let mut host_ports: HashSet<(&str, &str, i64)> = HashSet::new();
    for field in ["containers", "initContainers"] {
        for (i, container) in items(spec, field).iter().enumerate() {
            let path = format!("{at}.{field}[{i}]");
            causes.extend(one(container, &path, volumes));
            let name = text(container, "name");
            if !names.insert(name) && !name.is_empty() {
                causes.push(Cause::duplicate(format!("{path}.name"), name));
            }
            let stays = field == "containers" || text(container, "restartPolicy") == "Always";
            causes.extend(if stays { probes(container, &path) } else { none(container, &path) });
            if stays {
                causes.extend(hooks(&container["lifecycle"], &spec["terminationGracePeriodSeconds"], &path));
            }
            if field == "containers" {
                causes.extend(host_port_conflicts(container, &mut host_ports, &path));
            }
        }
    }
    causes
}

pub(in crate::kinds) fn items<'a>(parent: &'a Value, field: &str) -> &'a [Value] {
    parent[field].as_array().map_or(&[], Vec::as_slice)
}

pub(in crate::kinds) fn text<'a>(parent: &'a Value, field: &str) -> &'a str {
    parent[field].as_str().unwrap_or_default()
}

fn one(container: &Value, at: &str, volumes: &HashSet<&str>) -> Vec<Cause> {
    let mut causes = Vec::new();
    match text(container, "name") {
        "" => causes.push(Cause::required(format!("{at}.name"), "")),
        name => causes.extend(names::label(name).iter().map(|why| Cause::invalid(format!("{at}.name"), name, why))),
    }
    match text(container, "image") {
        "" => causes.push(Cause::required(format!("{at}.image"), "")),
        image if image.trim() != image => {
            causes.push(Cause::invalid(format!("{at}.image"), image, "must not have leading or trailing whitespace"));
        }
        _ => {}
    }
    let policy = text(container, "terminationMessagePolicy");
    causes.extend(one_of(policy, &MESSAGE_POLICIES, &format!("{at}.terminationMessagePolicy")));
    causes.extend(ports(items(container, "ports"), at));
    causes.extend(environment(items(container, "env"), at));
    causes.extend(environment_from(items(container, "envFrom"), at));
    causes.extend(mounts(items(container, "volumeMounts"), volumes, at));
    causes.extend(one_of(text(container, "imagePullPolicy"), &PULL_POLICIES, &format!("{at}.imagePullPolicy")));
    causes.extend(resources(&container["resources"], &format!("{at}.resources")));
    causes.extend(security::of_container(&container["securityContext"], &format!("{at}.securityContext")));
    causes
}

/// Upstream: `validateContainerPorts`.
fn ports(ports: &[Value], at: &str) -> Vec<Cause> {
    let (mut causes, mut names) = (Vec::new(), HashSet::new());
    for (i, port) in ports.iter().enumerate() {
        let path = format!("{at}.ports[{i}]");
        let name = text(port, "name");
        if !name.is_empty() {
            let faults = port_name(name);
            if faults.is_empty() && !names.insert(name) {
                causes.push(Cause::duplicate(format!("{path}.name"), name));
            }
            causes.extend(faults.iter().map(|why| Cause::invalid(format!("{path}.name"), name, why)));
        }
        causes.extend(port_number(&port["containerPort"], &format!("{path}.containerPort")));
        if port["hostPort"].as_i64().is_some_and(|number| number != 0) {
            causes.extend(is_port(&port["hostPort"], &format!("{path}.hostPort")));
        }
        causes.extend(one_of(text(port, "protocol"), &PROTOCOLS, &format!("{path}.protocol")));
    }
    causes
}

/// What is wrong with the name of a port. Upstream: `IsValidPortName`.
pub(in crate::kinds) fn port_name(name: &str) -> Vec<&'static str> {
    let is_letter = |c: char| c.is_ascii_lowercase();
    [
        (name.len() > 15, "must be no more than 15 characters"),
        (
            name.is_empty() || !name.chars().all(|c| is_letter(c) || c.is_ascii_digit() || c == '-'),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (!name.contains(is_letter), "must contain at least one letter (a-z)"),
        (name.contains("--"), "must not contain consecutive hyphens"),
        (name.starts_with('-') || name.ends_with('-'), "must not begin or end with a hyphen"),
    ]
    .into_iter()
    .filter_map(|(is_wrong, why)| is_wrong.then_some(why))
    .collect()
}

/// Upstream: `checkHostPortConflicts`.
fn host_port_conflicts<'a>(container: &'a Value, taken: &mut HashSet<(&'a str, &'a str, i64)>, at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    for (i, port) in items(container, "ports").iter().enumerate() {
        let number = port["hostPort"].as_i64().unwrap_or_default();
        let (protocol, address) = (text(port, "protocol"), text(port, "hostIP"));
        if number != 0 && !taken.insert((protocol, address, number)) {
            let place = format!("{protocol}/{address}/{number}");
            causes.push(Cause::duplicate(format!("{at}.ports[{i}].hostPort"), &place));
        }
    }
    causes
}

/// Upstream: `ValidateVolumeMounts`.
fn mounts(mounts: &[Value], volumes: &HashSet<&str>, at: &str) -> Vec<Cause> {
    let (mut causes, mut places) = (Vec::new(), HashSet::new());
    for (i, mount) in mounts.iter().enumerate() {
        let (path, name, place) = (format!("{at}.volumeMounts[{i}]"), text(mount, "name"), text(mount, "mountPath"));
        if name.is_empty() {
            causes.push(Cause::required(format!("{path}.name"), ""));
        }
        if !volumes.contains(name) {
            causes.push(Cause::not_found(format!("{path}.name"), name));
        }
        if place.is_empty() {
            causes.push(Cause::required(format!("{path}.mountPath"), ""));
        }
        if !places.insert(place) {
            causes.push(Cause::invalid(format!("{path}.mountPath"), place, "must be unique"));
        }
        let below = text(mount, "subPath");
        let fault = match below {
            below if below.starts_with('/') => "must be a relative path",
            below if below.split('/').any(|part| part == "..") => "must not contain '..'",
            _ => continue,
        };
        // Upstream names the list here, not the mount.
        causes.push(Cause::invalid(format!("{at}.volumeMounts.subPath"), below, fault));
    }
    causes
}

/// A containerPort must have a number.
fn port_number(port: &Value, at: &str) -> Option<Cause> {
    match port.as_i64().unwrap_or_default() {
        0 => Some(Cause::required(at, "")),
        _ => is_port(port, at),
    }
}

/// The error in a port number, if any.
pub(crate) fn is_port(port: &Value, at: &str) -> Option<Cause> {
    let fits = port.as_i64().is_some_and(|port| (1..=65_535).contains(&port));
    (!fits).then(|| Cause::invalid_json(at, port, "must be between 1 and 65535, inclusive"))
}

/// The error in a word that must be one of `words`, if any.
pub(crate) fn one_of(word: &str, words: &[&str], at: &str) -> Option<Cause> {
    match word {
        "" => Some(Cause::required(at, "")),
        word => (!words.contains(&word)).then(|| Cause::unsupported(at, &format!("{word:?}"), words)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(spec: &Value) -> Vec<String> {
        containers(spec, &HashSet::from(["data"]), "spec").iter().map(Cause::sentence).collect()
    }

    #[test]
    fn each_container_is_checked_and_no_two_share_a_name() {
        let policies =
            |name: &str| json!({"name": name, "imagePullPolicy": "Always", "terminationMessagePolicy": "File"});
        let container = |name: &str| {
            let mut container = policies(name);
            container["image"] = json!("nginx");
            container
        };
        let good = json!({"containers": [container("a")], "initContainers": [container("b")]});
        assert_eq!(told(&good), Vec::<String>::new());
        let twice = json!({"containers": [container("a")], "initContainers": [container("a")]});
        assert_eq!(told(&twice), ["spec.initContainers[0].name: Duplicate value: \"a\""]);
        let bad = json!({"containers": [{
            "name": "a", "imagePullPolicy": "Sometimes", "terminationMessagePolicy": "Log", "env": [{"value": "1"}],
            "ports": [{"containerPort": 70_000, "protocol": "TCP"}, {"protocol": "ICMP"}],
            "volumeMounts": [{"name": "none", "mountPath": "/data"}],
        }]});
        assert_eq!(
            told(&bad),
            [
                "spec.containers[0].image: Required value",
                "spec.containers[0].terminationMessagePolicy: Unsupported value: \"Log\": supported values: \
                 \"File\", \"FallbackToLogsOnError\"",
                "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
                "spec.containers[0].ports[1].containerPort: Required value",
                "spec.containers[0].ports[1].protocol: Unsupported value: \"ICMP\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                "spec.containers[0].env[0].name: Required value",
                "spec.containers[0].volumeMounts[0].name: Not found: \"none\"",
                "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \
             \"IfNotPresent\", \"Never\"",
            ]
        );
    }

    /// From the cases of upstream's `TestValidateContainerPorts`, `TestValidateEnv`, `TestValidateVolumeMounts` and
    /// `TestValidateContainers` (`pkg/apis/core/validation/validation_test.go`).
    #[test]
    fn ports_variables_and_mounts_are_told_apart() {
        let told = |field: &str, value: Value| {
            let mut container =
                json!({"name": "a", "image": "i", "imagePullPolicy": "Never", "terminationMessagePolicy": "File"});
            container[field] = value;
            told(&json!({"containers": [container]}))
        };
        let at = |rest: &str| format!("spec.containers[0].{rest}");
        let port =
            |name: &str, host: i64| json!({"name": name, "containerPort": 80, "hostPort": host, "protocol": "TCP"});
        for (field, value, expected) in [
            ("ports", json!([port("web", 8080), port("web-2", 8081)]), vec![]),
            ("ports", json!([port("web", 0), port("web", 0)]), vec![at("ports[1].name: Duplicate value: \"web\"")]),
            (
                "ports",
                json!([port("80", 0)]),
                vec![at("ports[0].name: Invalid value: \"80\": must contain at least one letter (a-z)")],
            ),
            (
                "ports",
                json!([port("a", 80), port("b", 80)]),
                vec![at("ports[1].hostPort: Duplicate value: \"TCP//80\"")],
            ),
            (
                "ports",
                json!([port("a", 65_536)]),
                vec![at("ports[0].hostPort: Invalid value: 65536: must be between 1 and 65535, inclusive")],
            ),
            (
                "env",
                json!([{"name": "a=b"}]),
                vec![at(
                    "env[0].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII characters other than '='",
                )],
            ),
            (
                "env",
                json!([{"name": "a", "value": "x", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.name"}}}]),
                vec![at("env[0].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty")],
            ),
            (
                "volumeMounts",
                json!([{"name": "data", "mountPath": "/a"}, {"name": "data", "mountPath": "/a", "subPath": "b/../c"}]),
                vec![
                    at("volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique"),
                    at("volumeMounts.subPath: Invalid value: \"b/../c\": must not contain '..'"),
                ],
            ),
        ] {
            assert_eq!(told(field, value.clone()), expected, "{field} {value}");
        }
        let init = json!({"name": "b", "image": "i", "imagePullPolicy": "Never", "terminationMessagePolicy": "File",
            "livenessProbe": {"exec": {"command": ["x"]}}});
        let main = json!({"name": "a", "image": "i", "imagePullPolicy": "Never", "terminationMessagePolicy": "File"});
        assert_eq!(
            super::tests::told(&json!({"containers": [main], "initContainers": [init]})),
            [
                "spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always"
            ]
        );
    }
}
