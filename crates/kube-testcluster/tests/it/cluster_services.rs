//! Tests the allocation of cluster IPs and node ports to services. The start of each range is left to services that ask
//! for a value, so free addresses are taken from 10.96.1.1 on, and free ports from 30086 on.

use serde_json::{Value, json};

use crate::support::api::{Answer, Api, quiet};

const SERVICES: &str = "/api/v1/namespaces/default/services";

fn service(name: &str, spec: &Value) -> Value {
    let mut service = json!({"metadata": {"name": name}, "spec": {"selector": {"a": "b"}, "ports": [{"port": 80}]}});
    service["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    service
}

async fn create(api: &Api, name: &str, spec: Value) -> Answer {
    api.post(SERVICES, &service(name, &spec)).await
}

#[tokio::test(start_paused = true)]
async fn a_service_gets_a_free_cluster_ip() {
    let api = Api::new(&quiet().start());
    let first = create(&api, "a", json!({})).await;
    let expected = json!({
        "clusterIP": "10.96.1.1", "clusterIPs": ["10.96.1.1"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack",
        "internalTrafficPolicy": "Cluster", "sessionAffinity": "None", "type": "ClusterIP", "selector": {"a": "b"},
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
    });
    assert_eq!((first.status, &first.body["spec"]), (201, &expected));
    assert_eq!(create(&api, "b", json!({})).await.body["spec"]["clusterIP"], "10.96.1.2");
    assert_eq!(api.delete(&format!("{SERVICES}/a")).await.status, 200);
    assert_eq!(create(&api, "c", json!({})).await.body["spec"]["clusterIP"], "10.96.1.1");
    let dry = api.post(&format!("{SERVICES}?dryRun=All"), &service("d", &json!({}))).await;
    assert_eq!(dry.body["spec"]["clusterIP"], "10.96.1.3");
    assert_eq!(create(&api, "e", json!({})).await.body["spec"]["clusterIP"], "10.96.1.3");
}

#[tokio::test(start_paused = true)]
async fn a_requested_cluster_ip_must_be_valid_and_free() {
    let api = Api::new(&quiet().start());
    assert_eq!(create(&api, "a", json!({"clusterIP": "10.96.0.10"})).await.body["spec"]["clusterIPs"][0], "10.96.0.10");
    for (spec, message) in [
        (
            json!({"clusterIP": "10.96.0.10"}),
            "spec.clusterIPs: Invalid value: [\"10.96.0.10\"]: failed to allocate IP 10.96.0.10: provided IP is already \
             allocated",
        ),
        (
            json!({"clusterIP": "10.0.0.1"}),
            "spec.clusterIPs: Invalid value: [\"10.0.0.1\"]: failed to allocate IP 10.0.0.1: provided IP is not in the \
             valid range. The range of valid IPs is 10.96.0.0/12",
        ),
        (
            json!({"clusterIPs": ["here"]}),
            "[spec.clusterIPs: Invalid value: [\"here\"]: must be empty when `clusterIP` is not specified, \
             spec.clusterIPs[0]: Invalid value: \"here\": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)]",
        ),
    ] {
        let answer = create(&api, "b", spec).await;
        let expected = format!("Service \"b\" is invalid: {message}");
        assert_eq!((answer.status, answer.message()), (422, expected.as_str()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_headless_service_and_an_external_name_have_no_address() {
    let api = Api::new(&quiet().start());
    let headless = create(&api, "a", json!({"clusterIP": "None"})).await.body["spec"].clone();
    assert_eq!((&headless["clusterIPs"], &headless["ipFamilies"]), (&json!(["None"]), &json!(["IPv4"])));
    let anywhere = create(&api, "b", json!({"clusterIP": "None", "selector": {}})).await.body["spec"].clone();
    assert_eq!(
        (&anywhere["ipFamilyPolicy"], &anywhere["ipFamilies"]),
        (&json!("RequireDualStack"), &json!(["IPv4", "IPv6"]))
    );
    let external = create(&api, "c", json!({"type": "ExternalName", "externalName": "x.example"})).await;
    assert_eq!(external.body["spec"].get("clusterIP"), None);
}

#[tokio::test(start_paused = true)]
async fn an_update_keeps_the_cluster_ip_and_cannot_change_it() {
    let api = Api::new(&quiet().start());
    create(&api, "a", json!({})).await;
    let path = format!("{SERVICES}/a");
    let updated = api.put(&path, &service("a", &json!({"selector": {"c": "d"}}))).await;
    assert_eq!((updated.status, &updated.body["spec"]["clusterIP"]), (200, &json!("10.96.1.1")), "{}", updated.body);
    assert_eq!(updated.body["spec"]["ipFamilies"], json!(["IPv4"]));
    for spec in [json!({"clusterIP": "10.96.7.7"}), json!({"clusterIP": "10.96.7.7", "clusterIPs": ["10.96.7.7"]})] {
        let answer = api.merge(&path, &json!({"spec": spec})).await;
        let expected =
            "Service \"a\" is invalid: spec.clusterIPs[0]: Invalid value: [\"10.96.7.7\"]: may not change once set";
        assert_eq!((answer.status, answer.message()), (422, expected));
    }
    let external = json!({"type": "ExternalName", "externalName": "x.example"});
    let external = api.merge(&path, &json!({"spec": external})).await;
    assert_eq!((external.status, external.body["spec"].get("clusterIP")), (200, None));
}

#[tokio::test(start_paused = true)]
async fn node_ports_are_allocated_and_released() {
    let api = Api::new(&quiet().start());
    let ports = |answer: &Answer| {
        let ports = answer.body["spec"]["ports"].as_array().unwrap_or_else(|| panic!("{}", answer.body));
        ports.iter().map(|port| port["nodePort"].as_u64()).collect::<Vec<_>>()
    };
    let both =
        json!([{"name": "t", "port": 53}, {"name": "u", "port": 53, "protocol": "UDP"}, {"name": "x", "port": 80}]);
    let first = create(&api, "a", json!({"type": "NodePort", "ports": both})).await;
    assert_eq!(ports(&first), [Some(30_086), Some(30_086), Some(30_087)]);
    assert_eq!(first.body["spec"]["externalTrafficPolicy"], "Cluster");
    let balanced = create(&api, "b", json!({"type": "LoadBalancer"})).await;
    assert_eq!(ports(&balanced), [Some(30_088)]);
    let asked = |port: u16| json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]});
    for (port, why) in [
        (30_088, "provided port is already allocated"),
        (80, "provided port is not in the valid range. The range of valid ports is 30000-32767"),
    ] {
        let refused = create(&api, "c", asked(port)).await;
        let expected = format!("Service \"c\" is invalid: spec.ports[0].nodePort: Invalid value: {port}: {why}");
        assert_eq!((refused.status, refused.message()), (422, expected.as_str()));
    }
    let kept = api.put(&format!("{SERVICES}/b"), &service("b", &json!({"type": "LoadBalancer"}))).await;
    assert_eq!(ports(&kept), [Some(30_088)]);
    let released = api.merge(&format!("{SERVICES}/b"), &json!({"spec": {"type": "ClusterIP"}})).await;
    assert_eq!((released.status, ports(&released)), (200, vec![None]), "{}", released.body);
    assert_eq!(create(&api, "c", asked(30_088)).await.status, 201);
}

/// Upstream: the transactions of `BeginCreate` and `BeginUpdate`, which are reverted after a failure.
#[tokio::test(start_paused = true)]
async fn allocations_of_a_failed_write_or_a_dry_run_are_released() {
    let api = Api::new(&quiet().start());
    let node_port = |port: u16| json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]});
    assert_eq!(create(&api, "a", node_port(30_100)).await.status, 201);
    assert_eq!(create(&api, "a", node_port(30_200)).await.status, 409, "the name is taken");
    let dry = api.post(&format!("{SERVICES}?dryRun=All"), &service("b", &node_port(30_201))).await;
    assert_eq!(dry.status, 201);
    let stale = json!({"metadata": {"resourceVersion": "1"}, "spec": {"ports": [{"port": 80, "nodePort": 30_202}]}});
    let path = format!("{SERVICES}/a");
    assert_eq!(api.send("PATCH", &path, "application/merge-patch+json", stale.to_string()).await.status, 409);
    let dry = json!({"spec": {"ports": [{"port": 80, "nodePort": 30_203}]}});
    let path = format!("{path}?dryRun=All");
    assert_eq!(api.send("PATCH", &path, "application/merge-patch+json", dry.to_string()).await.status, 200);
    for (name, port) in [("c", 30_200), ("d", 30_201), ("e", 30_202), ("f", 30_203)] {
        assert_eq!(create(&api, name, node_port(port)).await.status, 201, "{port}");
    }
    assert_eq!(create(&api, "g", node_port(30_100)).await.status, 422, "the first service still holds this port");
}

