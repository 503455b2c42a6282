//! Validates a Service: its ports and its type here, other fields in the modules beside this one. Upstream:
//! `validateService`, `validateServicePort` and `ValidateServiceUpdate` in `pkg/apis/core/validation/validation.go`.

use std::collections::HashSet;

use super::addresses::addresses;
use super::allocation::{needs_health_check, spec_for_validation};
use super::exposure::{affinity, traffic};
use super::load_balancer::{class, class_change, source_ranges};
use crate::conventions::addresses::{ip, reachable};
use crate::conventions::cause::{At, Cause};
use crate::conventions::causes::Causes;
use crate::kinds::core::pod::ports::PROTOCOLS;
use crate::kinds::core::pod::validation::labels;
use crate::kinds::fields::{items, port_fault, port_name, required_one_of, text};
use crate::kinds::names::{self, LABEL, SUBDOMAIN, is_label, is_subdomain};
use crate::value::{Value, json};

const TYPES: [&str; 4] = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];

pub(crate) fn service(new: &Value, old: Option<&Value>) -> Causes {
    let spec = &spec_for_validation(&new["spec"], old.map(|old| &old["spec"]));
    let kind = text(spec, "type");
    if kind != "ExternalName" {
        // Upstream checks the addresses first, and stops if they are wrong.
        let causes = addresses(spec);
        if !causes.is_empty() {
            return causes;
        }
    }
    let headless = items(spec, "clusterIPs") == ["None"];
    let ports = items(spec, "ports");
    let mut causes: Causes = old.into_iter().filter_map(|old| class_change(spec, &old["spec"])).collect();
    // The old spec, if the service has a health check before and after the update.
    let was_checked = old.map(|old| &old["spec"]).filter(|old| needs_health_check(old) && needs_health_check(spec));
    if was_checked.is_some_and(|old| old["healthCheckNodePort"] != spec["healthCheckNodePort"]) {
        causes.push(Cause::forbidden("spec.healthCheckNodePort", "field is immutable"));
    }
    if ports.is_empty() && !headless && kind != "ExternalName" {
        causes.push(Cause::required("spec.ports", ""));
    }
    if headless && (kind == "LoadBalancer" || kind == "NodePort") {
        let detail = format!("may not be set to 'None' for {kind} services");
        causes.push(Cause::invalid("spec.clusterIPs[0]", "None", &detail));
    }
    if kind == "ExternalName" {
        causes.extend(validate_external_name(spec));
    }
    let mut names = HashSet::new();
    for (i, port) in ports.iter().enumerate() {
        causes.extend(validate_port(port, &mut names, ports.len() > 1, &format_args!("spec.ports[{i}]")));
    }
    causes.extend(labels(&spec["selector"], &"spec.selector"));
    causes.extend(required_one_of(text(spec, "sessionAffinity"), &["ClientIP", "None"], &"spec.sessionAffinity"));
    causes.extend(affinity(spec));
    for (i, address) in items(spec, "externalIPs").iter().enumerate() {
        let (address, at) = (address.as_str().unwrap_or_default(), format_args!("spec.externalIPs[{i}]"));
        causes.extend(ip(address, &at).map_or_else(|| reachable(address, &at), |cause| Causes::from([cause])));
    }
    causes.extend(required_one_of(kind, &TYPES, &"spec.type"));
    causes.extend(validate_port_numbers(ports, kind));
    causes.extend(source_ranges(spec, new, old));
    causes.extend(class(spec));
    causes.extend(traffic(spec));
    causes
}

/// Validates an `ExternalName` service, which is a DNS alias and has no addresses.
fn validate_external_name(spec: &Value) -> Causes {
    let mut causes = Causes::new();
    for field in ["clusterIPs", "ipFamilies", "ipFamilyPolicy"] {
        if spec.get(field).is_some_and(|value| value.as_array().map_or(!value.is_null(), |list| !list.is_empty())) {
            causes.push(Cause::forbidden(format_args!("spec.{field}"), "may not be set for ExternalName services"));
        }
    }
    causes.extend(external_name(text(spec, "externalName")));
    causes
}

