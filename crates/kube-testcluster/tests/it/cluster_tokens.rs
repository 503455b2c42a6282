//! Tests service account tokens: token requests, token reviews and access reviews.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

async fn with_account() -> Api {
    let api = Api::new(&quiet().start());
    assert_eq!(api.post(ACCOUNTS, &json!({"metadata": {"name": "robot"}})).await.status, 201);
    api
}

/// Requests a token of the account `robot`.
async fn asked(api: &Api, spec: Value) -> Answer {
    api.post(&format!("{ACCOUNTS}/robot/token"), &json!({"spec": spec})).await
}

async fn review(api: &Api, token: &Value) -> Value {
    let review = json!({"spec": {"token": token}});
    let answer = api.post("/apis/authentication.k8s.io/v1/tokenreviews", &review).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    answer.body["status"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_token_authenticates_its_service_account_until_it_expires() {
    let api = with_account().await;
    let answer = asked(&api, json!({"expirationSeconds": 600})).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let token = &answer.body["status"]["token"];
    assert_eq!(answer.body["kind"], "TokenRequest");
    assert_eq!(answer.body["status"]["expirationTimestamp"], "2023-05-01T10:10:00Z");
    let known = review(&api, token).await;
    assert_eq!(known["authenticated"], true);
    assert_eq!(known["user"]["username"], "system:serviceaccount:default:robot");
    let forged = format!("{}x", token.as_str().unwrap());
    assert_eq!(review(&api, &json!(forged)).await["authenticated"], json!(null));
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(review(&api, token).await["authenticated"], json!(null));
}

#[tokio::test(start_paused = true)]
async fn a_token_is_invalid_once_its_account_is_deleted() {
    let api = with_account().await;
    let token = asked(&api, json!({})).await.body["status"]["token"].clone();
    assert_eq!(review(&api, &token).await["authenticated"], true);
    api.delete(&format!("{ACCOUNTS}/robot")).await;
    assert_eq!(review(&api, &token).await["authenticated"], json!(null));
}

#[tokio::test(start_paused = true)]
async fn invalid_token_requests_are_refused() {
    let api = with_account().await;
    let short = asked(&api, json!({"expirationSeconds": 5})).await;
    assert_eq!(short.status, 422);
    assert!(short.message().contains("may not specify a duration less than 10 minutes"), "{}", short.message());
    let missing = api.post(&format!("{ACCOUNTS}/missing/token"), &json!({})).await;
    assert_eq!((missing.status, missing.message()), (404, "serviceaccounts \"missing\" not found"));
    let bound = asked(&api, json!({"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "p"}})).await;
    assert_eq!((bound.status, bound.message()), (404, "pods \"p\" not found"));
}

#[tokio::test(start_paused = true)]
async fn access_reviews_allow_everything_by_default() {
    let api = with_account().await;
    let spec =
        json!({"user": "jane", "resourceAttributes": {"verb": "get", "resource": "pods", "namespace": "default"}});
    for path in ["subjectaccessreviews", "namespaces/default/localsubjectaccessreviews"] {
        let answer = api.post(&format!("/apis/authorization.k8s.io/v1/{path}"), &json!({"spec": spec})).await;
        assert_eq!((answer.status, &answer.body["status"]), (201, &json!({"allowed": true})), "{}", answer.body);
    }
    let without_user = json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    assert_eq!(api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", &without_user).await.status, 422);
    let elsewhere = "/apis/authorization.k8s.io/v1/namespaces/kube-system/localsubjectaccessreviews";
    assert_eq!(api.post(elsewhere, &json!({"spec": spec})).await.status, 422);
}