/// Upstream allocates the address before it checks whether the name is taken.
#[tokio::test(start_paused = true)]
async fn a_taken_cluster_ip_is_reported_before_a_taken_name() {
    let api = Api::new(&quiet().start());
    assert_eq!(create(&api, "a", json!({"clusterIP": "10.96.0.10"})).await.status, 201);
    assert_eq!(create(&api, "a", json!({"clusterIP": "10.96.0.10"})).await.status, 422);
}

#[tokio::test(start_paused = true)]
async fn an_external_name_service_allocates_and_releases_nothing() {
    let api = Api::new(&quiet().start());
    let on_a_node = |port: u16| json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": port}]});
    assert_eq!(create(&api, "a", on_a_node(30100)).await.status, 201);
    let mut elsewhere = on_a_node(30100);
    (elsewhere["type"], elsewhere["externalName"]) = (json!("ExternalName"), json!("x.example"));
    assert_eq!(create(&api, "b", elsewhere).await.status, 201);
    assert_eq!(api.delete(&format!("{SERVICES}/b")).await.status, 200);
    let taken = create(&api, "c", on_a_node(30100)).await;
    assert!(taken.message().ends_with("provided port is already allocated"), "{}", taken.message());
    let elsewhere = json!({"type": "ExternalName", "externalName": "x.example", "clusterIP": "10.96.0.10"});
    let refused = create(&api, "d", elsewhere).await;
    let why = "Service \"d\" is invalid: spec.clusterIPs: Forbidden: may not be set for ExternalName services";
    assert_eq!((refused.status, refused.message()), (422, why));
}

