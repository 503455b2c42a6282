//! The columns that `kubectl get` shows for the kinds of `certificates.k8s.io`. The descriptions are upstream's:
//! `pkg/printers/internalversion`.

use super::age::human;
use super::templates::labels;
use super::{AGE, Column, NAME, text, text_or_none};
use crate::kinds::fields::items;
use crate::value::Value;

pub(in crate::kinds) const COLUMNS: &[Column] = &[
    NAME,
    AGE,
    Column::new(
        "SignerName",
        "Requested signer for the request. It is a qualified name in the form: `scope-hostname.io/name`. If empty, it will be defaulted:\n 1. If it's a kubelet client certificate, it is assigned\n    \"kubernetes.io/kube-apiserver-client-kubelet\".\n 2. If it's a kubelet serving certificate, it is assigned\n    \"kubernetes.io/kubelet-serving\".\n 3. Otherwise, it is assigned \"kubernetes.io/legacy-unknown\".\nDistribution of trust for signers happens out of band. You can select on this field using `spec.signerName`.",
        |request, _| text_or_none(request, "/spec/signerName"),
    ),
    // As upstream, the description is that of another field, `request`.
    Column::new("Requestor", "Base64-encoded PKCS#10 CSR data", |request, _| text(request, "/spec/username")),
    Column::new(
        "RequestedDuration",
        "expirationSeconds is the requested duration of validity of the issued certificate. The certificate signer may issue a certificate with a different validity duration so a client must check the delta between the notBefore and and notAfter fields in the issued certificate to determine the actual duration.\n\nThe v1.22+ in-tree implementations of the well-known Kubernetes signers will honor this field as long as the requested duration is not greater than the maximum duration they will honor per the --cluster-signing-duration CLI flag to the Kubernetes controller manager.\n\nCertificate signers may not honor this field for various reasons:\n\n  1. Old signer that is unaware of the field (such as the in-tree\n     implementations prior to v1.22)\n  2. Signer whose configured maximum is shorter than the requested duration\n  3. Signer whose configured minimum is longer than the requested duration\n\nThe minimum valid value for expirationSeconds is 600, i.e. 10 minutes.",
        |request, _| {
            request["spec"]["expirationSeconds"]
                .as_i64()
                .map_or_else(|| "<none>".into(), |seconds| human(seconds).into())
        },
    ),
    Column::new("Condition", "Conditions applied to the request, such as approval or denial.", |request, _| {
        condition(&request["status"]).into()
    }),
];

pub(in crate::kinds) const TRUST_BUNDLES: &[Column] = &[
    NAME,
    Column::new(
        "SignerName",
        "signerName indicates the associated signer, if any.\n\nIn order to create or update a ClusterTrustBundle that sets signerName, you must have the following cluster-scoped permission: group=certificates.k8s.io resource=signers resourceName=<the signer name> verb=attest.\n\nIf signerName is not empty, then the ClusterTrustBundle object must be named with the signer name as a prefix (translating slashes to colons). For example, for the signer name `example.com/foo`, valid ClusterTrustBundle object names include `example.com:foo:abc` and `example.com:foo:v1`.\n\nIf signerName is empty, then the ClusterTrustBundle object's name must not have such a prefix.\n\nList/watch requests for ClusterTrustBundles can filter on this field using a `spec.signerName=NAME` field selector.",
        |bundle, _| text_or_none(bundle, "/spec/signerName"),
    ),
];

pub(in crate::kinds) const POD_REQUESTS: &[Column] = &[
    NAME,
    Column::new(
        "PodName",
        "podName is the name of the pod into which the certificate will be mounted.",
        |request, _| text(request, "/spec/podName"),
    ),
    Column::new(
        "ServiceAccountName",
        "serviceAccountName is the name of the service account the pod is running as.",
        |request, _| text(request, "/spec/serviceAccountName"),
    ),
    Column::new("NodeName", "nodeName is the name of the node the pod is assigned to.", |request, _| {
        text(request, "/spec/nodeName")
    }),
    Column::new(
        "SignerName",
        "signerName indicates the requested signer.\n\nAll signer names beginning with `kubernetes.io` are reserved for use by the Kubernetes project.  There is currently one well-known signer documented by the Kubernetes project, `kubernetes.io/kube-apiserver-client-pod`, which will issue client certificates understood by kube-apiserver.  It is currently unimplemented.",
        |request, _| text(request, "/spec/signerName"),
    ),
    Column::new("State", "Is the request Pending, Issued, Denied, or Failed?", |request, _| {
        state(&request["status"]).into()
    }),
    Column::new(
        "UnverifiedUserAnnotations",
        "unverifiedUserAnnotations allow pod authors to pass additional information to the signer implementation.  Kubernetes does not restrict or validate this metadata in any way.\n\nEntries are subject to the same validation as object metadata annotations, with the addition that all keys must be domain-prefixed. No restrictions are placed on values, except an overall size limitation on the entire field.\n\nSigners should document the keys and values they support.  Signers should deny requests that contain keys they do not recognize.",
        |request, _| labels(&request["spec"], "unverifiedUserAnnotations").into(),
    ),
];

/// Upstream: `printPodCertificateRequest`.
fn state(status: &Value) -> &'static str {
    let known = ["Issued", "Denied", "Failed"];
    let of = |condition: &Value| known.into_iter().find(|kind| condition["type"] == *kind);
    items(status, "conditions").iter().rev().find_map(of).unwrap_or("Pending")
}

/// Summarizes the conditions, for example as `Approved,Issued`. Upstream: `extractCSRStatus`.
fn condition(status: &Value) -> String {
    let has = |kind: &str| items(status, "conditions").iter().any(|condition| condition["type"] == kind);
    let decided = if has("Denied") {
        "Denied"
    } else if has("Approved") {
        "Approved"
    } else {
        "Pending"
    };
    let failed = if has("Failed") { ",Failed" } else { "" };
    let issued = if status["certificate"].as_str().is_some_and(|bytes| !bytes.is_empty()) { ",Issued" } else { "" };
    format!("{decided}{failed}{issued}")
}
