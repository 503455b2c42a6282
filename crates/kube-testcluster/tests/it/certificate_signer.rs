//! Tests that the cluster's authority signs approved requests for certificates, over real TLS connections.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube_testcluster::{Cluster, KeyPair};
use serde_json::{Value, json};
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

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

/// A request with the same key, of CN=ada. Between the names of the types above it has the names `hidden` of the types
/// otherName and directoryName, and after them `hidden` once more.
const HIDDEN: &str = "-----BEGIN CERTIFICATE REQUEST-----
MIIBQjCB6AIBADAOMQwwCgYDVQQDDANhZGEwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAQpIexT+Wu2j1jJm7mp4tNuIN/oe86LiwfmYrjBSGTw+SJvBOKaTZ4ZbfvZ
dTUroiHmILOb+htunPQ+I5DF0YTPoHgwdgYJKoZIhvcNAQkOMWkwZzBlBgNVHREE
XjBUhgN1OnigFgYKKwYBBAGCNxQCA6AIDAZoaWRkZW6HBAoAAAGCA3dlYqQTMBEx
DzANBgNVBAMMBmhpZGRlboEDYUBihxAAAAAAAAAAAAAA//8KAAACDAZoaWRkZW4w
CgYIKoZIzj0EAwIDSQAwRgIhAL5jF5oDTni8xt+WfhbBp4vsq5Th7Iu+ZLLKEh0t
xVdIAiEAl4ouXxyDf6CqwrLNSfLAxOeIcrfc7/lSEuLHsOhNchQ=
-----END CERTIFICATE REQUEST-----
";

/// Creates and approves the request of `ada`, and returns it as soon as the signer has written its status.
async fn approved(api: &Api, name: &str, signer: &str, usages: &[&str]) -> Value {
    approved_text(api, name, ADA, signer, usages).await
}

/// Creates and approves a request, and returns it as soon as the signer has written its status.
async fn approved_text(api: &Api, name: &str, text: &str, signer: &str, usages: &[&str]) -> Value {
    let spec = json!({"request": STANDARD.encode(text), "signerName": signer, "usages": usages});
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

/// Returns the certificate of a request with its key.
fn pair(request: &Value) -> KeyPair {
    let certificate = STANDARD.decode(request["status"]["certificate"].as_str().unwrap()).unwrap();
    KeyPair { certificate: String::from_utf8(certificate).unwrap(), key: KEY.to_owned() }
}

#[tokio::test]
async fn the_certificate_of_an_approved_request_authenticates_its_user_and_groups() {
    let served = Served::with(Cluster::builder().nodes(0));
    let api = Api::new(&served.cluster);
    let request = approved(&api, "a", API_SERVER_CLIENT, &["client auth", "digital signature"]).await;
    let pair = pair(&request);
    let user = served.user_info(Some(&pair), None).await;
    assert_eq!(
        (&user["username"], &user["groups"]),
        (&json!("ada"), &json!(["developers", "testers", "system:authenticated"]))
    );
    served.cluster.shutdown().await;
}

#[tokio::test]
async fn a_certificate_has_only_the_names_that_the_controllers_check() {
    let served = Served::with(Cluster::builder().nodes(0));
    let api = Api::new(&served.cluster);
    let request = approved_text(&api, "a", HIDDEN, API_SERVER_CLIENT, &["client auth"]).await;
    let certificate = CertificateDer::from_pem_slice(pair(&request).certificate.as_bytes()).unwrap();
    let has = |part: &[u8]| certificate.windows(part.len()).any(|window| window == part);
    // In Go's order, and the second address in its short form.
    let names = b"\x82\x03web\x81\x03a@b\x87\x04\x0a\0\0\x01\x87\x04\x0a\0\0\x02\x86\x03u:x";
    let length = u8::try_from(names.len()).unwrap();
    assert!(has(&[&[0x55, 0x1d, 0x11, 0x04, length + 2, 0x30, length], &names[..]].concat()));
    assert!(!has(b"hidden"));
    served.cluster.shutdown().await;
}

#[tokio::test]
async fn the_first_authority_signs_although_a_second_listener_has_another_one() {
    // The second authority is there before the signer has started.
    let served = Served::with(Cluster::builder().nodes(0)).and_with_another_authority();
    let api = Api::new(&served.cluster);
    let request = approved(&api, "a", API_SERVER_CLIENT, &["client auth"]).await;
    assert_eq!(served.user_info(Some(&pair(&request)), None).await["username"], "ada");
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
