//! Tests the tokens of service accounts in Secrets.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube_testcluster::{Admission, Cluster};
use serde_json::{Value, json};

#[cfg(feature = "tls")]
use crate::cluster_data::Folder;
#[cfg(feature = "tls")]
use crate::cluster_secure_serving::Served;
use crate::support::api::Api;

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";
const REVIEWS: &str = "/apis/authentication.k8s.io/v1/tokenreviews";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().admission(Admission::Kube).nodes(0).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn secret(account: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/service-account-token",
        "metadata": {"name": "robot-token", "annotations": {"kubernetes.io/service-account.name": account}},
    })
}

fn account() -> Value {
    json!({"metadata": {"name": "robot"}, "secrets": [{"name": "robot-token"}, {"name": "other"}]})
}

/// Creates the account and its Secret, and returns the completed Secret.
async fn completed(cluster: &Cluster, api: &Api) -> Value {
    api.created(ACCOUNTS, &account()).await;
    api.created(SECRETS, &secret("robot")).await;
    cluster.settled().await;
    api.get(&format!("{SECRETS}/robot-token")).await.body
}

fn token(secret: &Value) -> String {
    String::from_utf8(STANDARD.decode(secret["data"]["token"].as_str().unwrap()).unwrap()).unwrap()
}

async fn review(api: &Api, token: &str) -> Value {
    api.post(REVIEWS, &json!({"spec": {"token": token}})).await.body["status"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_secret_gets_the_token_and_the_namespace_of_its_account() {
    let (cluster, api) = running();
    let secret = completed(&cluster, &api).await;
    let account = api.get(&format!("{ACCOUNTS}/robot")).await.body;
    let uid = account["metadata"]["uid"].clone();
    assert_eq!(secret["metadata"]["annotations"]["kubernetes.io/service-account.uid"], uid);
    assert_eq!(secret["data"]["namespace"], STANDARD.encode("default"));
    assert_eq!(secret["data"]["ca.crt"], Value::Null, "without TLS there is no authority");
    let reviewed = review(&api, &token(&secret)).await;
    let user = &reviewed["user"];
    let name = "system:serviceaccount:default:robot";
    assert_eq!((&reviewed["authenticated"], &user["username"], &user["uid"]), (&json!(true), &json!(name), &uid));

    let version = secret["metadata"]["resourceVersion"].clone();
    let label = json!({"metadata": {"labels": {"mine": "yes"}}});
    let labelled = api.merge(&format!("{SECRETS}/robot-token"), &label).await;
    assert_ne!(labelled.body["metadata"]["resourceVersion"], version);
    cluster.settled().await;
    let same = api.get(&format!("{SECRETS}/robot-token")).await.body;
    assert_eq!((&same["data"], &same["metadata"]["labels"]["mine"]), (&secret["data"], &json!("yes")));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_removed_token_is_made_again_and_the_old_one_is_not_valid() {
    let (cluster, api) = running();
    let before = token(&completed(&cluster, &api).await);
    api.merge(&format!("{SECRETS}/robot-token"), &json!({"data": {"token": null, "own": "AAAA"}})).await;
    cluster.settled().await;
    let secret = api.get(&format!("{SECRETS}/robot-token")).await.body;
    assert_eq!((token(&secret), &secret["data"]["own"]), (before, &json!("AAAA")), "its claims are the same");

    let old = token(&secret);
    let other = json!({"data": {"token": STANDARD.encode("of a user")}});
    api.merge(&format!("{SECRETS}/robot-token"), &other).await;
    cluster.settled().await;
    assert_eq!(review(&api, &old).await["authenticated"], Value::Null);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_secret_whose_account_does_not_exist_is_deleted() {
    let (cluster, api) = running();
    api.created(SECRETS, &secret("missing")).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{SECRETS}/robot-token")).await.status, 404);

    let mut of_another = secret("default");
    of_another["metadata"]["annotations"]["kubernetes.io/service-account.uid"] = json!("another");
    api.created(SECRETS, &of_another).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{SECRETS}/robot-token")).await.status, 404);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn tokens_end_with_their_account_and_with_their_secret() {
    let (cluster, api) = running();
    let old = token(&completed(&cluster, &api).await);
    api.delete(&format!("{SECRETS}/robot-token")).await;
    cluster.settled().await;
    assert_eq!(review(&api, &old).await["authenticated"], Value::Null);
    let references = api.get(&format!("{ACCOUNTS}/robot")).await.body["secrets"].clone();
    assert_eq!(references, json!([{"name": "other"}]), "the account does not refer to it any more");

    api.created(SECRETS, &secret("robot")).await;
    let mut other = secret("default");
    other["metadata"]["name"] = json!("other");
    api.created(SECRETS, &other).await;
    cluster.settled().await;
    api.delete(&format!("{ACCOUNTS}/robot")).await;
    cluster.settled().await;
    assert_eq!(api.get(SECRETS).await.names(), ["other"]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_account_of_the_same_name_keeps_its_reference_to_a_secret_of_the_earlier_account() {
    let (cluster, api) = running();
    completed(&cluster, &api).await;
    api.delete(&format!("{ACCOUNTS}/robot")).await;
    api.created(ACCOUNTS, &account()).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{SECRETS}/robot-token")).await.status, 404);
    assert_eq!(api.get(&format!("{ACCOUNTS}/robot")).await.body["secrets"], account()["secrets"]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_token_is_not_valid_while_its_secret_is_marked_as_invalid() {
    let (cluster, api) = running();
    let token = token(&completed(&cluster, &api).await);
    for (since, is_valid) in [("2026-01-01", Value::Null), ("", json!(true))] {
        let label = json!({"metadata": {"labels": {"kubernetes.io/legacy-token-invalid-since": since}}});
        assert_eq!(api.merge(&format!("{SECRETS}/robot-token"), &label).await.status, 200);
        assert_eq!(review(&api, &token).await["authenticated"], is_valid, "{since:?}");
    }
    cluster.shutdown().await;
}

/// Returns the user that a TLS listener recognizes by the token of a Secret, which also has the authority.
#[cfg(feature = "tls")]
async fn user_of(served: &Served, secret: &Value) -> Value {
    let certificate = STANDARD.decode(secret["data"]["ca.crt"].as_str().unwrap()).unwrap();
    assert!(certificate.starts_with(b"-----BEGIN CERTIFICATE-----"), "{secret}");
    let user = served.user_info(None, Some(&token(secret))).await;
    assert_eq!(user["username"], "system:serviceaccount:default:robot");
    user
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_secret_gets_the_authority_and_a_valid_token_when_the_cluster_is_served_with_tls() {
    let (cluster, api) = running();
    let before = completed(&cluster, &api).await;
    let of_a_user = json!({"data": {"token": STANDARD.encode("of a user")}});
    let mut other = secret("robot");
    other["metadata"]["name"] = json!("other");
    other["data"] = of_a_user["data"].clone();
    api.created(SECRETS, &other).await;
    let served = Served::of(cluster);
    served.cluster.settled().await;
    let after = api.get(&format!("{SECRETS}/robot-token")).await.body;
    user_of(&served, &after).await;
    assert_eq!(served.user_info(None, Some(&token(&before))).await, Value::Null);
    let other = api.get(&format!("{SECRETS}/other")).await.body;
    assert_eq!(token(&other), "of a user", "only tokens of the server are replaced");
    served.cluster.shutdown().await;
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn a_secret_of_an_earlier_run_gets_a_valid_token_when_the_cluster_is_served_with_another_key() {
    let folder = Folder::new("tokens-without-tls");
    let cluster = || Cluster::builder().admission(Admission::Kube).nodes(0).start_in(&folder.0).unwrap();
    let without_tls = cluster();
    completed(&without_tls, &Api::new(&without_tls)).await;
    without_tls.shutdown().await;
    for _ in 0..2 {
        let served = Served::of(cluster()); // each listener has a random key
        served.cluster.settled().await;
        let secret = Api::new(&served.cluster).get(&format!("{SECRETS}/robot-token")).await.body;
        user_of(&served, &secret).await;
        served.cluster.shutdown().await;
    }
}

#[cfg(feature = "tls")]
#[tokio::test]
async fn with_tls_the_secret_has_the_authority_and_its_token_authenticates() {
    let served = Served::with(Cluster::builder().admission(Admission::Kube).nodes(0));
    let secret = completed(&served.cluster, &Api::new(&served.cluster)).await;
    let user = user_of(&served, &secret).await;
    assert!(user["groups"].as_array().unwrap().contains(&json!("system:serviceaccounts:default")), "{user}");
    served.cluster.shutdown().await;
}
