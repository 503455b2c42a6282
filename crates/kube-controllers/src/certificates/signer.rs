//! The signer of CertificateSigningRequests: signs approved requests for Kubernetes' own signers with the authority of
//! the cluster. It is upstream's four controllers in one. Upstream: `pkg/controller/certificates/signer`.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use kube_client::Client;
use kube_client::api::{Api, ApiResource, DynamicObject, PostParams};
use kube_informers::cache::SharedInformerFactory;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::approver::KUBELET_CLIENT;
use super::controller::{Context, Controller, Handle};
use super::{certificate, conditions, has, kubelet, usages};
use crate::clock::Clock;
use crate::shared::error::SyncError;
use crate::shared::object::name;
use crate::shared::{reconciler, when_needed};
use kube_machinery::conventions::x509::CertificateRequest;
use kube_machinery::kinds::parse_certificate_request;

const KUBELET_SERVING: &str = "kubernetes.io/kubelet-serving";
const API_SERVER_CLIENT: &str = "kubernetes.io/kube-apiserver-client";
const LEGACY: &str = "kubernetes.io/legacy-unknown";

/// The longest validity of a certificate. Upstream: `--cluster-signing-duration`.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The shortest validity of a certificate.
const SHORTEST: Duration = Duration::from_secs(600);

/// The content of a certificate that a request does not decide.
#[derive(Debug)]
pub struct Terms<'a> {
    /// The uses of the key, in the words of the API, such as `client auth`.
    pub usages: Vec<&'a str>,
    /// The validity from now on.
    pub lasts: Duration,
    /// The time on the cluster's clock.
    pub now: Timestamp,
}

/// An authority that signs requests.
pub trait SigningAuthority: Send + Sync + 'static {
    /// Returns the certificate for a request in PEM.
    ///
    /// # Errors
    /// The reason why the authority does not sign the request.
    fn sign(&self, request: &CertificateRequest, terms: &Terms<'_>) -> Result<String, String>;
}

/// Runs the controller from the first request for one of Kubernetes' signers on.
pub async fn run_when_needed(
    authority: Arc<dyn SigningAuthority>,
    client: Client,
    clock: Clock,
    stop: CancellationToken,
) {
    let kinds = [ApiResource::erase::<CertificateSigningRequest>(&())];
    let run = || async {
        let factory = SharedInformerFactory::new(client.clone());
        let signer = Signer(Some(authority.clone()));
        let controller = Controller::with(signer, client.clone(), clock, &factory);
        reconciler::run_controller(controller, &factory, &stop).await
    };
    when_needed::run_when_needed_by(&client, &kinds, Signer::is_needed_by, &stop, run).await;
}

/// Without an authority, requests stay as they are.
#[derive(Default)]
struct Signer(Option<Arc<dyn SigningAuthority>>);

impl Handle for Signer {
    async fn handle(&self, context: &Context, request: &DynamicObject) -> Result<(), SyncError> {
        let Some(authority) = &self.0 else { return Ok(()) };
        let waits = certificate(request).is_none() && has(request, "Approved") && !has(request, "Denied");
        if !waits || has_failed(request) || !Self::is_needed_by(request) {
            return Ok(());
        }
        let (name, spec) = (name(&request.metadata), &request.data["spec"]);
        let parsed = parse_certificate_request(spec["request"].as_str().unwrap_or_default());
        let parsed = parsed.map_err(|why| SyncError::Certificate(format!("unable to parse csr {name:?}: {why}")))?;
        let usages = usages(request);
        let mut signed = request.clone();
        match fault(spec["signerName"].as_str().unwrap_or_default(), &parsed, &usages) {
            Some(why) => {
                let failed = json!({
                    "type": "Failed", "status": "True", "reason": "SignerValidationFailure", "message": why,
                    "lastUpdateTime": context.clock.now(),
                });
                signed.data["status"]["conditions"] = conditions(request).iter().cloned().chain([failed]).collect();
            }
            None => {
                let terms = Terms { usages, lasts: lasts(&spec["expirationSeconds"]), now: context.clock.time() };
                let pem = authority.sign(&parsed, &terms);
                let pem = pem.map_err(|why| SyncError::Certificate(format!("error auto signing csr: {why}")))?;
                signed.data["status"]["certificate"] = json!(ByteString(pem.into_bytes()));
            }
        }
        let requests: Api<DynamicObject> = Api::all_with(context.client.clone(), &context.kind);
        let written = requests.replace_status(name, &PostParams::default(), &signed).await;
        written.map(drop).map_err(SyncError::refused(format!("write the status of {name}")))
    }

    fn is_needed_by(request: &DynamicObject) -> bool {
        let signers = [KUBELET_SERVING, KUBELET_CLIENT, API_SERVER_CLIENT, LEGACY];
        signers.iter().any(|signer| request.data["spec"]["signerName"] == *signer)
    }
}

fn has_failed(request: &DynamicObject) -> bool {
    conditions(request).iter().any(|one| one["type"] == "Failed" && one["status"] == "True")
}

/// Returns the reason why a signer refuses a request. Upstream: `getCSRVerificationFuncForSignerName`.
fn fault(signer: &str, request: &CertificateRequest, usages: &[&str]) -> Option<String> {
    match signer {
        KUBELET_SERVING => kubelet::serving_fault(request, usages),
        KUBELET_CLIENT => kubelet::client_fault(request, usages),
        API_SERVER_CLIENT => client_fault(usages),
        _ => None,
    }
}

/// Upstream: `validAPIServerClientUsages`.
fn client_fault(usages: &[&str]) -> Option<String> {
    const REQUIRED: &str = "client auth";
    let may = |usage: &&str| ["digital signature", "key encipherment", REQUIRED].contains(usage);
    if let Some(other) = usages.iter().find(|usage| !may(usage)) {
        return Some(format!("invalid usage for client certificate: {other}"));
    }
    let has = usages.contains(&REQUIRED);
    (!has).then(|| format!("missing required usage for client certificate: {REQUIRED}"))
}

/// Returns the validity of a certificate. Upstream: `duration`.
fn lasts(requested: &Value) -> Duration {
    let Some(seconds) = requested.as_i64() else { return LONGEST };
    Duration::from_secs(u64::try_from(seconds).unwrap_or_default()).clamp(SHORTEST, LONGEST)
}
