//! Tests kinds other than pods, encodings of bodies, and aggregated discovery.

use serde_json::json;

use crate::support::api::{Api, quiet};

#[tokio::test(start_paused = true)]
async fn a_delete_returns_the_object_or_a_status_depending_on_the_kind() {
    let api = Api::new(&quiet().start());
    for (plural, kind) in [
        ("services", "Service"),
        ("serviceaccounts", "ServiceAccount"),
        ("configmaps", "Status"),
        ("secrets", "Status"),
    ] {
        let collection = format!("/api/v1/namespaces/default/{plural}");
        let object = match plural {
            "services" => json!({"metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}}),
            _ => json!({"metadata": {"name": "a"}}),
        };
        assert_eq!(api.post(&collection, &object).await.status, 201);
        let deleted = api.delete(&format!("{collection}/a")).await;
        assert_eq!((deleted.status, &deleted.body["kind"]), (200, &json!(kind)), "{plural}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_may_be_yaml_or_protobuf_and_unknown_fields_give_a_warning() {
    let api = Api::new(&quiet().start());
    let maps = "/api/v1/namespaces/default/configmaps";
    let yaml = api.send("POST", maps, "application/yaml", "metadata: {name: yam}\ndata: {a: b}\nodd: 1\n").await;
    assert_eq!((yaml.status, &yaml.body["data"]["a"]), (201, &json!("b")), "{}", yaml.body);
    assert_eq!(yaml.headers["warning"], "299 - \"unknown field \\\"odd\\\"\"");
    // The body that kubectl 1.37 sends for `create configmap cm --from-literal=a=b`.
    let body = b"k8s\0\n\x0f\n\x02v1\x12\tConfigMap\x12\x1c\n\x12\n\x02cm\x12\0\x1a\0\"\0*\x002\08\0B\0\x12\x06\n\x01a\x12\x01b\x1a\0\"\0";
    let created = api.send("POST", maps, "application/vnd.kubernetes.protobuf", &body[..]).await;
    assert_eq!((created.status, &created.body["metadata"]["name"]), (201, &json!("cm")), "{}", created.body);
    assert_eq!(created.body["data"], json!({"a": "b"}));
}

/// Upstream: `WrapAggregatedDiscoveryToHandler`, which the feature gate `AggregatedDiscoveryEndpoint` installs before
/// discovery.
#[tokio::test(start_paused = true)]
async fn aggregated_discovery_can_be_switched_off() {
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let kinds = async |served, accept: &str| {
        let api = Api::new(&quiet().aggregated_discovery(served).start());
        let request = http::Request::get("/apis").header("accept", accept).body(axum::body::Body::empty());
        let answer = api.answer(request.unwrap()).await;
        (answer.status, answer.body["kind"].as_str().unwrap_or_default().to_owned())
    };
    let both = format!("{aggregated},application/json");
    assert_eq!(kinds(true, &both).await, (200, "APIGroupDiscoveryList".to_owned()));
    assert_eq!(kinds(false, &both).await, (200, "APIGroupList".to_owned()));
    assert_eq!(kinds(false, aggregated).await.0, 406);
}

/// Upstream: the internal type of a DaemonSet's `rollingUpdate` has no pointers, so its conversion writes both numbers.
#[tokio::test(start_paused = true)]
async fn a_rolling_update_that_a_daemon_set_does_not_use_gets_both_numbers() {
    let api = Api::new(&quiet().start());
    let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let strategy = json!({"type": "OnDelete", "rollingUpdate": {"maxUnavailable": 3}});
    let set = json!({"metadata": {"name": "a"}, "spec": {
        "selector": {"matchLabels": {"app": "a"}}, "template": template, "updateStrategy": strategy,
    }});
    let made = api.post("/apis/apps/v1/namespaces/default/daemonsets", &set).await;
    assert_eq!(made.body["spec"]["updateStrategy"]["rollingUpdate"], json!({"maxUnavailable": 3, "maxSurge": 0}));
}

/// Upstream: `PrepareForUpdate` of EndpointSlices compares before it removes `deprecatedTopology`.
#[tokio::test(start_paused = true)]
async fn a_sent_field_that_is_removed_counts_in_the_generation_of_an_endpoint_slice() {
    let api = Api::new(&quiet().start());
    let slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
    for (topology, generations) in [(json!({}), [1, 1]), (json!({"x": "y"}), [1, 2])] {
        let endpoint = json!({"addresses": ["1.2.3.4"], "deprecatedTopology": topology});
        let slice = json!({"metadata": {"name": "a"}, "addressType": "IPv4", "endpoints": [endpoint], "ports": []});
        let made = api.post(slices, &slice).await;
        let again = api.put(&format!("{slices}/a"), &slice).await;
        let found = [&made, &again].map(|answer| answer.body["metadata"]["generation"].as_i64().unwrap_or_default());
        assert_eq!(found, generations, "{topology}: {}", again.body);
        assert_eq!(again.body["endpoints"][0].get("deprecatedTopology"), None);
        api.delete(&format!("{slices}/a")).await;
    }
}
