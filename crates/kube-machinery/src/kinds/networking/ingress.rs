//! The Ingress kind, which routes HTTP requests from outside the cluster to Services. `ingress_rules` validates the
//! spec except for its class.

use std::collections::HashSet;

use super::ingress_rules;
use crate::conventions::address_warnings;
use crate::conventions::addresses;
use crate::conventions::cause::Cause;
use crate::conventions::causes::Causes;
use crate::conventions::quote::quote;
use crate::kinds::columns;
use crate::kinds::fields::{each, invalid, items, text};
use crate::kinds::metadata::UpdatedMetadata;
use crate::kinds::names;
use crate::kinds::resource::{Generation, ResourceRow, Subresource};
use crate::value::Value;

/// The kind's row in the table of kinds (`kinds::served`).
pub(in crate::kinds) const ROW: ResourceRow = ResourceRow {
    group: "networking.k8s.io",
    plural: "ingresses",
    singular: "ingress",
    kind: "Ingress",
    storage_hash: "39NQlfNR+bo=",
    short_names: &["ing"],
    subresources: &[Subresource::Status],
    generation: Generation::Counted,
    validate,
    validate_status,
    columns: columns::networking::INGRESSES,
    updated_metadata: UpdatedMetadata::ChangeAndWhole,
    warnings,
    status_warnings,
    ..ResourceRow::USUAL
};

/// Validates an Ingress. In a new one, the older class annotation must agree with `ingressClassName`; an update is not
/// checked for this. Upstream: `ValidateIngressCreate`, `ValidateIngressUpdate`.
fn validate(new: &Value, old: Option<&Value>) -> Causes {
    const ANNOTATION: &str = "kubernetes.io/ingress.class";
    let spec = &new["spec"];
    let mut causes = ingress_rules::spec(spec);
    let class = &spec["ingressClassName"];
    if let Some(name) = class.as_str() {
        causes.extend(invalid(&"spec.ingressClassName", name, names::subdomain(name)));
    }
    let annotated = &new["metadata"]["annotations"][ANNOTATION];
    if old.is_none() && !annotated.is_null() && !class.is_null() && annotated != class {
        let why = "must match `ingressClassName` when both are specified";
        causes.push(Cause::invalid_json(format_args!("annotations.{ANNOTATION}"), annotated, why));
    }
    causes
}

/// Validates the status. IP addresses that the old status has are not checked again. Upstream:
/// `ValidateIngressLoadBalancerStatus`.
fn validate_status(new: &Value, old: Option<&Value>) -> Causes {
    let old_entries = old.map_or(&[][..], |old| items(&old["status"]["loadBalancer"], "ingress"));
    let old_ips: HashSet<&str> = old_entries.iter().map(|old| text(old, "ip")).collect();
    let mut causes = Causes::new();
    for (at, ingress) in each(&new["status"]["loadBalancer"], "ingress", &"status.loadBalancer") {
        let (ip, hostname) = (text(ingress, "ip"), text(ingress, "hostname"));
        if !ip.is_empty() && !old_ips.contains(ip) {
            causes.extend(addresses::ip(ip, &format_args!("{at}.ip")));
        }
        if !hostname.is_empty() {
            let at = format_args!("{at}.hostname");
            causes.extend(invalid(&at, hostname, names::subdomain(hostname)));
            causes.extend(ingress_rules::no_address(hostname, &at));
        }
    }
    causes
}

const CLASS: &str = "kubernetes.io/ingress.class";

/// Warns of the annotation that the class's field replaces. Upstream: `WarningsOnCreate`.
fn warnings(new: &Value, old: Option<&Value>) -> Vec<String> {
    let is_annotated = new["metadata"]["annotations"].get(CLASS).is_some();
    if old.is_some() || !is_annotated || !new["spec"]["ingressClassName"].is_null() {
        return Vec::new();
    }
    vec![format!("annotation {} is deprecated, please use 'spec.ingressClassName' instead", quote(CLASS))]
}

/// Warns of addresses of the load balancer in unusual forms. Upstream: `ingressStatusStrategy.WarningsOnUpdate`.
pub(in crate::kinds) fn status_warnings(new: &Value) -> Vec<String> {
    let points = items(&new["status"]["loadBalancer"], "ingress").iter().enumerate();
    let warning = |(i, point)| {
        let address = Some(text(point, "ip")).filter(|address| !address.is_empty())?;
        address_warnings::ip(address, &format_args!("status.loadBalancer.ingress[{i}]"))
    };
    points.filter_map(warning).collect()
}
