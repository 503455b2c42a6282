//! Reads services and their pods, for the controllers of EndpointSlices and of Endpoints. Upstream:
//! `k8s.io/endpointslice/util`.

use k8s_openapi::api::core::v1::Pod;
use kube_client::api::DynamicObject;
use kube_selectors::{BadSelector, LabelSelector};
use serde_json::Value;

use super::object::{name, namespace};
use super::pods::has_ended;
use kube_machinery::conventions::label_selector;

/// The label of the endpoints of a service that has no IP address of its own. Upstream: `IsHeadlessService`.
pub(crate) const HEADLESS: &str = "service.kubernetes.io/headless";

/// Returns true if controllers write the endpoints of a service. Users write those of a service without a selector, and
/// an `ExternalName` service has none.
pub(crate) fn has_endpoints(service: &DynamicObject) -> bool {
    let spec = &service.data["spec"];
    spec["selector"].is_object() && spec["type"] != "ExternalName"
}

pub(crate) fn selector(service: &DynamicObject) -> Result<LabelSelector, BadSelector> {
    label_selector::read(&kube_machinery::value::json!({"matchLabels": service.data["spec"]["selector"]}))
}

/// Returns true if a service has an IP address. Upstream: `IsServiceIPSet`.
pub(crate) fn has_ip(service: &DynamicObject) -> bool {
    matches!(&service.data["spec"]["clusterIP"], Value::String(address) if address != "None" && !address.is_empty())
}

/// Returns true if pods that are not ready count as ready.
pub(crate) fn publishes_all(service: &DynamicObject) -> bool {
    service.data["spec"]["publishNotReadyAddresses"] == true
}

/// Returns true if a pod has an address and has not ended, so it may have endpoints. Upstream:
/// `ShouldPodBeInEndpoints`.
pub(crate) fn has_address(pod: &Pod) -> bool {
    let status = pod.status.as_ref();
    let one = status.and_then(|status| status.pod_ip.as_ref()).is_some_and(|address| !address.is_empty());
    let some = status.and_then(|status| status.pod_ips.as_ref()).is_some_and(|addresses| !addresses.is_empty());
    (one || some) && !has_ended(pod)
}

/// Returns the pod's host name in the service's domain, if it has one. Upstream: `ShouldSetHostname`.
pub(crate) fn hostname<'a>(service: &DynamicObject, pod: &'a Pod) -> Option<&'a str> {
    let spec = pod.spec.as_ref()?;
    let is_here = spec.subdomain.as_deref() == Some(name(&service.metadata))
        && namespace(&pod.metadata) == namespace(&service.metadata);
    spec.hostname.as_deref().filter(|hostname| is_here && !hostname.is_empty())
}