#[tokio::test(start_paused = true)]
async fn an_ip_family_that_is_not_configured_is_refused() {
    let api = Api::new(&quiet().start());
    let refused = create(&api, "a", json!({"ipFamilies": ["IPv6"]})).await;
    let why = "Service \"a\" is invalid: spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on this cluster";
    assert_eq!((refused.status, refused.message()), (422, why));
}

#[tokio::test(start_paused = true)]
async fn a_load_balancer_keeps_its_health_check_node_port() {
    let api = Api::new(&quiet().start());
    let checked = json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local"});
    let spec = create(&api, "a", checked.clone()).await.body["spec"].clone();
    assert_eq!((&spec["ports"][0]["nodePort"], &spec["healthCheckNodePort"]), (&json!(30086), &json!(30087)));
    let again = api.put(&format!("{SERVICES}/a"), &service("a", &checked)).await;
    assert_eq!(again.body["spec"]["healthCheckNodePort"], 30087);
    let mut other = checked.clone();
    other["healthCheckNodePort"] = json!(30087);
    let taken = create(&api, "b", other.clone()).await;
    assert!(taken.message().contains("spec.healthCheckNodePort: Invalid value: 30087"), "{}", taken.message());
    other["healthCheckNodePort"] = json!(30088);
    let changed = api.put(&format!("{SERVICES}/a"), &service("a", &other)).await;
    assert!(
        changed.message().ends_with("spec.healthCheckNodePort: Forbidden: field is immutable"),
        "{}",
        changed.message()
    );
}

#[tokio::test(start_paused = true)]
async fn allocating_all_node_ports_takes_linear_time() {
    let api = Api::new(&quiet().start());
    // The ports from 30086 to 32767.
    let ports: Vec<Value> = (0..2_682).map(|n| json!({"name": format!("p{n}"), "port": 1 + n})).collect();
    let all = create(&api, "all", json!({"type": "NodePort", "ports": ports})).await;
    assert_eq!(all.body["spec"]["ports"][2_681]["nodePort"], 32_767);
    let again =
        api.put(&format!("{SERVICES}/all"), &service("all", &json!({"type": "NodePort", "ports": ports}))).await;
    assert_eq!(again.body["spec"]["ports"], all.body["spec"]["ports"]);
}
