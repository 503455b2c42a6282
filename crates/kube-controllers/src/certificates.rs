//! The controllers of CertificateSigningRequests ("requests"): the [approver], which approves the requests of
//! kubelets; the [signer], which signs approved requests; and the [cleaner], which deletes old ones.
//! Upstream: `pkg/controller/certificates`.

pub mod approver;
pub mod cleaner;
mod controller;
mod kubelet;
pub mod signer;

use kube_client::api::DynamicObject;
use serde_json::Value;

/// Returns the conditions of a request.
fn conditions(request: &DynamicObject) -> &[Value] {
    request.data["status"]["conditions"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns true if a request has a condition of this type.
fn has(request: &DynamicObject, condition: &str) -> bool {
    conditions(request).iter().any(|one| one["type"] == condition)
}

/// Returns the certificate of a request, in base64; `None` if it has none.
fn certificate(request: &DynamicObject) -> Option<&str> {
    request.data["status"]["certificate"].as_str().filter(|certificate| !certificate.is_empty())
}

/// Returns the usages that a request asks for.
fn usages(request: &DynamicObject) -> Vec<&str> {
    request.data["spec"]["usages"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}
