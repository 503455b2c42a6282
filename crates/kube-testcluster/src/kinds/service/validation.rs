//! Validation of services.

use std::collections::HashSet;

use serde_json::Value;

use crate::kinds::names::{LABEL, SUBDOMAIN, is_label, is_subdomain};
use crate::kinds::pod::containers::{PROTOCOLS, is_port, one_of};
use crate::machinery::cause::Cause;

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub(crate) fn service(new: &Value, _old: Option<&Value>) -> Vec<Cause> {
    let mut causes = Vec::new();
    let spec = &new["spec"];
    let kind = spec["type"].as_str().unwrap_or_default();
    let headless = spec["clusterIP"] == "None";
    let ports = spec["ports"].as_array().map_or(&[][..], Vec::as_slice);
    if ports.is_empty() && !headless && kind != "ExternalName" {
        causes.push(Cause::required("spec.ports", ""));
    }
    if headless && (kind == "LoadBalancer" || kind == "NodePort") {
        let detail = format!("may not be set to 'None' for {kind} services");
        causes.push(Cause::invalid("spec.clusterIPs[0]", "None", &detail));
    }
    if kind == "ExternalName" {
        causes.extend(external_name(spec["externalName"].as_str().unwrap_or_default()));
    }
    let mut names = HashSet::new();
    for (i, port) in ports.iter().enumerate() {
        causes.extend(one_port(port, &mut names, ports.len() > 1, &format!("spec.ports[{i}]")));
    }
    let affinity = spec["sessionAffinity"].as_str().unwrap_or_default();
    causes.extend(one_of(affinity, &["ClientIP", "None"], "spec.sessionAffinity"));
    causes.extend(one_of(kind, &TYPES, "spec.type"));
    causes
}

fn external_name(name: &str) -> Option<Cause> {
    match name.strip_suffix('.').unwrap_or(name) {
        "" => Some(Cause::required("spec.externalName", "")),
        name => (!is_subdomain(name)).then(|| Cause::invalid("spec.externalName", name, SUBDOMAIN)),
    }
}

/// If there are several ports, each must have a unique name.
fn one_port<'a>(port: &'a Value, names: &mut HashSet<&'a str>, several: bool, at: &str) -> Vec<Cause> {
    let mut causes = Vec::new();
    let path = format!("{at}.name");
    match port["name"].as_str().unwrap_or_default() {
        "" if several => causes.push(Cause::required(path, "")),
        "" => {}
        name => {
            if !is_label(name) {
                causes.push(Cause::invalid(path.clone(), name, LABEL));
            }
            if !names.insert(name) {
                causes.push(Cause::duplicate(path, name));
            }
        }
    }
    causes.extend(is_port(&port["port"], &format!("{at}.port")));
    causes.extend(one_of(port["protocol"].as_str().unwrap_or_default(), &PROTOCOLS, &format!("{at}.protocol")));
    if port["targetPort"].is_number() {
        causes.extend(is_port(&port["targetPort"], &format!("{at}.targetPort")));
    }
    causes
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(mut spec: Value) -> Vec<String> {
        spec["sessionAffinity"] = json!("None");
        let service_of = json!({"metadata": {"name": "web"}, "spec": spec});
        service(&service_of, None).iter().map(Cause::sentence).collect()
    }

    #[test]
    fn a_service_has_ports_unless_it_has_no_address() {
        assert_eq!(told(json!({"type": "ClusterIP"})), ["spec.ports: Required value"]);
        assert_eq!(told(json!({"type": "ClusterIP", "clusterIP": "None"})), Vec::<String>::new());
        assert_eq!(told(json!({"type": "ExternalName"})), ["spec.externalName: Required value"]);
        assert_eq!(
            told(json!({"type": "Odd", "ports": [{"port": 80, "protocol": "TCP"}]})),
            ["spec.type: Unsupported value: \"Odd\": supported values: \"ClusterIP\", \"ExternalName\", \
              \"LoadBalancer\", \"NodePort\""]
        );
    }

    #[test]
    fn several_ports_have_names() {
        let port =
            |name: &str, number: u32| json!({"name": name, "port": number, "protocol": "TCP", "targetPort": number});
        let ports = json!({"type": "ClusterIP", "ports": [port("a", 80), port("a", 81), port("", 0)]});
        assert_eq!(
            told(ports),
            [
                "spec.ports[1].name: Duplicate value: \"a\"",
                "spec.ports[2].name: Required value",
                "spec.ports[2].port: Invalid value: 0: must be between 1 and 65535, inclusive",
                "spec.ports[2].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
            ]
        );
    }
}
