//! Tests the controllers that approve and delete CertificateSigningRequests.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube_testcluster::{Admission, Authorization, Cluster, ClusterBuilder, User};
use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::seconds;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";
const KUBELET: &str = "kubernetes.io/kube-apiserver-client-kubelet";

/// A request of a kubelet: O=system:nodes, CN=system:node:a.
const NODE: &str = "-----BEGIN CERTIFICATE REQUEST-----
MIHpMIGRAgEAMC8xFTATBgNVBAoMDHN5c3RlbTpub2RlczEWMBQGA1UEAwwNc3lz
dGVtOm5vZGU6YTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCkh7FP5a7aPWMmb
uani024g3+h7zouLB+ZiuMFIZPD5Im8E4ppNnhlt+9l1NSuiIeYgs5v6G26c9D4j
kMXRhM+gADAKBggqhkjOPQQDAgNHADBEAiB6EsDFSZAt06PbbU4O9DcLFCwI58XY
gCWywr+s4opNxAIgN6lj7nOtdZar0gV+cbbWCQGgwnt5oi68btoRrnQzgCA=
-----END CERTIFICATE REQUEST-----
";

/// Returns the builder of a cluster whose watches have no bookmarks, because the tests let days pass.
fn builder() -> ClusterBuilder {
    let builder = Cluster::builder().nodes(0).bookmark_period(Duration::from_secs(1_000_000));
    builder.started_at("2023-05-01T10:00:00Z".parse().unwrap())
}

fn request(signer: &str, usages: &[&str]) -> Value {
    let spec = json!({"request": STANDARD.encode(NODE), "signerName": signer, "usages": usages});
    json!({"metadata": {"name": "a"}, "spec": spec})
}

async fn conditions(api: &Api) -> Value {
    api.get(&format!("{REQUESTS}/a")).await.body["status"]["conditions"].clone()
}

async fn decide(api: &Api, condition: &str) {
    let condition = json!({"type": condition, "status": "True", "reason": "Test", "message": ""});
    let approval = json!({"status": {"conditions": [condition]}});
    assert_eq!(api.merge(&format!("{REQUESTS}/a/approval"), &approval).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn the_request_of_a_kubelet_for_its_client_certificate_is_approved() {
    let cluster = builder().start();
    let node = Api::from_router(cluster.router_as(User::new("system:node:a", ["system:nodes"])));
    node.created(REQUESTS, &request(KUBELET, &["client auth", "digital signature"])).await;
    seconds(3).await;
    let own = "Auto approving self kubelet client certificate after SubjectAccessReview.";
    assert_eq!(
        conditions(&node).await,
        json!([{
            "type": "Approved", "status": "True", "reason": "AutoApproved", "message": own,
            "lastUpdateTime": "2023-05-01T10:00:00Z", "lastTransitionTime": "2023-05-01T10:00:00Z",
        }])
    );
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn other_requests_wait_for_an_administrator() {
    let cluster = builder().start();
    let api = Api::new(&cluster);
    for (signer, usages) in [
        ("example.com/a", &["client auth", "digital signature"][..]),
        ("kubernetes.io/kubelet-serving", &["digital signature", "server auth"]),
        (KUBELET, &["client auth"]),
    ] {
        api.created(REQUESTS, &request(signer, usages)).await;
        seconds(60).await;
        assert_eq!(conditions(&api).await, Value::Null, "{signer}");
        api.delete(&format!("{REQUESTS}/a")).await;
    }
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn with_rbac_the_requester_needs_the_right() {
    let cluster = builder().authorization(Authorization::Rbac).admission(Admission::Kube).start();
    let admin = Api::new(&cluster);
    let rules = json!([
        {"verbs": ["create"], "apiGroups": ["certificates.k8s.io"], "resources": ["certificatesigningrequests"]},
    ]);
    let role = json!({"metadata": {"name": "requesters"}, "rules": rules});
    admin.created(&format!("{RBAC}/clusterroles"), &role).await;
    for role in ["requesters", "system:certificates.k8s.io:certificatesigningrequests:nodeclient"] {
        let bootstrapper = Api::from_router(cluster.router_as(User::new("bootstrapper", ["joining"])));
        let binding = json!({"metadata": {"name": role}, "subjects": [{"kind": "Group", "name": "joining"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role}});
        admin.created(&format!("{RBAC}/clusterrolebindings"), &binding).await;
        admin.delete(&format!("{REQUESTS}/a")).await;
        bootstrapper.created(REQUESTS, &request(KUBELET, &["client auth", "digital signature"])).await;
        seconds(60).await;
        let approved = conditions(&admin).await[0]["message"].clone();
        let message = "Auto approving kubelet client certificate after SubjectAccessReview.";
        assert_eq!(approved, if role == "requesters" { Value::Null } else { json!(message) });
    }
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_denied_request_is_deleted_after_an_hour_and_one_that_waits_after_a_day() {
    let cluster = builder().start();
    let api = Api::new(&cluster);
    for (condition, hours) in [(None, 24), (Some("Denied"), 1), (Some("Approved"), 24)] {
        api.created(REQUESTS, &request("example.com/a", &["client auth"])).await;
        if let Some(condition) = condition {
            decide(&api, condition).await;
        }
        seconds(hours * 3600 - 1).await;
        assert_eq!(api.get(&format!("{REQUESTS}/a")).await.status, 200, "{condition:?}");
        seconds(3).await;
        assert_eq!(api.get(&format!("{REQUESTS}/a")).await.status, 404, "{condition:?}");
    }
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_request_with_a_certificate_is_deleted_after_an_hour() {
    let cluster = builder().start();
    let api = Api::new(&cluster);
    api.created(REQUESTS, &request("example.com/a", &["client auth"])).await;
    decide(&api, "Approved").await;
    let certificate = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
    let status = json!({"status": {"certificate": STANDARD.encode(certificate)}});
    let signed = api.merge(&format!("{REQUESTS}/a/status"), &status).await;
    assert_eq!(signed.status, 200, "{}", signed.body);
    seconds(3599).await;
    assert_eq!(api.get(&format!("{REQUESTS}/a")).await.status, 200);
    seconds(3).await;
    assert_eq!(api.get(&format!("{REQUESTS}/a")).await.status, 404);
    cluster.shutdown().await;
}
