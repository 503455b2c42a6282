//! The defaults of Services: type, session affinity, traffic policies and ports. Cluster IPs and node ports are not
//! defaults; `allocation` fills them in. Upstream: `SetDefaults_Service` in `pkg/apis/core/v1/defaults.go`.

use crate::conventions::edit::{empty, list, object, object_field, set_default};
use crate::value::{Value, json};

/// The default timeout of session affinity: three hours.
const AFFINITY_SECONDS: u32 = 10_800;

pub(crate) fn service(service: &mut Value) {
    set_default(service, "spec", empty());
    let spec = &mut service["spec"];
    set_default(spec, "type", json!("ClusterIP"));
    affinity(spec);
    addresses(spec);
    policies(spec);
    for port in list(spec, "ports") {
        set_default(port, "protocol", json!("TCP"));
        let number = port["port"].clone();
        if matches!(&port["targetPort"], Value::Null) || port["targetPort"] == 0 || port["targetPort"] == "" {
            port["targetPort"] = number;
        }
    }
    let is_load_balancer = spec["type"] == "LoadBalancer";
    set_default(service, "status", json!({"loadBalancer": {}}));
    let balancer = object_field(&mut service["status"], "loadBalancer").filter(|_| is_load_balancer);
    for ingress in balancer.into_iter().flat_map(|balancer| list(balancer, "ingress")) {
        if ingress["ip"].as_str().is_some_and(|ip| !ip.is_empty()) {
            set_default(ingress, "ipMode", json!("VIP"));
        }
    }
}

fn affinity(spec: &mut Value) {
    set_default(spec, "sessionAffinity", json!("None"));
    if spec["sessionAffinity"] == "None" {
        object(spec).remove("sessionAffinityConfig");
    } else if spec["sessionAffinity"] == "ClientIP"
        && spec.pointer("/sessionAffinityConfig/clientIP/timeoutSeconds").is_none_or(Value::is_null)
    {
        spec["sessionAffinityConfig"] = json!({"clientIP": {"timeoutSeconds": AFFINITY_SECONDS}});
    }
}

/// Sets `clusterIPs` from `clusterIP`.
fn addresses(spec: &mut Value) {
    let first = spec["clusterIP"].as_str().filter(|ip| !ip.is_empty()).map(ToOwned::to_owned);
    if let Some(first) = first.filter(|_| spec["type"] != "ExternalName") {
        set_default(spec, "clusterIPs", json!([first]));
    }
}

/// Sets the traffic policies that the type supports.
fn policies(spec: &mut Value) {
    let kind = spec["type"].as_str().unwrap_or_default().to_owned();
    let has_external_ips = spec["externalIPs"].as_array().is_some_and(|addresses| !addresses.is_empty());
    if kind == "NodePort" || kind == "LoadBalancer" || (kind == "ClusterIP" && has_external_ips) {
        set_default(spec, "externalTrafficPolicy", json!("Cluster"));
    }
    if ["ClusterIP", "NodePort", "LoadBalancer"].contains(&kind.as_str()) {
        set_default(spec, "internalTrafficPolicy", json!("Cluster"));
    }
    if kind == "LoadBalancer" {
        set_default(spec, "allocateLoadBalancerNodePorts", json!(true));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(spec: Value) -> Value {
        let mut given = json!({"spec": spec});
        service(&mut given);
        given["spec"].take()
    }

    #[test]
    fn defaults_depend_on_the_type_of_the_service() {
        let plain = filled(json!({"ports": [{"port": 80}, {"port": 81, "targetPort": "web"}]}));
        assert_eq!(
            plain,
            json!({
                "type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster",
                "ports": [
                    {"port": 80, "targetPort": 80, "protocol": "TCP"}, {"port": 81, "targetPort": "web", "protocol": "TCP"},
                ],
            })
        );
        let name = filled(json!({"type": "ExternalName", "externalName": "example.org"}));
        assert_eq!(name.get("internalTrafficPolicy"), None);
        let balanced = filled(json!({"type": "LoadBalancer"}));
        assert_eq!(balanced["externalTrafficPolicy"], "Cluster");
        assert_eq!(balanced["allocateLoadBalancerNodePorts"], true);
        assert_eq!(filled(json!({"externalIPs": ["192.0.2.1"]}))["externalTrafficPolicy"], "Cluster");
    }

    #[test]
    fn client_ip_affinity_has_a_timeout_and_no_affinity_has_none() {
        let sticky = filled(json!({"sessionAffinity": "ClientIP"}));
        assert_eq!(sticky["sessionAffinityConfig"], json!({"clientIP": {"timeoutSeconds": 10800}}));
        let config = json!({"clientIP": {"timeoutSeconds": 5}});
        assert_eq!(filled(json!({"sessionAffinityConfig": config})).get("sessionAffinityConfig"), None);
        let own = filled(json!({"sessionAffinity": "ClientIP", "sessionAffinityConfig": config}));
        assert_eq!(own["sessionAffinityConfig"], config);
    }

    #[test]
    fn a_headless_service_has_none_in_both_address_fields() {
        assert_eq!(filled(json!({"clusterIP": "None"}))["clusterIPs"], json!(["None"]));
    }
}
