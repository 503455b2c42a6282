//! Tests the EndpointSlice controller in a whole in-memory cluster.

use std::collections::BTreeMap;
use std::time::Duration;

use kube_testcluster::controllers::endpoint_slice;
use kube_testcluster::{Cluster, Controllers, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::api::{Api, PODS};
use crate::support::seconds;
use crate::support::seeds;

const SERVICES: &str = "/api/v1/namespaces/default/services";
const WEB: &str = "/api/v1/namespaces/default/services/web";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";
const NODE: &str = "/api/v1/nodes/node-1";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1);
    let cluster = cluster.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

fn service(spec: &Value) -> Value {
    let mut service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web", "labels": {"team": "a"}},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": "http", "name": "http"}]},
    });
    for (field, value) in spec.as_object().unwrap() {
        service["spec"][field] = value.clone();
    }
    service
}

fn pod(name: &str, app: &str, port: u16) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": app}},
        "spec": {"containers": [{"name": "main", "image": "web:1", "ports": [{"name": "http", "containerPort": port}]}]},
    })
}

fn label(key: &str, value: Value) -> Value {
    json!({"metadata": {"labels": {key: value}}})
}

async fn slices(api: &Api) -> Vec<Value> {
    let path = format!("{SLICES}?labelSelector=kubernetes.io/service-name%3Dweb");
    api.items(&path).await
}

fn endpoints(slice: &Value) -> &[Value] {
    slice["endpoints"].as_array().map_or(&[][..], Vec::as_slice)
}

/// Returns the only slice of the service.
async fn slice(api: &Api) -> Value {
    let mut slices = slices(api).await;
    assert_eq!(slices.len(), 1, "{slices:?}");
    slices.remove(0)
}

