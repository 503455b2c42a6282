//! Tests the permissions to request, approve and sign certificates. Upstream: `plugin/pkg/admission/certificates`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube_testcluster::{Admission, Authorization, Cluster, User};
use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};
use crate::support::authority::AUTHORITY;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

/// A request of the user `ada` in the group `developers`: O=developers, CN=ada.
const DEVELOPER: &str = "-----BEGIN CERTIFICATE REQUEST-----
MIHeMIGFAgEAMCMxEzARBgNVBAoMCmRldmVsb3BlcnMxDDAKBgNVBAMMA2FkYTBZ
MBMGByqGSM49AgEGCCqGSM49AwEHA0IABGJgcz3+TI+rEjISZa+jI8jNNND9E/5W
SxDcpvXvUwR8cLAVJ5QgwmQGncQQlgdfzqUPTOeNJyHg7ATOZ0QhTRSgADAKBggq
hkjOPQQDAgNIADBFAiA4rVMeWlEKrzzeHEKJ7X7ZbMM/8zB0GumtZEvA9WPvlAIh
AOLpE7jMaeqod6Ul+U/ncK8MNCTJxEq66G8MJB/pl1ZM
-----END CERTIFICATE REQUEST-----
";

/// A request of the user `eve` in the privileged group: O=system:masters, CN=eve.
const MASTER: &str = "-----BEGIN CERTIFICATE REQUEST-----
MIHhMIGJAgEAMCcxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQwwCgYDVQQDDANl
dmUwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQJC7JwI55aQ1FR917eTHA12Hjw
paDcci51cuvmop+wMoJvwuSTvdwyRi3FG1VPI8JmRbroVp+LfKYOwRw5X2JFoAAw
CgYIKoZIzj0EAwIDRwAwRAIgHHVUiFLQgEdTd/n5eXHxB0GR9PPFbfOsVq1FqboS
cQ4CIFfCqskSalIb1X5OJUk3DaZVwEFAKFHiq9IwtorPz3bT
-----END CERTIFICATE REQUEST-----
";

fn request(name: &str, signer: &str, pem: &str) -> Value {
    let spec = json!({"request": STANDARD.encode(pem), "signerName": signer, "usages": ["client auth"]});
    json!({"metadata": {"name": name}, "spec": spec})
}

