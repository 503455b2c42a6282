//! The columns that `kubectl get` shows for the kinds of `networking.k8s.io`. The descriptions are upstream's: `pkg/printers/internalversion`.

use std::collections::BTreeSet;

use super::{AGE, Column, NAME, text, text_or};
use crate::conventions::label_selector;
use crate::kinds::fields::{self, items};
use crate::value::Value;

pub(in crate::kinds) const INGRESSES: &[Column] = &[
    NAME,
    Column::new(
        "Class",
        "The name of the IngressClass resource that should be used for additional configuration",
        |ingress, _| text_or(ingress, "/spec/ingressClassName", "<none>"),
    ),
    Column::new("Hosts", "Hosts that incoming requests are matched against before the ingress rule", |ingress, _| {
        hosts(items(&ingress["spec"], "rules")).into()
    }),
    Column::new("Address", "Address is a list containing ingress points for the load-balancer", |ingress, _| {
        balancers(&ingress["status"]["loadBalancer"]).into()
    }),
    Column::new("Ports", "Ports of TLS configurations that open", |ingress, _| {
        if items(&ingress["spec"], "tls").is_empty() { "80".into() } else { "80, 443".into() }
    }),
    AGE,
];

pub(in crate::kinds) const CLASSES: &[Column] = &[
    Column { cell: |class, _| name_of_class(class).into(), ..NAME },
    Column::new("Controller", "Controller that is responsible for handling this class", |class, _| {
        text(class, "/spec/controller")
    }),
    Column::new("Parameters", "A reference to a resource with additional parameters", |class, _| {
        parameters(&class["spec"]["parameters"]).into()
    }),
    AGE,
];

pub(in crate::kinds) const POLICIES: &[Column] = &[
    NAME,
    Column::new(
        "Pod-Selector",
        "podSelector selects the pods to which this NetworkPolicy object applies. The array of rules is applied to any pods selected by this field. An empty selector matches all pods in the policy's namespace. Multiple network policies can select the same set of pods. In this case, the ingress rules for each are combined additively. This field is optional. If it is not specified, it defaults to an empty selector.",
        |policy, _| selector(&policy["spec"]["podSelector"]).into(),
    ),
    AGE,
];

/// As upstream, a row has the age of the address, but no column is declared for it.
pub(in crate::kinds) const ADDRESSES: &[Column] = &[
    NAME,
    Column::new(
        "ParentRef",
        "parentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.",
        |address, _| parent(&address["spec"]["parentRef"]).into(),
    ),
    AGE.undeclared(),
];

pub(in crate::kinds) const SERVICE_CIDRS: &[Column] = &[
    NAME,
    Column::new(
        "CIDRs",
        "cidrs defines the IP blocks in CIDR notation (e.g. \"192.168.0.0/24\" or \"2001:db8::/64\") from which to assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This field is immutable.",
        |range, _| {
            let ranges = items(&range["spec"], "cidrs").iter().filter_map(Value::as_str);
            ranges.collect::<Vec<_>>().join(",").into()
        },
    ),
    AGE,
];

/// The number of hosts that a cell shows.
const SHOWN: usize = 3;

/// Lists the first hosts. As upstream, the number of remaining ones also counts rules without a host.
fn hosts(rules: &[Value]) -> String {
    let mut list = Vec::new();
    for rule in rules {
        if list.len() == SHOWN {
            return format!("{} + {} more...", list.join(","), rules.len() - SHOWN);
        }
        list.extend(Some(fields::text(rule, "host")).filter(|host| !host.is_empty()));
    }
    if list.is_empty() { "*".to_owned() } else { list.join(",") }
}

fn balancers(status: &Value) -> String {
    let addresses = items(status, "ingress").iter().filter_map(|ingress| {
        let address = ["ip", "hostname"].map(|name| fields::text(ingress, name));
        address.into_iter().find(|address| !address.is_empty())
    });
    addresses.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(",")
}

/// Upstream: `FormatLabelSelector`.
fn selector(selector: &Value) -> String {
    match label_selector::read(selector).map(|selector| selector.to_string()) {
        Ok(text) if text.is_empty() => "<none>".to_owned(),
        Ok(text) => text,
        Err(_) => "<error>".to_owned(),
    }
}

fn name_of_class(class: &Value) -> String {
    let metadata = &class["metadata"];
    let is_default = metadata["annotations"]["ingressclass.kubernetes.io/is-default-class"] == "true";
    format!("{}{}", fields::text(metadata, "name"), if is_default { " (default)" } else { "" })
}

fn parameters(reference: &Value) -> String {
    if !reference.is_object() {
        return "<none>".to_owned();
    }
    let group = reference["apiGroup"].as_str().map(|group| format!(".{group}")).unwrap_or_default();
    format!("{}{group}/{}", fields::text(reference, "kind"), fields::text(reference, "name"))
}

/// Prints the reference to the object that has an address: `resource.group/namespace/name`.
fn parent(reference: &Value) -> String {
    if !reference.is_object() {
        return "<none>".to_owned();
    }
    let group = match fields::text(reference, "group") {
        "" => String::new(),
        group => format!(".{group}"),
    };
    let namespace = match fields::text(reference, "namespace") {
        "" => String::new(),
        namespace => format!("/{namespace}"),
    };
    let resource = format!("{}{group}", fields::text(reference, "resource")).to_lowercase();
    format!("{resource}{namespace}/{}", fields::text(reference, "name"))
}