#[tokio::test(start_paused = true)]
async fn a_slice_has_the_address_node_and_conditions_of_each_pod() {
    let (cluster, api) = running();
    api.merge(NODE, &label("topology.kubernetes.io/zone", json!("east"))).await;
    assert_eq!(api.post(SERVICES, &service(&json!({}))).await.status, 201);
    assert_eq!(api.post(PODS, &pod("a", "web", 8080)).await.status, 201);
    api.post(PODS, &pod("other", "db", 8080)).await;
    seconds(3).await;
    let (slice, pod) = (slice(&api).await, api.get(&format!("{PODS}/a")).await.body);
    let metadata = &slice["metadata"];
    assert!(metadata["name"].as_str().unwrap().starts_with("web-"), "{slice}");
    assert_eq!(metadata["labels"]["team"], "a");
    assert_eq!(metadata["labels"]["endpointslice.kubernetes.io/managed-by"], "endpointslice-controller.k8s.io");
    assert_eq!(metadata["ownerReferences"][0]["uid"], api.get(WEB).await.body["metadata"]["uid"]);
    assert_eq!(slice["addressType"], "IPv4");
    assert_eq!(slice["ports"], json!([{"name": "http", "port": 8080, "protocol": "TCP"}]));
    let expected = json!([{
        "addresses": [pod["status"]["podIP"]], "nodeName": "node-1", "zone": "east",
        "conditions": {"ready": true, "serving": true, "terminating": false},
        "targetRef": {"kind": "Pod", "namespace": "default", "name": "a", "uid": pod["metadata"]["uid"]},
    }]);
    assert_eq!(slice["endpoints"], expected);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn slices_follow_the_pods_and_the_service() {
    let (cluster, api) = running();
    api.post(SERVICES, &service(&json!({}))).await;
    seconds(3).await;
    let empty = slice(&api).await;
    assert!(endpoints(&empty).is_empty() && empty["ports"].as_array().is_none_or(Vec::is_empty), "{empty}");

    api.post(PODS, &pod("a", "web", 8080)).await;
    api.post(PODS, &pod("b", "web", 8080)).await;
    seconds(3).await;
    let full = slice(&api).await;
    assert_eq!(full["metadata"]["name"], empty["metadata"]["name"], "the empty slice is reused");
    assert_eq!(endpoints(&full).len(), 2);

    api.post(PODS, &pod("c", "web", 9090)).await;
    seconds(3).await;
    let ports: Vec<Value> = slices(&api).await.iter().map(|slice| slice["ports"][0]["port"].clone()).collect();
    assert!(ports.contains(&json!(8080)) && ports.contains(&json!(9090)) && ports.len() == 2, "{ports:?}");

    api.merge(&format!("{PODS}/c"), &label("app", json!("else"))).await;
    api.delete(&format!("{PODS}/b")).await;
    api.merge(WEB, &label("team", json!("b"))).await;
    seconds(3).await;
    let left = slice(&api).await;
    assert_eq!((endpoints(&left).len(), &left["metadata"]["labels"]["team"]), (1, &json!("b")), "{left}");

    api.delete(&format!("{SLICES}/{}", left["metadata"]["name"].as_str().unwrap())).await;
    seconds(3).await;
    assert_eq!(endpoints(&slice(&api).await), endpoints(&left), "a deleted slice is created again");

    api.delete(WEB).await;
    seconds(3).await;
    assert!(slices(&api).await.is_empty());
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_slice_has_at_most_a_hundred_endpoints() {
    let (cluster, api) = running();
    for n in 0..105 {
        api.post(PODS, &pod(&format!("p{n}"), "web", 80)).await;
    }
    seconds(3).await;
    api.post(SERVICES, &service(&json!({}))).await;
    seconds(3).await;
    let mut counts: Vec<usize> = slices(&api).await.iter().map(|slice| endpoints(slice).len()).collect();
    counts.sort_unstable();
    assert_eq!(counts, [5, 100]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn unready_pods_are_not_ready_endpoints_and_ready_endpoints_get_hints() {
    let (cluster, api) = running();
    api.merge(NODE, &label("topology.kubernetes.io/zone", json!("east"))).await;
    let spec = json!({"clusterIP": "None", "trafficDistribution": "PreferSameNode"});
    assert_eq!(api.post(SERVICES, &service(&spec)).await.status, 201);
    api.post(PODS, &pod("a", "web", 80)).await;
    let mut slow = pod("b", "web", 80);
    slow["metadata"]["labels"]["lab/lifecycle"] = json!("never-ready");
    slow["spec"]["hostname"] = json!("first");
    slow["spec"]["subdomain"] = json!("web");
    api.post(PODS, &slow).await;
    seconds(3).await;
    let slice = slice(&api).await;
    assert_eq!(slice["metadata"]["labels"]["service.kubernetes.io/headless"], "");
    let of = |name: &str| endpoints(&slice).iter().find(|one| one["targetRef"]["name"] == name).unwrap();
    let near = json!({"forZones": [{"name": "east"}], "forNodes": [{"name": "node-1"}]});
    assert_eq!((&of("a")["hints"], &of("a")["conditions"]["ready"]), (&near, &json!(true)));
    assert_eq!((&of("b")["hints"], &of("b")["conditions"]["ready"]), (&Value::Null, &json!(false)));
    assert_eq!((&of("a")["hostname"], &of("b")["hostname"]), (&Value::Null, &json!("first")));

    api.merge(WEB, &json!({"spec": {"publishNotReadyAddresses": true, "trafficDistribution": null}})).await;
    seconds(3).await;
    let slice = self::slice(&api).await;
    assert!(
        endpoints(&slice).iter().all(|one| one["conditions"]["ready"] == true && one["hints"].is_null()),
        "{slice}"
    );
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn services_without_a_selector_or_with_an_external_name_get_no_slices() {
    let (cluster, api) = running();
    api.post(SERVICES, &service(&json!({"selector": null}))).await;
    let alias = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "alias"},
        "spec": {"type": "ExternalName", "externalName": "example.com", "selector": {"app": "web"}},
    });
    assert_eq!(api.post(SERVICES, &alias).await.status, 201);
    api.post(PODS, &pod("a", "web", 80)).await;
    seconds(3).await;
    assert!(api.get(SLICES).await.names().is_empty());
    cluster.shutdown().await;
}

/// Makes one random change to the service, a pod or a slice, or starts a fault.
async fn change(random: &mut fastrand::Rng, cluster: &Cluster, api: &Api) {
    const FAULTS: [&str; 6] = [
        "429:verb=create,times=4",
        "500:verb=update,times=3",
        "500:verb=create,times=2",
        "500:verb=delete,times=2",
        "lag:for=900ms",
        "drop-watches",
    ];
    let one = format!("{PODS}/p{}", random.u8(..8));
    match random.u8(..10) {
        0..3 => {
            let app = random.choice(["web", "db"]).unwrap();
            api.post(PODS, &pod(&format!("p{}", random.u8(..8)), app, 80 + random.u16(..2))).await;
        }
        3 => drop(api.delete(&one).await),
        4 => drop(api.merge(&one, &label("app", json!(random.choice(["web", "db"]).unwrap()))).await),
        5 => {
            let slices = api.get(SLICES).await;
            if let Some(slice) = random.choice(slices.names()) {
                let path = format!("{SLICES}/{slice}");
                match random.u8(..3) {
                    0 => drop(api.delete(&path).await),
                    1 => drop(api.merge(&path, &json!({"endpoints": []})).await),
                    _ => drop(api.merge(&path, &label("kubernetes.io/service-name", json!("db"))).await),
                }
            }
        }
        6 => {
            let target = if random.bool() { json!("http") } else { json!(random.u16(1..9)) };
            api.merge(WEB, &json!({"spec": {"ports": [{"port": 80, "targetPort": target, "name": "http"}]}})).await;
        }
        7 => drop(api.merge(WEB, &label("team", json!(random.choice(["a", "b"]).unwrap()))).await),
        8 => {
            api.delete(WEB).await;
            api.post(SERVICES, &service(&json!({}))).await;
        }
        _ => cluster.faults().start(random.choice(FAULTS).unwrap().parse().unwrap()),
    }
}

/// The controller runs as a client of the test, so that the faults affect it too.
#[tokio::test(start_paused = true)]
async fn after_any_changes_the_slices_have_each_selected_pod_once() {
    for seed in seeds(3) {
        let mut random = fastrand::Rng::with_seed(seed);
        let builder = Cluster::builder().stages(Stages::named("fast").unwrap()).nodes(1).seed(seed);
        let cluster = builder.controllers(Controllers::Housekeeping).commit_latency(Duration::from_millis(1)).start();
        let (api, stop) = (Api::new(&cluster), CancellationToken::new());
        let run = tokio::spawn(endpoint_slice::run(cluster.client("default"), stop.clone()));
        api.post(SERVICES, &service(&json!({}))).await;
        for _ in 0..30 {
            change(&mut random, &cluster, &api).await;
            sleep(Duration::from_millis(random.u64(..2000))).await;
        }
        cluster.faults().end_all();
        seconds(5).await;
        api.post(SERVICES, &service(&json!({}))).await; // no effect if the service exists
        seconds(1200).await; // longer than any back-off
        let web = api.get(WEB).await.body;
        let target = web.pointer("/spec/ports/0/targetPort").unwrap().as_i64();
        let pods = api.items(PODS).await;
        let selected = pods.iter().filter(|pod| pod["metadata"]["labels"]["app"] == "web");
        let of_pod = |pod: &Value| {
            let own = pod.pointer("/spec/containers/0/ports/0/containerPort").unwrap().as_i64();
            (pod["metadata"]["uid"].as_str().unwrap().to_owned(), (target.or(own), pod["status"]["podIP"].clone()))
        };
        let wanted: BTreeMap<_, _> = selected.map(of_pod).collect();
        let slices = slices(&api).await;
        let found = slices.iter().flat_map(|slice| endpoints(slice).iter().map(move |one| (slice, one)));
        let found: Vec<_> = found
            .map(|(slice, one)| {
                let uid = one["targetRef"]["uid"].as_str().unwrap().to_owned();
                (uid, (slice["ports"][0]["port"].as_i64(), one["addresses"][0].clone()))
            })
            .collect();
        assert_eq!(found.len(), wanted.len(), "seed {seed}: {slices:?}");
        assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), wanted, "seed {seed}");
        for slice in &slices {
            assert_eq!(slice["metadata"]["labels"]["team"], web["metadata"]["labels"]["team"], "seed {seed}: {slice}");
        }
        stop.cancel();
        run.await.unwrap().unwrap();
        cluster.shutdown().await;
    }
}
