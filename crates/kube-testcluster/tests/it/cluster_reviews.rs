//! Tests access reviews and user reviews, which are answered and not stored.

use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const ACCESS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
const RULES: &str = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews";
const SELF: &str = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

#[tokio::test(start_paused = true)]
async fn by_default_everything_is_allowed() {
    let api = Api::new(&quiet().start());
    let asked = json!({"resourceAttributes": {"namespace": "default", "verb": "create", "resource": "pods"}});
    let answer = api.post(ACCESS, &json!({"spec": asked})).await;
    let expected = json!({
        "kind": "SelfSubjectAccessReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {}, "spec": asked,
        "status": {"allowed": true},
    });
    assert_eq!((answer.status, answer.body), (201, expected));
    // The body that kubectl 1.37 sends for `auth can-i get pods`.
    let body = b"k8s\0\n2\n\x17authorization.k8s.io/v1\x12\x17SelfSubjectAccessReview\x12<\n\x10\n\0\x12\0\x1a\0\"\0*\x002\08\0B\0\x12\x1e\n\x1c\n\x07default\x12\x03get\x1a\0\"\0*\x04pods2\0:\0\x1a\x08\x08\0\x12\0\x1a\0 \0\x1a\0\"\0";
    let answer = api.send("POST", ACCESS, "application/vnd.kubernetes.protobuf", &body[..]).await;
    assert_eq!((answer.status, &answer.body["status"]), (201, &json!({"allowed": true})), "{}", answer.body);
    assert_eq!(answer.body["spec"]["resourceAttributes"]["resource"], "pods");
    let rules = api.post(RULES, &json!({"spec": {"namespace": "default"}})).await;
    let expected = json!({
        "kind": "SelfSubjectRulesReview", "apiVersion": "authorization.k8s.io/v1", "metadata": {}, "spec": {},
        "status": {
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}], "incomplete": false,
        },
    });
    assert_eq!((rules.status, rules.body), (201, expected));
}

#[tokio::test(start_paused = true)]
async fn by_default_everyone_is_anonymous() {
    let api = Api::new(&quiet().start());
    let answer = api.post(SELF, &json!({})).await;
    let expected = json!({
        "kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1",
        "metadata": {"creationTimestamp": "2023-05-01T10:00:00Z"},
        "status": {"userInfo": {"username": "system:anonymous", "groups": ["system:unauthenticated"]}},
    });
    assert_eq!((answer.status, answer.body), (201, expected));
}

#[tokio::test(start_paused = true)]
async fn an_incomplete_review_is_refused() {
    let api = Api::new(&quiet().start());
    let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    let answer = api.post(ACCESS, &json!({})).await;
    let said = format!(
        "SelfSubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.resourceAttributes: Invalid value: null: {why}"
    );
    assert_eq!((answer.status, answer.message()), (422, said.as_str()));
    let answer = api.post(RULES, &json!({"spec": {}})).await;
    assert_eq!((answer.status, answer.message()), (400, "no namespace on request"));
    assert_eq!(api.get(ACCESS).await.status, 405);
    assert_eq!(api.get(&format!("{ACCESS}/a")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn discovery_lists_reviews_with_the_create_verb_only() {
    let api = Api::new(&quiet().start());
    let list = api.get("/apis/authorization.k8s.io/v1").await.body;
    let row = |plural: &str, kind: &str| {
        let (singular, is_namespaced) = (plural.strip_suffix('s'), plural.starts_with("local"));
        json!({"name": plural, "singularName": singular, "namespaced": is_namespaced, "kind": kind, "verbs": ["create"]})
    };
    let expected = [
        row("localsubjectaccessreviews", "LocalSubjectAccessReview"),
        row("selfsubjectaccessreviews", "SelfSubjectAccessReview"),
        row("selfsubjectrulesreviews", "SelfSubjectRulesReview"),
        row("subjectaccessreviews", "SubjectAccessReview"),
    ];
    assert_eq!(list["resources"], Value::from(expected.to_vec()));
}

/// Upstream: `ValidateLocalSubjectAccessReview`.
#[tokio::test(start_paused = true)]
async fn a_local_subject_access_review_may_have_no_metadata_except_its_namespace() {
    let api = Api::new(&quiet().start());
    let path = "/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews";
    let spec =
        json!({"user": "ada", "resourceAttributes": {"namespace": "default", "verb": "get", "resource": "pods"}});
    assert_eq!(api.post(path, &json!({"metadata": {"namespace": "default"}, "spec": spec})).await.status, 201);
    let named = api.post(path, &json!({"metadata": {"name": "a"}, "spec": spec})).await;
    let cause = &named.body["details"]["causes"][0];
    assert_eq!((named.status, &cause["field"]), (422, &json!("metadata")));
    assert!(cause["message"].as_str().unwrap().ends_with(": must be empty except for namespace"), "{cause}");
    let both = json!({"resourceAttributes": spec["resourceAttributes"], "nonResourceAttributes": {"path": "/", "verb": "get"}});
    let refused = api.post(path, &json!({"spec": both})).await;
    let said: Vec<String> = refused.body["details"]["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cause| format!("{}: {}", cause["field"].as_str().unwrap(), cause["message"].as_str().unwrap()))
        .collect();
    let path = "Invalid value: {\"path\":\"/\",\"verb\":\"get\"}";
    let expected = [
        format!("spec.nonResourceAttributes: {path}: cannot be specified in combination with resourceAttributes"),
        "spec.user: Invalid value: \"\": at least one of user or group must be specified".to_owned(),
        format!("spec.nonResourceAttributes: {path}: disallowed on this kind of request"),
    ];
    assert_eq!(said, expected);
}
