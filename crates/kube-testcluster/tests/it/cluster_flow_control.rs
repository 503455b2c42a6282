//! Tests the kinds of `flowcontrol.apiserver.k8s.io` and the objects of them that a cluster begins with.

use kube_testcluster::Admission;
use serde_json::{Value, json};

use crate::support::api::{Api, quiet};

const SCHEMAS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
const LEVELS: &str = "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations";

/// Upstream: `pkg/apis/flowcontrol/bootstrap` in k8s.io/apiserver.
#[tokio::test(start_paused = true)]
async fn a_cluster_begins_with_the_priority_levels_of_kube_apiserver() {
    let api = Api::new(&quiet().admission(Admission::Kube).start());
    let levels = api.items(LEVELS).await;
    let names: Vec<&str> = levels.iter().map(|level| level["metadata"]["name"].as_str().unwrap()).collect();
    let all = [
        "catch-all",
        "exempt",
        "global-default",
        "leader-election",
        "node-high",
        "system",
        "workload-high",
        "workload-low",
    ];
    assert_eq!(names, all);
    for schema in api.items(SCHEMAS).await {
        let level = schema["spec"]["priorityLevelConfiguration"]["name"].as_str().unwrap();
        assert!(all.contains(&level), "{schema}");
        assert_eq!(
            (&schema["metadata"]["generation"], &schema["status"]["conditions"][0]["reason"]),
            (&json!(1), &json!("Found"))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_table_lists_flow_schemas_by_their_precedence() {
    let api = Api::new(&quiet().admission(Admission::Kube).start());
    let table = api.table(SCHEMAS).await;
    let cells: Vec<&Value> = table["rows"].as_array().unwrap().iter().map(|row| &row["cells"]).collect();
    let precedences: Vec<i64> = cells.iter().map(|cells| cells[2].as_i64().unwrap()).collect();
    assert!(precedences.is_sorted(), "{precedences:?}");
    let ends = (cells[0], cells[cells.len() - 1]);
    let exempt = json!(["exempt", "exempt", 1, "<none>", "0s", "False"]);
    assert_eq!(ends, (&exempt, &json!(["catch-all", "catch-all", 10000, "ByUser", "0s", "False"])));
}

#[tokio::test(start_paused = true)]
async fn a_mandatory_level_keeps_its_spec_but_for_the_shares_of_the_exempt_one() {
    let api = Api::new(&quiet().admission(Admission::Kube).start());
    let shares = json!({"spec": {"exempt": {"nominalConcurrencyShares": 7}}});
    let changed = api.merge(&format!("{LEVELS}/exempt"), &shares).await;
    assert_eq!((changed.status, &changed.body["metadata"]["generation"]), (200, &json!(2)), "{}", changed.body);
    let more = json!({"spec": {"limited": {"nominalConcurrencyShares": 7}}});
    let refused = api.merge(&format!("{LEVELS}/catch-all"), &more).await;
    assert!(
        refused.status == 422 && refused.message().contains("spec of 'catch-all' must equal the fixed value"),
        "{}",
        refused.body
    );
}

#[tokio::test(start_paused = true)]
async fn the_status_of_a_flow_schema_is_written_alone() {
    let api = Api::new(&quiet().start());
    let rule = json!({"subjects": [{"kind": "User", "user": {"name": "*"}}], "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]});
    let spec = json!({"priorityLevelConfiguration": {"name": "low"}, "matchingPrecedence": 9, "rules": [rule]});
    let schema = json!({"metadata": {"name": "mine"}, "spec": spec, "status": {"conditions": [{"type": "Dangling"}]}});
    assert_eq!(api.post(SCHEMAS, &schema).await.body["status"], json!({}));
    let path = format!("{SCHEMAS}/mine");
    let condition = json!({"type": "Dangling", "status": "True", "lastTransitionTime": null});
    let change = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"matchingPrecedence": 8}, "status": {"conditions": [condition]}});
    let reported = api.merge(&format!("{path}/status"), &change).await.body;
    assert_eq!((&reported["spec"], &reported["metadata"]["labels"]), (&spec, &Value::Null));
    assert_eq!(reported["status"]["conditions"][0]["status"], "True", "{reported}");
    assert_eq!(api.table(&path).await["rows"][0]["cells"], json!(["mine", "low", 9, "<none>", "0s", "True"]));
}
