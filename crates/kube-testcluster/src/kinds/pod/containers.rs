//! Validation of the containers in a pod or a pod template.

use std::collections::HashSet;

use serde_json::Value;

use crate::kinds::names::{LABEL, is_label};
use crate::machinery::cause::Cause;

const PULL_POLICIES: [&str; 3] = ["Always", "IfNotPresent", "Never"];
pub(crate) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// The errors in the containers of a pod spec; `at` is the path of the spec.
pub(crate) fn containers(spec: &Value, at: &str) -> Vec<Cause> {
    let own = items(spec, "containers");
    let mut causes = Vec::new();
    if own.is_empty() {
        causes.push(Cause::required(format!("{at}.containers"), ""));
    }
    let mut names: HashSet<&str> = HashSet::new();
    let volumes: HashSet<&str> = items(spec, "volumes").iter().map(|volume| text(volume, "name")).collect();
    for field in ["containers", "initContainers"] {
        for (i, container) in items(spec, field).iter().enumerate() {
            let path = format!("{at}.{field}[{i}]");
            causes.extend(one(container, &path, &volumes));
            let name = container["name"].as_str().unwrap_or_default();
            if !names.insert(name) && !name.is_empty() {
                causes.push(Cause::duplicate(format!("{path}.name"), name));
            }
        }
    }
    causes
}

fn items<'a>(parent: &'a Value, field: &str) -> &'a [Value] {
    parent[field].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(parent: &'a Value, field: &str) -> &'a str {
    parent[field].as_str().unwrap_or_default()
}

fn one(container: &Value, at: &str, volumes: &HashSet<&str>) -> Vec<Cause> {
    let mut causes = Vec::new();
    match text(container, "name") {
        "" => causes.push(Cause::required(format!("{at}.name"), "")),
        name if !is_label(name) => causes.push(Cause::invalid(format!("{at}.name"), name, LABEL)),
        _ => {}
    }
    if text(container, "image").is_empty() {
        causes.push(Cause::required(format!("{at}.image"), ""));
    }
    for (i, port) in items(container, "ports").iter().enumerate() {
        causes.extend(port_number(&port["containerPort"], &format!("{at}.ports[{i}].containerPort")));
        causes.extend(one_of(text(port, "protocol"), &PROTOCOLS, &format!("{at}.ports[{i}].protocol")));
    }
    for (i, variable) in items(container, "env").iter().enumerate() {
        if text(variable, "name").is_empty() {
            causes.push(Cause::required(format!("{at}.env[{i}].name"), ""));
        }
    }
    for (i, mount) in items(container, "volumeMounts").iter().enumerate() {
        let (path, name) = (format!("{at}.volumeMounts[{i}]"), text(mount, "name"));
        if name.is_empty() {
            causes.push(Cause::required(format!("{path}.name"), ""));
        }
        if !volumes.contains(name) {
            causes.push(Cause::not_found(format!("{path}.name"), name));
        }
        if text(mount, "mountPath").is_empty() {
            causes.push(Cause::required(format!("{path}.mountPath"), ""));
        }
    }
    causes.extend(one_of(text(container, "imagePullPolicy"), &PULL_POLICIES, &format!("{at}.imagePullPolicy")));
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
        containers(spec, "spec").iter().map(Cause::sentence).collect()
    }

    #[test]
    fn each_container_is_checked_and_no_two_share_a_name() {
        let container = |name: &str| json!({"name": name, "image": "nginx", "imagePullPolicy": "Always"});
        let good = json!({"containers": [container("a")], "initContainers": [container("b")]});
        assert_eq!(told(&good), Vec::<String>::new());
        let twice = json!({"containers": [container("a")], "initContainers": [container("a")]});
        assert_eq!(told(&twice), ["spec.initContainers[0].name: Duplicate value: \"a\""]);
        let bad = json!({"containers": [{
            "name": "a", "imagePullPolicy": "Sometimes", "env": [{"value": "1"}],
            "ports": [{"containerPort": 70_000, "protocol": "TCP"}, {"protocol": "ICMP"}],
            "volumeMounts": [{"name": "data", "mountPath": "/data"}],
        }]});
        assert_eq!(
            told(&bad),
            [
                "spec.containers[0].image: Required value",
                "spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive",
                "spec.containers[0].ports[1].containerPort: Required value",
                "spec.containers[0].ports[1].protocol: Unsupported value: \"ICMP\": supported values: \"SCTP\", \"TCP\", \"UDP\"",
                "spec.containers[0].env[0].name: Required value",
                "spec.containers[0].volumeMounts[0].name: Not found: \"data\"",
                "spec.containers[0].imagePullPolicy: Unsupported value: \"Sometimes\": supported values: \"Always\", \
             \"IfNotPresent\", \"Never\"",
            ]
        );
    }
}
