//! The objects of the service `kubernetes`, under which pods reach the API server: Service, ServiceCIDR,
//! Endpoints and EndpointSlice. kube-apiserver creates them at its start, and programs expect them. Upstream:
//! `CreateOrUpdateMasterServiceIfNeeded` in `pkg/controlplane/controller/kubernetesservice` and `EnsureEndpoints` in
//! `pkg/controlplane/reconcilers`.

use kube_machinery::kinds::SERVICE_RANGE;
use kube_machinery::value::{Value, json};

const NAME: &str = "kubernetes";
/// The service's cluster IP: the first address of the range of cluster IPs, as upstream.
const ADDRESS: &str = "10.96.0.1";
/// A placeholder for the API server's address, because a server in memory has no address that an endpoint could have.
const ENDPOINT: &str = "198.51.100.1";
const PORT: u16 = 6443;

pub(crate) fn service() -> Value {
    json!({
        "metadata": {
            "name": NAME, "namespace": "default", "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "clusterIP": ADDRESS, "clusterIPs": [ADDRESS], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
            "type": "ClusterIP", "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": PORT}],
        },
    })
}

/// Returns the range of cluster IPs. Upstream: `pkg/controlplane/controller/defaultservicecidr`.
pub(crate) fn service_cidr(now: &str) -> Value {
    json!({
        "metadata": {"name": NAME},
        "spec": {"cidrs": [SERVICE_RANGE]},
        "status": {"conditions": [{
            "type": "Ready", "status": "True", "lastTransitionTime": now, "reason": "",
            "message": "Kubernetes default Service CIDR is ready",
        }]},
    })
}

pub(crate) fn endpoints() -> Value {
    json!({
        "metadata": {
            "name": NAME, "namespace": "default", "labels": {"endpointslice.kubernetes.io/skip-mirror": "true"},
        },
        "subsets": [
            {"addresses": [{"ip": ENDPOINT}], "ports": [{"name": "https", "port": PORT, "protocol": "TCP"}]},
        ],
    })
}

pub(crate) fn endpoint_slice() -> Value {
    json!({
        "metadata": {"name": NAME, "namespace": "default", "labels": {"kubernetes.io/service-name": NAME}},
        "addressType": "IPv4",
        "endpoints": [{"addresses": [ENDPOINT], "conditions": {"ready": true}}],
        "ports": [{"name": "https", "port": PORT, "protocol": "TCP"}],
    })
}