/// Checks that no two ports have the same number and protocol, neither in the cluster nor on the nodes, and that a
/// service of type `ClusterIP` has no `nodePort`.
fn validate_port_numbers(ports: &[Value], kind: &str) -> Causes {
    let mut causes = Causes::new();
    let number = |port: &Value, field: &str| port[field].as_i64().unwrap_or_default();
    if kind == "ClusterIP" {
        for (i, _) in ports.iter().enumerate().filter(|(_, port)| number(port, "nodePort") != 0) {
            let why = "may not be used when `type` is 'ClusterIP'";
            causes.push(Cause::forbidden(format_args!("spec.ports[{i}].nodePort"), why));
        }
    }
    let mut taken = HashSet::new();
    for (i, port) in ports.iter().enumerate().filter(|(_, port)| number(port, "nodePort") != 0) {
        if !taken.insert((text(port, "protocol"), number(port, "nodePort"))) {
            causes.push(Cause::duplicate_json(format_args!("spec.ports[{i}].nodePort"), &port["nodePort"]));
        }
    }
    taken.clear();
    for (i, port) in ports.iter().enumerate() {
        let (protocol, own) = (text(port, "protocol"), number(port, "port"));
        if !taken.insert((protocol, own)) {
            // Upstream's cause shows a port that has only these two fields set.
            let shown = json!({"Name": "", "Protocol": protocol, "AppProtocol": null, "Port": own, "TargetPort": 0, "NodePort": 0});
            let order = ["Name", "Protocol", "AppProtocol", "Port", "TargetPort", "NodePort"];
            causes.push(Cause::duplicate_struct(format_args!("spec.ports[{i}]"), &shown, &order, ""));
        }
    }
    causes
}

fn external_name(name: &str) -> Option<Cause> {
    match name.strip_suffix('.').unwrap_or(name) {
        "" => Some(Cause::required("spec.externalName", "")),
        name => (!is_subdomain(name)).then(|| Cause::invalid("spec.externalName", name, SUBDOMAIN)),
    }
}

/// Validates a port. If there are several ports, each must have a unique name. `names` has the names of the ports
/// before this one.
fn validate_port<'a>(port: &'a Value, names: &mut HashSet<&'a str>, several: bool, at: At<'_>) -> Causes {
    let mut causes = Causes::new();
    let path = format_args!("{at}.name");
    match port["name"].as_str().unwrap_or_default() {
        "" if several => causes.push(Cause::required(path, "")),
        "" => {}
        name => {
            if !is_label(name) {
                causes.push(Cause::invalid(path, name, LABEL));
            }
            if !names.insert(name) {
                causes.push(Cause::duplicate(path, name));
            }
        }
    }
    causes.extend(port_fault(&port["port"], &format_args!("{at}.port")));
    causes.extend(required_one_of(
        port["protocol"].as_str().unwrap_or_default(),
        &PROTOCOLS,
        &format_args!("{at}.protocol"),
    ));
    let target = format_args!("{at}.targetPort");
    match &port["targetPort"] {
        Value::Number(_) => causes.extend(port_fault(&port["targetPort"], &target)),
        Value::String(name) => causes.extend(port_name(name).iter().map(|why| Cause::invalid(target, name, why))),
        _ => {}
    }
    if let Some(protocol) = port["appProtocol"].as_str() {
        let messages = names::label_key(protocol);
        causes.extend(messages.iter().map(|why| Cause::invalid(format_args!("{at}.appProtocol"), protocol, why)));
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentences(mut spec: Value) -> Vec<String> {
        spec["sessionAffinity"] = json!("None");
        let service_of = json!({"metadata": {"name": "web"}, "spec": spec});
        service(&service_of, None).iter().map(Cause::sentence).collect()
    }

    #[test]
    fn a_service_has_ports_unless_it_is_headless_or_an_external_name() {
        assert_eq!(sentences(json!({"type": "ClusterIP"})), ["spec.ports: Required value"]);
        assert_eq!(
            sentences(json!({"type": "ClusterIP", "clusterIP": "None", "clusterIPs": ["None"]})),
            Vec::<String>::new()
        );
        assert_eq!(sentences(json!({"type": "ExternalName"})), ["spec.externalName: Required value"]);
        assert_eq!(
            sentences(json!({"type": "Odd", "ports": [{"port": 80, "protocol": "TCP"}]})),
            ["spec.type: Unsupported value: \"Odd\": supported values: \"ClusterIP\", \"ExternalName\", \
              \"LoadBalancer\", \"NodePort\""]
        );
    }

    #[test]
    fn several_ports_need_unique_names() {
        let port =
            |name: &str, number: u32| json!({"name": name, "port": number, "protocol": "TCP", "targetPort": number});
        let ports = json!({"type": "ClusterIP", "ports": [port("a", 80), port("a", 81), port("", 0)]});
        assert_eq!(
            sentences(ports),
            [
                "spec.ports[1].name: Duplicate value: \"a\"",
                "spec.ports[2].name: Required value",
                "spec.ports[2].port: Invalid value: 0: must be between 1 and 65535, inclusive",
                "spec.ports[2].targetPort: Invalid value: 0: must be between 1 and 65535, inclusive",
            ]
        );
    }
}
