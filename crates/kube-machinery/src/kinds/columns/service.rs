//! The columns that `kubectl get` shows for Services. The descriptions are upstream's: `pkg/printers/internalversion`.

use std::collections::BTreeSet;

use super::{AGE, Column, NAME, text};
use crate::kinds::fields::items;
use crate::value::Value;

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    Column::new("Type", "type determines how the Service is exposed. Defaults to ClusterIP. Valid options are ExternalName, ClusterIP, NodePort, and LoadBalancer. \"ClusterIP\" allocates a cluster-internal IP address for load-balancing to endpoints. Endpoints are determined by the selector or if that is not specified, by manual construction of an Endpoints object or EndpointSlice objects. If clusterIP is \"None\", no virtual IP is allocated and the endpoints are published as a set of endpoints rather than a virtual IP. \"NodePort\" builds on ClusterIP and allocates a port on every node which routes to the same endpoints as the clusterIP. \"LoadBalancer\" builds on NodePort and creates an external load-balancer (if supported in the current cloud) which routes to the same endpoints as the clusterIP. \"ExternalName\" aliases this service to the specified externalName. Several other fields do not apply to ExternalName services. More info: https://kubernetes.io/docs/concepts/services-networking/service/#publishing-services-service-types", |service, _| text(service, "/spec/type")),
    Column::new("Cluster-IP", "clusterIP is the IP address of the service and is usually assigned randomly. If an address is specified manually, is in-range (as per system configuration), and is not in use, it will be allocated to the service; otherwise creation of the service will fail. This field may not be changed through updates unless the type field is also being changed to ExternalName (which requires this field to be blank) or the type field is being changed from ExternalName (in which case this field may optionally be specified, as describe above).  Valid values are \"None\", empty string (\"\"), or a valid IP address. Setting this to \"None\" makes a \"headless service\" (no virtual IP), which is useful when direct endpoint connections are preferred and proxying is not required.  Only applies to types ClusterIP, NodePort, and LoadBalancer. If this field is specified when creating a Service of type ExternalName, creation will fail. This field will be wiped when updating a Service to type ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies", |service, _| {
        service.pointer("/spec/clusterIPs/0").cloned().unwrap_or_else(|| "<none>".into())
    }),
    Column::new("External-IP", "externalIPs is a list of IP addresses for which nodes in the cluster will also accept traffic for this service.  These IPs are not managed by Kubernetes.  The user is responsible for ensuring that traffic arrives at a node with this IP.  A common example is external load-balancers that are not part of the Kubernetes system.", |service, _| external(service).into()),
    Column::new("Port(s)", "The list of ports that are exposed by this service. More info: https://kubernetes.io/docs/concepts/services-networking/service/#virtual-ips-and-service-proxies", |service, _| ports(service).into()),
    AGE,
    Column::new("Selector", "Route service traffic to pods with label keys and values matching this selector. If empty or not present, the service is assumed to have an external process managing its endpoints, which Kubernetes will not modify. Only applies to types ClusterIP, NodePort, and LoadBalancer. Ignored if type is ExternalName. More info: https://kubernetes.io/docs/concepts/services-networking/service/", |service, _| selector(service).into()).wide(),
];

/// Returns the addresses by which clients outside the cluster reach the service, depending on its type.
fn external(service: &Value) -> String {
    let own: Vec<&str> = items(&service["spec"], "externalIPs").iter().filter_map(Value::as_str).collect();
    let (mut found, nothing) = match service["spec"]["type"].as_str().unwrap_or_default() {
        "ClusterIP" | "NodePort" => (Vec::new(), "<none>"),
        "LoadBalancer" => (balancers(service), "<pending>"),
        "ExternalName" => return service["spec"]["externalName"].as_str().unwrap_or_default().to_owned(),
        _ => return "<unknown>".to_owned(),
    };
    found.extend(own);
    if found.is_empty() { nothing.to_owned() } else { found.join(",") }
}

fn balancers(service: &Value) -> Vec<&str> {
    let has =
        |ingress: &'_ Value, field: &str| -> bool { ingress[field].as_str().is_some_and(|text| !text.is_empty()) };
    let addresses = items(&service["status"]["loadBalancer"], "ingress").iter().filter_map(|ingress| {
        let field = ["ip", "hostname"].into_iter().find(|field| has(ingress, field))?;
        ingress[field].as_str()
    });
    addresses.collect::<BTreeSet<_>>().into_iter().collect()
}

fn ports(service: &Value) -> String {
    let port_text = |port: &Value| {
        let protocol = port["protocol"].as_str().unwrap_or_default();
        match port["nodePort"].as_i64() {
            Some(node) if node > 0 => format!("{}:{node}/{protocol}", port["port"]),
            _ => format!("{}/{protocol}", port["port"]),
        }
    };
    let ports: Vec<String> = items(&service["spec"], "ports").iter().map(port_text).collect();
    if ports.is_empty() { "<none>".to_owned() } else { ports.join(",") }
}

fn selector(service: &Value) -> String {
    let labels = service["spec"]["selector"].as_object().into_iter().flatten();
    let mut labels: Vec<String> =
        labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    labels.sort_unstable();
    if labels.is_empty() { "<none>".to_owned() } else { labels.join(",") }
}
