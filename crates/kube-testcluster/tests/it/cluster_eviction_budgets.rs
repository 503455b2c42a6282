//! Tests that evictions ask the disruption budgets of a pod. No controller runs, so the tests write the status of the
//! budgets themselves.

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, PODS, quiet};

const BUDGETS: &str = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const VIOLATED: &str = "Cannot evict pod as it would violate the pod's disruption budget.";

async fn evict(api: &Api, pod: &str, query: &str) -> Answer {
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}});
    api.post(&format!("{PODS}/{pod}/eviction{query}"), &eviction).await
}

/// Creates a running pod with the label `app=web`.
async fn running(api: &Api, name: &str, ready: &str) {
    api.pod(name, &json!({"app": "web"})).await;
    api.bind(name).await;
    let status = json!({"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]});
    let written = api.merge(&format!("{PODS}/{name}/status"), &json!({"status": status})).await;
    assert_eq!(written.status, 200, "{}", written.body);
}

/// Creates a budget of the pods with the label `app=web`, with a status if one is given.
async fn budget(api: &Api, name: &str, spec: Value, status: Value) {
    let mut budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": "web"}}},
    });
    budget["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    let made = api.post(BUDGETS, &budget).await;
    assert_eq!(made.status, 201, "{}", made.body);
    if !status.is_null() {
        let written = api.merge(&format!("{BUDGETS}/{name}/status"), &json!({"status": status})).await;
        assert_eq!(written.status, 200, "{}", written.body);
    }
}

fn status(allowed: i64, healthy: i64, desired: i64) -> Value {
    json!({
        "observedGeneration": 1, "disruptionsAllowed": allowed, "currentHealthy": healthy, "desiredHealthy": desired,
        "expectedPods": healthy,
    })
}

async fn status_of(api: &Api, budget: &str) -> Value {
    api.get(&format!("{BUDGETS}/{budget}")).await.body["status"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_budget_whose_status_was_never_computed_refuses() {
    let api = Api::new(&quiet().bare().start());
    running(&api, "a", "True").await;
    budget(&api, "b", json!({"minAvailable": 1}), Value::Null).await;
    let answer = evict(&api, "a", "").await;
    let expected = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": VIOLATED,
        "reason": "TooManyRequests", "code": 429, "details": {
            "retryAfterSeconds": 10, "causes": [{
                "reason": "DisruptionBudget",
                "message": "The disruption budget b is still being processed by the server.",
            }],
        },
    });
    assert_eq!((answer.status, answer.body), (429, expected));
    assert_eq!(answer.headers["retry-after"], "10");
}

#[tokio::test(start_paused = true)]
async fn a_budget_without_disruptions_refuses() {
    let api = Api::new(&quiet().start());
    running(&api, "a", "True").await;
    budget(&api, "b", json!({"minAvailable": 1}), status(0, 1, 1)).await;
    let answer = evict(&api, "a", "").await;
    assert_eq!((answer.status, answer.message()), (429, VIOLATED));
    let cause = "The disruption budget b needs 1 healthy pods and has 1 currently";
    let details = json!({"causes": [{"reason": "DisruptionBudget", "message": cause}]});
    assert_eq!(answer.body["details"], details);
    assert!(!answer.headers.contains_key("retry-after"));
    assert_eq!(api.get(&format!("{PODS}/a")).await.body["metadata"].get("deletionTimestamp"), None);
}

#[tokio::test(start_paused = true)]
async fn an_eviction_uses_up_the_budget() {
    let api = Api::new(&quiet().start());
    running(&api, "a", "True").await;
    running(&api, "b", "True").await;
    budget(&api, "b", json!({"minAvailable": 1}), status(1, 2, 1)).await;
    assert_eq!(evict(&api, "a", "").await.status, 201);
    assert!(api.get(&format!("{PODS}/a")).await.body["metadata"]["deletionTimestamp"].is_string());
    let expected = json!({
        "observedGeneration": 1, "disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 1, "expectedPods": 2,
        "disruptedPods": {"a": "2023-05-01T10:00:00Z"}, "conditions": [{
            "type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods", "message": "",
            "observedGeneration": 1, "lastTransitionTime": "2023-05-01T10:00:00Z",
        }],
    });
    assert_eq!(status_of(&api, "b").await, expected);
    let second = evict(&api, "b", "").await;
    assert_eq!(second.status, 429);
    assert_eq!(
        second.body["details"]["causes"][0]["message"],
        "The disruption budget b does not allow evicting pods currently"
    );
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_asks_the_budget_and_takes_nothing_from_it() {
    let api = Api::new(&quiet().start());
    running(&api, "a", "True").await;
    budget(&api, "b", json!({"minAvailable": 1}), status(1, 2, 1)).await;
    let before = (status_of(&api, "b").await, api.get(&format!("{PODS}/a")).await.body);
    assert_eq!(evict(&api, "a", "?dryRun=All").await.status, 201);
    assert_eq!((status_of(&api, "b").await, api.get(&format!("{PODS}/a")).await.body), before);
    api.merge(&format!("{BUDGETS}/b/status"), &json!({"status": {"disruptionsAllowed": 0}})).await;
    assert_eq!(evict(&api, "a", "?dryRun=All").await.status, 429);
}

#[tokio::test(start_paused = true)]
async fn a_status_of_an_earlier_spec_refuses() {
    let api = Api::new(&quiet().start());
    running(&api, "a", "True").await;
    budget(&api, "b", json!({"minAvailable": 1}), status(1, 2, 1)).await;
    api.merge(&format!("{BUDGETS}/b"), &json!({"spec": {"minAvailable": 2}})).await;
    let answer = evict(&api, "a", "").await;
    assert_eq!((answer.status, &answer.body["details"]["retryAfterSeconds"]), (429, &json!(10)));
}

#[tokio::test(start_paused = true)]
async fn a_pod_with_two_budgets_cannot_be_evicted() {
    let api = Api::new(&quiet().start());
    running(&api, "a", "True").await;
    budget(&api, "b", json!({"minAvailable": 0}), status(1, 1, 0)).await;
    budget(&api, "c", json!({"minAvailable": 0}), status(1, 1, 0)).await;
    let answer = evict(&api, "a", "").await;
    let expected = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 500,
        "message": "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    });
    assert_eq!((answer.status, answer.body), (500, expected));
}

#[tokio::test(start_paused = true)]
async fn a_budget_does_not_count_for_other_pods_and_other_namespaces() {
    let api = Api::new(&quiet().start());
    running(&api, "a", "True").await;
    let other = json!({"selector": {"matchLabels": {"app": "db"}}});
    budget(&api, "b", other, status(0, 1, 1)).await;
    let everything = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "all"},
        "spec": {"selector": {}, "minAvailable": 1},
    });
    let elsewhere = BUDGETS.replace("default", "kube-public");
    assert_eq!(api.post(&elsewhere, &everything).await.status, 201);
    assert_eq!(evict(&api, "a", "").await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn pods_that_do_no_work_are_evicted_whatever_the_budget_says() {
    let api = Api::new(&quiet().start());
    budget(&api, "b", json!({"minAvailable": 5}), status(0, 0, 5)).await;
    api.pod("pending", &json!({"app": "web"})).await;
    assert_eq!(evict(&api, "pending", "").await.status, 201);
    running(&api, "ended", "False").await;
    api.merge(&format!("{PODS}/ended/status"), &json!({"status": {"phase": "Succeeded"}})).await;
    assert_eq!(evict(&api, "ended", "").await.status, 201);
    running(&api, "going", "True").await;
    assert_eq!(evict(&api, "going", "").await.status, 429);
    api.delete(&format!("{PODS}/going")).await;
    assert_eq!(evict(&api, "going", "").await.status, 201);
    assert_eq!(status_of(&api, "b").await["disruptionsAllowed"], 0);
}

#[tokio::test(start_paused = true)]
async fn an_unhealthy_pod_goes_if_the_budget_is_healthy_or_always_allows_it() {
    let api = Api::new(&quiet().start());
    running(&api, "a", "False").await;
    budget(&api, "b", json!({"minAvailable": 2}), status(0, 1, 2)).await;
    assert_eq!(evict(&api, "a", "").await.status, 429);
    api.merge(&format!("{BUDGETS}/b/status"), &json!({"status": {"currentHealthy": 2}})).await;
    assert_eq!(evict(&api, "a", "").await.status, 201);
    let untouched = status_of(&api, "b").await;
    assert_eq!((&untouched["disruptionsAllowed"], untouched.get("disruptedPods")), (&json!(0), None));

    api.delete(&format!("{BUDGETS}/b")).await;
    running(&api, "c", "False").await;
    let always = json!({"minAvailable": 2, "unhealthyPodEvictionPolicy": "AlwaysAllow"});
    budget(&api, "always", always, status(0, 0, 2)).await;
    assert_eq!(evict(&api, "c", "").await.status, 201);
}

#[tokio::test(start_paused = true)]
async fn a_budget_with_too_many_evicted_pods_forbids_more() {
    let api = Api::new(&quiet().start());
    running(&api, "a", "True").await;
    let mut full = status(1, 2, 1);
    full["disruptedPods"] = (0..2001).map(|n| (format!("p{n}"), json!("2023-05-01T10:00:00Z"))).collect();
    budget(&api, "b", json!({"minAvailable": 1}), full).await;
    let answer = evict(&api, "a", "").await;
    let why = "poddisruptionbudget.policy \"b\" is forbidden: DisruptedPods map too big - too many evictions not \
               confirmed by PDB controller";
    assert_eq!((answer.status, answer.message()), (403, why));
    assert_eq!(answer.body["details"]["causes"][0]["reason"], "DisruptionBudget");
}
