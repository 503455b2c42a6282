//! The approver of CertificateSigningRequests: approves a kubelet's request for its client certificate, if the user of
//! the request may have it. Upstream: `pkg/controller/certificates/approver`.

use k8s_openapi::api::authorization::v1::SubjectAccessReview;
use kube_client::Client;
use kube_client::api::{Api, ApiResource, DynamicObject, PostParams};
use kube_core::{Request, Resource};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::controller::{Context, Controller, Handle};
use super::{certificate, conditions, has, kubelet, usages};
use crate::clock::Clock;
use crate::shared::error::{ControllerError, SyncError};
use crate::shared::object::name;
use crate::shared::reconciler;
use kube_machinery::conventions::x509::CertificateRequest;
use kube_machinery::kinds::parse_certificate_request;

/// The signer of the client certificates of kubelets. Upstream: `KubeAPIServerClientKubeletSignerName`.
pub(super) const KUBELET_CLIENT: &str = "kubernetes.io/kube-apiserver-client-kubelet";

/// Runs the controller for all requests of a cluster until `stop`. A cluster of `kube-testcluster` with
/// `Controllers::All` runs it already, from the first request for a kubelet's client certificate on.
///
/// # Errors
/// An informer failed, or the work on a request panicked.
pub async fn run(client: Client, stop: CancellationToken) -> Result<(), ControllerError> {
    reconciler::run::<Controller<Approver>>(client, stop).await
}

pub(crate) async fn run_when_needed(client: Client, clock: Clock, stop: CancellationToken) {
    reconciler::run_when_needed::<Controller<Approver>>(client, clock, stop).await;
}

/// Upstream: `sarApprover`.
#[derive(Default)]
pub(crate) struct Approver;

impl Handle for Approver {
    async fn handle(&self, context: &Context, request: &DynamicObject) -> Result<(), SyncError> {
        if certificate(request).is_some() || has(request, "Approved") || has(request, "Denied") {
            return Ok(());
        }
        let name = name(&request.metadata);
        let parsed = parse_certificate_request(request.data["spec"]["request"].as_str().unwrap_or_default());
        let parsed = parsed.map_err(|why| SyncError::Certificate(format!("unable to parse csr {name:?}: {why}")))?;
        if request.data["spec"]["signerName"] != KUBELET_CLIENT
            || kubelet::client_fault(&parsed, &usages(request)).is_some()
        {
            return Ok(());
        }
        let rights = rights(request, &parsed);
        for (right, message) in rights {
            if may(context, request, right).await? {
                return approve(context, request, message).await;
            }
        }
        let tried: Vec<&str> = rights.iter().map(|(right, _)| *right).collect();
        let why = format!("recognized csr {name:?} as {tried:?} but subject access review was not approved");
        Err(SyncError::Certificate(why))
    }

    fn is_needed_by(request: &DynamicObject) -> bool {
        request.data["spec"]["signerName"] == KUBELET_CLIENT
    }
}

/// Returns the rights of which the requester needs one, each with the message of the approval. A kubelet that renews
/// its own certificate needs less than one that gets its first. Upstream: `recognizers`.
fn rights(request: &DynamicObject, parsed: &CertificateRequest) -> &'static [(&'static str, &'static str)] {
    const RIGHTS: [(&str, &str); 2] = [
        ("selfnodeclient", "Auto approving self kubelet client certificate after SubjectAccessReview."),
        ("nodeclient", "Auto approving kubelet client certificate after SubjectAccessReview."),
    ];
    let is_own = request.data["spec"]["username"] == parsed.subject.common_name.as_str();
    if is_own { &RIGHTS } else { &RIGHTS[1..] }
}

/// Asks the server whether the requester has a right. Upstream: `authorize`.
async fn may(context: &Context, request: &DynamicObject, right: &str) -> Result<bool, SyncError> {
    let (resource, spec) = (ApiResource::erase::<SubjectAccessReview>(&()), &request.data["spec"]);
    let review = DynamicObject::new("", &resource).data(json!({"spec": {
        "user": spec["username"], "uid": spec["uid"], "groups": spec["groups"], "extra": spec["extra"],
        "resourceAttributes": {
            "group": "certificates.k8s.io", "resource": "certificatesigningrequests", "subresource": right,
            "verb": "create", "version": "*",
        },
    }}));
    let reviews: Api<DynamicObject> = Api::all_with(context.client.clone(), &resource);
    let review = reviews.create(&PostParams::default(), &review).await;
    let review = review.map_err(SyncError::refused("review the rights of a requester"))?;
    Ok(review.data["status"]["allowed"] == true)
}

async fn approve(context: &Context, request: &DynamicObject, message: &str) -> Result<(), SyncError> {
    let name = name(&request.metadata);
    let refused = || SyncError::refused(format!("approve {name}"));
    let mut approved = request.clone();
    let condition = json!({"type": "Approved", "status": "True", "reason": "AutoApproved", "message": message});
    let all = conditions(request).iter().cloned().chain([condition]).collect();
    approved.data["status"]["conditions"] = Value::Array(all);
    let body = serde_json::to_vec(&approved).map_err(|error| SyncError::Certificate(error.to_string()))?;
    let put = Request::new(DynamicObject::url_path(&context.kind, None));
    let put = put.replace_subresource("approval", name, &PostParams::default(), body);
    let put = put.map_err(|error| refused()(kube_client::Error::BuildRequest(error)))?;
    context.client.request::<DynamicObject>(put).await.map(drop).map_err(refused())
}