/// Starts a cluster with RBAC. The returned client is the user `ada`. Its role permits all writes of certificate
/// requests, and the given verb on the given signers.
async fn guarded(verb: &str, signers: &[&str]) -> (Cluster, Api) {
    let cluster = quiet().authorization(Authorization::Rbac).admission(Admission::Kube).start();
    let admin = Api::new(&cluster);
    let group = json!(["certificates.k8s.io"]);
    let parts = ["", "/approval", "/status"].map(|part| format!("certificatesigningrequests{part}"));
    let rules = json!([
        {"verbs": ["*"], "apiGroups": group, "resources": parts},
        {"verbs": [verb], "apiGroups": group, "resources": ["signers"], "resourceNames": signers},
    ]);
    let role = json!({"metadata": {"name": "certificates"}, "rules": rules});
    assert_eq!(admin.post(&format!("{RBAC}/clusterroles"), &role).await.status, 201);
    let binding = json!({"metadata": {"name": "certificates"}, "subjects": [{"kind": "User", "name": "ada"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "certificates"}});
    assert_eq!(admin.post(&format!("{RBAC}/clusterrolebindings"), &binding).await.status, 201);
    for (name, signer) in [("a", "example.com/a"), ("b", "example.com/b"), ("other", "example.org/a")] {
        assert_eq!(admin.post(REQUESTS, &request(name, signer, DEVELOPER)).await.status, 201);
    }
    let ada = Api::from_router(cluster.router_as(User::new("ada", ["developers"])));
    (cluster, ada)
}

async fn approve(api: &Api, name: &str) -> Answer {
    let condition = json!({"type": "Approved", "status": "True", "reason": "a", "message": ""});
    api.merge(&format!("{REQUESTS}/{name}/approval"), &json!({"status": {"conditions": [condition]}})).await
}

/// Writes to `/status` of a request, as the controller of a signer does.
async fn fail(api: &Api, name: &str) -> Answer {
    let condition = json!({"type": "Failed", "status": "True", "reason": "a", "message": ""});
    api.merge(&format!("{REQUESTS}/{name}/status"), &json!({"status": {"conditions": [condition]}})).await
}

#[tokio::test(start_paused = true)]
async fn approving_needs_the_approve_verb_on_the_signer() {
    let (_cluster, ada) = guarded("approve", &["example.com/a"]).await;
    assert_eq!(approve(&ada, "a").await.status, 200);
    let refused = approve(&ada, "b").await;
    let why = "certificatesigningrequests.certificates.k8s.io \"b\" is forbidden: user not permitted to approve requests with \
               signerName \"example.com/b\"";
    assert_eq!((refused.status, refused.message()), (403, why));
    let labels = json!({"metadata": {"labels": {"a": "b"}}});
    assert_eq!(
        ada.merge(&format!("{REQUESTS}/b"), &labels).await.status,
        200,
        "writing the request itself is not an approval"
    );
}

#[tokio::test(start_paused = true)]
async fn the_verb_may_be_granted_for_all_signers_of_a_domain() {
    let (_cluster, ada) = guarded("approve", &["example.com/*"]).await;
    let codes = [approve(&ada, "a").await.status, approve(&ada, "b").await.status, approve(&ada, "other").await.status];
    assert_eq!(codes, [200, 200, 403]);
}

#[tokio::test(start_paused = true)]
async fn signing_needs_the_sign_verb_on_the_signer() {
    let (_cluster, ada) = guarded("sign", &["example.com/a"]).await;
    assert_eq!((approve(&ada, "a").await.status, fail(&ada, "a").await.status), (403, 200));
    let refused = fail(&ada, "b").await;
    let why = "certificatesigningrequests.certificates.k8s.io \"b\" is forbidden: user not permitted to sign requests with \
               signerName \"example.com/b\"";
    assert_eq!((refused.status, refused.message()), (403, why));
    let nothing = json!({"status": {"conditions": []}});
    let kept = ada.merge(&format!("{REQUESTS}/b/status"), &nothing).await;
    assert_eq!(kept.status, 200, "a write without changes needs no permission: {}", kept.body);
}

#[tokio::test(start_paused = true)]
async fn a_client_certificate_for_system_masters_is_refused() {
    let api = Api::new(&quiet().start());
    let client = "kubernetes.io/kube-apiserver-client";
    let refused = api.post(REQUESTS, &request("eve", client, MASTER)).await;
    let why = "certificatesigningrequests.certificates.k8s.io \"eve\" is forbidden: use of kubernetes.io/kube-apiserver-client \
               signer with system:masters group is not allowed";
    assert_eq!((refused.status, refused.message()), (403, why));
    assert_eq!(api.post(REQUESTS, &request("ada", client, DEVELOPER)).await.status, 201);
    assert_eq!(api.post(REQUESTS, &request("eve", "example.com/a", MASTER)).await.status, 201);
}

/// A role and a binding for the user `ada` with these rules.
async fn permit(admin: &Api, name: &str, rules: &Value) {
    let role = json!({"metadata": {"name": name}, "rules": rules});
    assert_eq!(admin.post(&format!("{RBAC}/clusterroles"), &role).await.status, 201);
    let binding = json!({"metadata": {"name": name}, "subjects": [{"kind": "User", "name": "ada"}],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}});
    assert_eq!(admin.post(&format!("{RBAC}/clusterrolebindings"), &binding).await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn a_trust_bundle_of_a_signer_needs_the_attest_verb_on_it() {
    const BUNDLES: &str = "/apis/certificates.k8s.io/v1/clustertrustbundles";
    let (cluster, ada) = guarded("approve", &[]).await;
    let admin = Api::new(&cluster);
    permit(
        &admin,
        "bundles",
        &json!([{"verbs": ["*"], "apiGroups": ["certificates.k8s.io"], "resources": ["clustertrustbundles"]}]),
    )
    .await;
    let bundle = |name: &str, signer: Value| json!({"metadata": {"name": name}, "spec": {"trustBundle": AUTHORITY, "signerName": signer}});
    assert_eq!(ada.post(BUNDLES, &bundle("plain", Value::Null)).await.status, 201, "it has no signer");
    let signed = bundle("example.com:a:x", json!("example.com/a"));
    let refused = ada.post(BUNDLES, &signed).await;
    let why = "clustertrustbundles.certificates.k8s.io \"example.com:a:x\" is forbidden: user not permitted to attest for \
               signerName \"example.com/a\"";
    assert_eq!((refused.status, refused.message()), (403, why));
    assert_eq!(admin.post(BUNDLES, &signed).await.status, 201);
    let path = format!("{BUNDLES}/example.com:a:x");
    let owned = json!({"metadata": {"finalizers": ["example.com/f"]}});
    assert_eq!(ada.merge(&path, &owned).await.status, 200, "finalizers need no right for the signer");
    let labels = json!({"metadata": {"labels": {"a": "b"}}});
    assert_eq!(ada.merge(&path, &labels).await.status, 403);
    permit(&admin, "attest", &json!([{"verbs": ["attest"], "apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "resourceNames": ["example.com/*"]}])).await;
    assert_eq!(ada.merge(&path, &labels).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_pods_certificate_request_needs_the_sign_verb_on_its_signer() {
    const OF_PODS: &str = "/apis/certificates.k8s.io/v1/namespaces/default/podcertificaterequests";
    let (cluster, ada) = guarded("approve", &[]).await;
    let admin = Api::new(&cluster);
    permit(&admin, "requests", &json!([{"verbs": ["*"], "apiGroups": ["certificates.k8s.io"], "resources": ["podcertificaterequests/status"]}])).await;
    let der = DEVELOPER.lines().filter(|line| !line.starts_with('-')).collect::<String>();
    let spec = json!({"signerName": "example.com/a", "podName": "p", "podUID": "u", "serviceAccountName": "s", "serviceAccountUID": "u",
        "nodeName": "n", "nodeUID": "u", "stubPKCS10Request": der});
    let created = admin.post(OF_PODS, &json!({"metadata": {"name": "a"}, "spec": spec})).await;
    assert_eq!(
        (created.status, &created.body["spec"]["maxExpirationSeconds"]),
        (201, &json!(86400)),
        "{}",
        created.body
    );
    let condition = json!({"type": "Denied", "status": "True", "reason": "r", "message": "", "lastTransitionTime": "2025-01-01T00:00:00Z"});
    let denied = json!({"status": {"conditions": [condition]}});
    let path = format!("{OF_PODS}/a/status");
    let refused = ada.merge(&path, &denied).await;
    let why = "PodCertificateRequest.certificates.k8s.io \"a\" is invalid: spec.signerName: Forbidden: User \"ada\" is not permitted \
               to \"sign\" for signer \"example.com/a\"";
    assert_eq!((refused.status, refused.message()), (422, why));
    permit(&admin, "sign", &json!([{"verbs": ["sign"], "apiGroups": ["certificates.k8s.io"], "resources": ["signers"], "resourceNames": ["example.com/a"]}])).await;
    assert_eq!(ada.merge(&path, &denied).await.status, 200);
}
