//! Tests admission webhooks over real TLS.

use kube_testcluster::Cluster;
use serde_json::{Value, json};

use crate::support::api::{Answer, Api};
use crate::support::hook::{self, Hook};

async fn post(cluster: &Cluster, path: &str, body: Value) -> Answer {
    Api::new(cluster).post(path, &body).await
}

async fn delete(cluster: &Cluster, path: &str) -> Answer {
    Api::new(cluster).delete(path).await
}

async fn merge(cluster: &Cluster, path: &str, patch: Value) -> Answer {
    Api::new(cluster).merge(path, &patch).await
}

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";

fn map(name: &str) -> Value {
    json!({"metadata": {"name": name}, "data": {"a": "1"}})
}

fn cluster() -> Cluster {
    Cluster::builder().bare().start()
}

#[derive(Clone, Copy)]
enum Kind {
    Mutating,
    Validating,
}

/// Configures webhooks for config maps. Each value adds to the usual fields of its webhook, or replaces them.
async fn configure(cluster: &Cluster, kind: Kind, hooks: &[(&Hook, Value)]) {
    let hooks: Vec<Value> = hooks
        .iter()
        .enumerate()
        .map(|(n, (hook, more))| {
            let mut one = json!({
                "name": format!("h{n}.example.com"), "clientConfig": hook.client_config(), "sideEffects": "None",
                "admissionReviewVersions": ["v1"], "rules": [{
                    "operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                }],
            });
            more.as_object().unwrap().iter().for_each(|(name, value)| one[name] = value.clone());
            one
        })
        .collect();
    let plural = match kind {
        Kind::Mutating => "mutatingwebhookconfigurations",
        Kind::Validating => "validatingwebhookconfigurations",
    };
    let made = post(cluster, &format!("{GROUP}/{plural}"), json!({"metadata": {"name": "c"}, "webhooks": hooks})).await;
    assert_eq!(made.status, 201, "{}", made.body);
}

fn allow(_: &Value) -> Value {
    json!({"allowed": true})
}

#[tokio::test]
async fn a_mutating_webhook_changes_an_object_and_a_validating_one_sees_the_change() {
    let cluster = cluster();
    let mutating = Hook::start(|request| match request["object"] {
        Value::Null => allow(request),
        _ => hook::patch(&json!([{"op": "add", "path": "/metadata/labels", "value": {"by": "hook"}}])),
    });
    let validating = Hook::start(|_| json!({"allowed": true, "warnings": ["seen"]}));
    configure(&cluster, Kind::Mutating, &[(&mutating, json!({}))]).await;
    configure(&cluster, Kind::Validating, &[(&validating, json!({}))]).await;

    let made = post(&cluster, MAPS, map("m")).await;
    assert_eq!((made.status, &made.body["metadata"]["labels"]), (201, &json!({"by": "hook"})), "{}", made.body);
    assert_eq!(made.warnings(), ["299 - \"seen\""]);
    let [first] = mutating.requests().try_into().unwrap();
    assert_eq!(first["operation"], "CREATE");
    assert_eq!((&first["name"], &first["namespace"]), (&json!("m"), &json!("default")));
    assert_eq!(first["kind"], json!({"group": "", "version": "v1", "kind": "ConfigMap"}));
    assert_eq!(first["resource"], json!({"group": "", "version": "v1", "resource": "configmaps"}));
    assert_eq!(first["options"], json!({"kind": "CreateOptions", "apiVersion": "meta.k8s.io/v1"}));
    assert_eq!((&first["oldObject"], &first["dryRun"]), (&Value::Null, &json!(false)));
    assert!(first["object"]["metadata"]["uid"].is_null(), "no uid is assigned yet");
    let [second] = validating.requests().try_into().unwrap();
    assert_eq!(second["object"]["metadata"]["labels"]["by"], "hook");
    assert_eq!(second["object"]["metadata"]["uid"], made.body["metadata"]["uid"]);

    let patched = merge(&cluster, &format!("{MAPS}/m"), json!({"data": {"a": "2"}})).await;
    assert_eq!(patched.status, 200, "{}", patched.body);
    let update = &mutating.requests()[1];
    assert_eq!((&update["operation"], &update["options"]["kind"]), (&json!("UPDATE"), &json!("UpdateOptions")));
    assert_eq!((&update["oldObject"]["data"]["a"], &update["object"]["data"]["a"]), (&json!("1"), &json!("2")));
    assert_eq!(update["object"]["kind"], "ConfigMap");

    assert_eq!(delete(&cluster, &format!("{MAPS}/m")).await.status, 200);
    let deletion = &validating.requests()[2];
    assert_eq!((&deletion["operation"], &deletion["object"]), (&json!("DELETE"), &Value::Null));
    assert_eq!(deletion["oldObject"]["data"]["a"], "2");
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_webhook_may_not_patch_a_deletion() {
    let cluster = cluster();
    let hook = Hook::start(|_| hook::patch(&json!([{"op": "add", "path": "/metadata/labels", "value": {}}])));
    assert_eq!(post(&cluster, MAPS, map("m")).await.status, 201);
    configure(&cluster, Kind::Mutating, &[(&hook, json!({}))]).await;
    let refused = delete(&cluster, &format!("{MAPS}/m")).await;
    let why = "admission webhook \"h0.example.com\" attempted to modify the object, which is not supported for this operation";
    assert_eq!(refused.body["message"], format!("Internal error occurred: {why}"));
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_denial_has_the_name_of_the_webhook_and_the_code_of_its_answer() {
    let cluster = cluster();
    let hook = Hook::start(|request| match request["name"].as_str().unwrap() {
        "plain" => json!({"allowed": false}),
        "reason" => json!({"allowed": false, "status": {"reason": "Because"}}),
        _ => json!({"allowed": false, "status": {
            "code": 409, "reason": "Conflict", "message": "taken", "details": {"name": "n"},
        }}),
    });
    configure(&cluster, Kind::Validating, &[(&hook, json!({}))]).await;
    let denied = "admission webhook \"h0.example.com\" denied the request";
    for (name, code, reason, message) in [
        ("plain", 400, Value::Null, format!("{denied} without explanation")),
        ("reason", 400, json!("Because"), format!("{denied}: Because")),
        ("whole", 409, json!("Conflict"), format!("{denied}: taken")),
    ] {
        let answer = post(&cluster, MAPS, map(name)).await;
        assert_eq!((answer.status, &answer.body["reason"]), (code, &reason), "{}", answer.body);
        assert_eq!((&answer.body["message"], &answer.body["code"]), (&json!(message), &json!(code)));
        assert_eq!(answer.body["status"], "Failure");
    }
    cluster.shutdown().await;
}

#[tokio::test]
async fn an_unreachable_webhook_fails_the_request_or_is_ignored_by_its_failure_policy() {
    let cluster = cluster();
    let (silent, other) = (Hook::start(allow), Hook::start(allow));
    let url = silent.client_config()["url"].as_str().unwrap().to_owned();
    let with_other_authority = json!({"url": url, "caBundle": other.client_config()["caBundle"]});
    configure(&cluster, Kind::Validating, &[(&silent, json!({"clientConfig": with_other_authority}))]).await;
    let refused = post(&cluster, MAPS, map("m")).await;
    let why = format!(
        "failed calling webhook \"h0.example.com\": failed to call webhook: Post \"{url}?timeout=10s\": tls: failed to verify \
         certificate: x509: certificate signed by unknown authority"
    );
    assert_eq!((refused.status, &refused.body["reason"]), (500, &json!("InternalError")));
    assert_eq!(refused.body["message"], format!("Internal error occurred: {why}"));
    assert_eq!(refused.body["details"]["causes"], json!([{"message": why}]));

    let path = format!("{GROUP}/validatingwebhookconfigurations/c");
    let changed = json!([{"op": "add", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}]);
    let changed = Api::new(&cluster).send("PATCH", &path, "application/json-patch+json", changed.to_string()).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    assert_eq!(post(&cluster, MAPS, map("m")).await.status, 201);
    assert!(silent.requests().is_empty());
    cluster.shutdown().await;
}

/// Go accepts such a bundle, and envtest configures its webhooks this way.
#[tokio::test]
async fn the_ca_bundle_may_hold_the_certificate_of_the_webhook_itself() {
    let cluster = cluster();
    let hook = Hook::start(allow);
    configure(&cluster, Kind::Validating, &[(&hook, json!({"clientConfig": hook.pinned_client_config()}))]).await;
    let made = post(&cluster, MAPS, map("m")).await;
    assert_eq!((made.status, hook.requests().len()), (201, 1), "{}", made.body);
    cluster.shutdown().await;
}

/// Upstream: Go's `Certificate.isValid`.
#[tokio::test]
async fn an_expired_or_future_certificate_in_the_ca_bundle_is_refused() {
    for (from, to, why) in
        [(1990, 2000, "is after 2000-01-01T00:00:00Z"), (2990, 3000, "is before 2990-01-01T00:00:00Z")]
    {
        let cluster = cluster();
        let hook = Hook::self_signed(from, to, allow);
        configure(&cluster, Kind::Validating, &[(&hook, json!({"clientConfig": hook.pinned_client_config()}))]).await;
        let refused = post(&cluster, MAPS, map("m")).await;
        let message = refused.body["message"].as_str().unwrap();
        let said =
            "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time ";
        assert!(refused.status == 500 && message.contains(said) && message.ends_with(why), "{message}");
        assert!(hook.requests().is_empty());
        cluster.shutdown().await;
    }
}

#[tokio::test]
async fn an_invalid_webhook_response_is_reported_in_upstreams_words() {
    let cluster = cluster();
    let hook = Hook::start(|_| json!({"allowed": true, "uid": "another"}));
    configure(&cluster, Kind::Mutating, &[(&hook, json!({}))]).await;
    let refused = post(&cluster, MAPS, map("m")).await;
    let message = refused.body["message"].as_str().unwrap();
    let uid = hook.requests()[0]["uid"].as_str().unwrap().to_owned();
    let why = "Internal error occurred: failed calling webhook \"h0.example.com\": received invalid webhook response: expected \
               response.uid=";
    assert_eq!(message, format!("{why}{uid:?}, got \"another\""));
    cluster.shutdown().await;
}

#[tokio::test]
async fn object_and_namespace_selectors_limit_which_requests_a_webhook_gets() {
    let cluster = cluster();
    let (of_objects, of_namespaces) = (Hook::start(allow), Hook::start(allow));
    configure(
        &cluster,
        Kind::Validating,
        &[
            (&of_objects, json!({"objectSelector": {"matchLabels": {"watched": "yes"}}})),
            (&of_namespaces, json!({"namespaceSelector": {"matchLabels": {"watched": "yes"}}})),
        ],
    )
    .await;
    let mut watched = map("watched");
    watched["metadata"]["labels"] = json!({"watched": "yes"});
    for object in [map("plain"), watched] {
        assert_eq!(post(&cluster, MAPS, object).await.status, 201);
    }
    let home = json!({"metadata": {"name": "home", "labels": {"watched": "yes"}}});
    assert_eq!(post(&cluster, "/api/v1/namespaces", home).await.status, 201);
    assert_eq!(post(&cluster, "/api/v1/namespaces/home/configmaps", map("m")).await.status, 201);
    let names = |hook: &Hook| hook.requests().iter().map(|one| one["name"].clone()).collect::<Vec<_>>();
    assert_eq!((names(&of_objects), names(&of_namespaces)), (vec![json!("watched")], vec![json!("m")]));
    cluster.shutdown().await;
}

#[cfg(feature = "cel")]
#[tokio::test]
async fn a_webhook_is_called_only_if_its_cel_match_conditions_are_true() {
    let cluster = cluster();
    let hook = Hook::start(allow);
    let conditions = json!([
        {"name": "not-spared", "expression": "!(object.metadata.name in ['spared'])"},
        {"name": "by-data", "expression": "request.operation != 'CREATE' || object.data.a == '1'"},
    ]);
    configure(&cluster, Kind::Validating, &[(&hook, json!({"matchConditions": conditions}))]).await;
    for name in ["spared", "asked"] {
        assert_eq!(post(&cluster, MAPS, map(name)).await.status, 201);
    }
    let without = json!({"metadata": {"name": "without"}});
    let refused = post(&cluster, MAPS, without).await;
    assert_eq!((refused.status, &refused.body["reason"]), (403, &json!("Forbidden")), "{}", refused.body);
    assert_eq!(hook.requests().len(), 1);
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_webhook_is_called_again_if_a_later_webhook_changed_the_object() {
    let cluster = cluster();
    let first = Hook::start(allow);
    let second = Hook::start(|_| hook::patch(&json!([{"op": "add", "path": "/data/b", "value": "2"}])));
    let never = Hook::start(allow);
    let hooks = [
        (&first, json!({"reinvocationPolicy": "IfNeeded"})),
        (&never, json!({})),
        (&second, json!({"reinvocationPolicy": "IfNeeded"})),
    ];
    configure(&cluster, Kind::Mutating, &hooks).await;
    assert_eq!(post(&cluster, MAPS, map("m")).await.status, 201);
    assert_eq!((first.requests().len(), never.requests().len(), second.requests().len()), (2, 1, 1));
    assert_eq!(first.requests()[1]["object"]["data"]["b"], "2");
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_webhook_gets_dry_runs_and_their_dry_run_flag() {
    let cluster = cluster();
    let pure = Hook::start(allow);
    configure(&cluster, Kind::Mutating, &[(&pure, json!({"sideEffects": "NoneOnDryRun"}))]).await;
    let dry = format!("{MAPS}?dryRun=All");
    assert_eq!(post(&cluster, &dry, map("m")).await.status, 201);
    assert_eq!(
        (&pure.requests()[0]["dryRun"], &pure.requests()[0]["options"]["dryRun"]),
        (&json!(true), &json!(["All"]))
    );
    let changed = json!([{"op": "replace", "path": "/webhooks/0/sideEffects", "value": "Some"}]);
    let path = format!("{GROUP}/mutatingwebhookconfigurations/c");
    let refused = Api::new(&cluster).send("PATCH", &path, "application/json-patch+json", changed.to_string()).await;
    assert_eq!(refused.status, 422, "sideEffects: Some is not allowed");
    cluster.shutdown().await;
}

#[tokio::test]
async fn webhook_rules_can_match_the_scale_and_status_subresources() {
    let cluster = cluster();
    let hook = Hook::start(allow);
    let rules = json!([{
        "operations": ["UPDATE"], "apiGroups": ["apps"], "apiVersions": ["v1"],
        "resources": ["replicasets/scale", "replicasets/status"],
    }]);
    configure(&cluster, Kind::Validating, &[(&hook, json!({"rules": rules}))]).await;
    let sets = "/apis/apps/v1/namespaces/default/replicasets";
    let template = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec = json!({"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template});
    assert_eq!(post(&cluster, sets, json!({"metadata": {"name": "s"}, "spec": spec})).await.status, 201);
    let scaled = merge(&cluster, &format!("{sets}/s/scale"), json!({"spec": {"replicas": 3}})).await;
    assert_eq!(scaled.status, 200, "{}", scaled.body);
    let reported = merge(&cluster, &format!("{sets}/s/status"), json!({"status": {"replicas": 2}})).await;
    assert_eq!(reported.status, 200, "{}", reported.body);
    let [scale, status] = hook.requests().try_into().unwrap();
    assert_eq!(scale["kind"], json!({"group": "autoscaling", "version": "v1", "kind": "Scale"}));
    assert_eq!((&scale["subResource"], &scale["object"]["spec"]["replicas"]), (&json!("scale"), &json!(3)));
    assert_eq!(scale["oldObject"]["spec"]["replicas"], 1);
    assert_eq!((&status["subResource"], &status["kind"]["kind"]), (&json!("status"), &json!("ReplicaSet")));
    cluster.shutdown().await;
}

#[tokio::test]
async fn webhook_configurations_are_not_sent_to_webhooks() {
    let cluster = cluster();
    let hook = Hook::start(|_| json!({"allowed": false}));
    let everything = json!([{"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}]);
    configure(&cluster, Kind::Validating, &[(&hook, json!({"rules": everything}))]).await;
    assert_eq!(post(&cluster, MAPS, map("m")).await.status, 400);
    let path = format!("{GROUP}/validatingwebhookconfigurations/c");
    assert_eq!(delete(&cluster, &path).await.status, 200, "a bad configuration can always be deleted");
    assert_eq!(post(&cluster, MAPS, map("m")).await.status, 201);
    cluster.shutdown().await;
}

#[tokio::test]
async fn a_patch_is_retried_and_its_webhook_called_again_if_the_object_changed_meanwhile() {
    let cluster = std::sync::Arc::new(cluster());
    let hook = Hook::start(allow);
    assert_eq!(post(&cluster, MAPS, map("m")).await.status, 201);
    let rules =
        json!([{"operations": ["UPDATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}]);
    let spared = json!({"matchExpressions": [{"key": "quick", "operator": "DoesNotExist"}]});
    configure(&cluster, Kind::Mutating, &[(&hook, json!({"rules": rules, "objectSelector": spared}))]).await;
    let gate = hook.hold();
    let slow = tokio::spawn({
        let cluster = cluster.clone();
        async move { merge(&cluster, &format!("{MAPS}/m"), json!({"data": {"slow": "1"}})).await.status }
    });
    hook.wait_for_requests(1).await;
    // Without the configuration, the second patch does not wait for the held webhook.
    let deleted = delete(&cluster, &format!("{GROUP}/mutatingwebhookconfigurations/c")).await;
    assert_eq!(deleted.status, 200);
    assert_eq!(merge(&cluster, &format!("{MAPS}/m"), json!({"data": {"quick": "1"}})).await.status, 200);
    gate.open();
    assert_eq!(slow.await.unwrap(), 200);
    let both = Api::new(&cluster).get(&format!("{MAPS}/m")).await;
    assert_eq!(both.body["data"], json!({"a": "1", "quick": "1", "slow": "1"}));
    assert_eq!(hook.requests().len(), 2, "the webhook is called once for each state of the object");
}
