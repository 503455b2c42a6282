//! Tests that the cluster's authority signs approved requests for certificates, over real TLS connections.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube_testcluster::{Cluster, KeyPair};
use serde_json::{Value, json};

use crate::cluster_secure_serving::Served;
use crate::support::api::Api;

const REQUESTS: &str = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const API_SERVER_CLIENT: &str = "kubernetes.io/kube-apiserver-client";

/// A request of the user `ada`: O=developers, O=testers, CN=ada, with names of all types.
const ADA: &str = "-----BEGIN CERTIFICATE REQUEST-----
MIIBITCByAIBADA1MRMwEQYDVQQKDApkZXZlbG9wZXJzMRAwDgYDVQQKDAd0ZXN0
ZXJzMQwwCgYDVQQDDANhZGEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQpIexT
+Wu2j1jJm7mp4tNuIN/oe86LiwfmYrjBSGTw+SJvBOKaTZ4ZbfvZdTUroiHmILOb
+htunPQ+I5DF0YTPoDEwLwYJKoZIhvcNAQkOMSIwIDAeBgNVHREEFzAVggN3ZWKH
BAoAAAGGA3U6eIEDYUBiMAoGCCqGSM49BAMCA0gAMEUCIQDUK3EM4ZMup+s5baWM
LR10R/sFKQWH9k/8gjJ8e0sFMQIgOlSvfuEBWIvCkJabmOSO/VOxAmDZY6K6hivd
0aFnsOc=
-----END CERTIFICATE REQUEST-----
";

/// The private key of the request, which protects nothing.
const KEY: &str = "-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTQHJk5J1IkHFuA0n
J7Od4OQKIFTNQ9qDd7pdvLHItTShRANCAAQpIexT+Wu2j1jJm7mp4tNuIN/oe86L
iwfmYrjBSGTw+SJvBOKaTZ4ZbfvZdTUroiHmILOb+htunPQ+I5DF0YTP
-----END PRIVATE KEY-----
";

/// Creates and approves a request, and returns it as soon as the signer has written its status.
async fn approved(api: &Api, name: &str, signer: &str, usages: &[&str]) -> Value {
    let spec = json!({"request": STANDARD.encode(ADA), "signerName": signer, "usages": usages});
    api.created(REQUESTS, &json!({"metadata": {"name": name}, "spec": spec})).await;
    let condition = json!({"type": "Approved", "status": "True", "reason": "Test", "message": ""});
    let approval = json!({"status": {"conditions": [condition]}});
    assert_eq!(api.merge(&format!("{REQUESTS}/{name}/approval"), &approval).await.status, 200);
    let mut watch = api.watch_at(&format!("{REQUESTS}?watch=true&fieldSelector=metadata.name%3D{name}")).await;
    loop {
        let request = watch.next().await.unwrap()["object"].clone();
        let status = &request["status"];
        if status["certificate"].is_string() || status["conditions"][1].is_object() {
            return request;
        }
    }
}

#[tokio::test]
async fn the_certificate_of_an_approved_request_authenticates_its_user_and_groups() {
    let served = Served::with(Cluster::builder().nodes(0));
    let api = Api::new(&served.cluster);
    let request = approved(&api, "a", API_SERVER_CLIENT, &["client auth", "digital signature"]).await;
    let certificate = STANDARD.decode(request["status"]["certificate"].as_str().unwrap()).unwrap();
    let pair = KeyPair { certificate: String::from_utf8(certificate).unwrap(), key: KEY.to_owned() };
    let user = served.user_info(Some(&pair), None).await;
    assert_eq!(
        (&user["username"], &user["groups"]),
        (&json!("ada"), &json!(["developers", "testers", "system:authenticated"]))
    );
    served.cluster.shutdown().await;
}

#[tokio::test]
async fn a_request_that_the_signer_does_not_allow_fails_with_the_reason() {
    let served = Served::with(Cluster::builder().nodes(0));
    let api = Api::new(&served.cluster);
    for (name, signer, usages, why) in [
        ("a", API_SERVER_CLIENT, ["server auth"], "invalid usage for client certificate: server auth"),
        ("b", API_SERVER_CLIENT, ["digital signature"], "missing required usage for client certificate: client auth"),
        ("c", "kubernetes.io/kubelet-serving", ["server auth"], "subject organization is not system:nodes"),
    ] {
        let request = approved(&api, name, signer, &usages).await;
        let failed = &request["status"]["conditions"][1];
        let said = ["type", "status", "reason", "message"].map(|field| failed[field].as_str().unwrap());
        assert_eq!(said, ["Failed", "True", "SignerValidationFailure", why]);
        assert_eq!(request["status"]["certificate"], Value::Null);
    }
    served.cluster.shutdown().await;
}
