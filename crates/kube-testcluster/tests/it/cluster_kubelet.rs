//! Tests the kubelet with its stages of a pod's life, scenarios, and the YAML files that define them.

use std::time::Duration;

use kube_testcluster::{Cluster, Era, Scenario, Stages, pods_from_yaml};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::support::api::{Api, PODS, pod, quiet, version};

const NETTOOL: &str = include_str!("../../../../fixtures/scenarios/nettool.yaml");
const FOUR_PODS: &str = include_str!("../../../../fixtures/pods.yaml");
/// The stages of the tutorial `myinformer`. A deletion gives three MODIFIED there, one less than by default, because
/// its network plugin writes nothing.
const MYINFORMER: &str = include_str!("../../../../fixtures/stages/myinformer.yaml");

/// Returns the type of each event and the phase of its pod, such as `MODIFIED Running`.
fn phases(events: &[Value]) -> Vec<String> {
    let phase = |event: &Value| event["object"]["status"]["phase"].as_str().unwrap().to_owned();
    events.iter().map(|event| format!("{} {}", event["type"].as_str().unwrap(), phase(event))).collect()
}

/// Plays the scenario `nettool.yaml` in a cluster with these stages, and returns the watch events of its pods.
async fn play(stages: Stages) -> Vec<Value> {
    let cluster = Cluster::builder().stages(stages).start();
    let api = Api::new(&cluster);
    let mut watch = api.watch("").await;
    let scenario = Scenario::from_yaml(NETTOOL, "nettool.yaml").unwrap();
    scenario.play(cluster.client("default"), "default", |_| {}).await.unwrap();
    cluster.settled().await;
    let events = watch.events().await;
    cluster.shutdown().await;
    events
}

#[tokio::test(start_paused = true)]
async fn a_pod_that_is_run_and_deleted_gives_the_events_of_the_tutorial() {
    let events = play(Stages::default()).await;
    let expected = [
        "ADDED Pending",
        "MODIFIED Pending",
        "MODIFIED Pending",
        "MODIFIED Pending",
        "MODIFIED Running",
        "MODIFIED Running",
        "MODIFIED Running",
        "MODIFIED Running",
        "MODIFIED Running",
        "DELETED Running",
    ];
    assert_eq!(phases(&events), expected);
    assert!(events.windows(2).all(|pair| version(&pair[0]) < version(&pair[1])));
    let graces: Vec<_> =
        events[5..].iter().map(|event| event["object"]["metadata"]["deletionGracePeriodSeconds"].as_i64()).collect();
    assert_eq!(graces, [Some(30), Some(30), Some(30), Some(0), Some(0)]);
    let running = &events[4]["object"];
    assert_eq!(running["status"]["containerStatuses"][0]["name"], "nettool");
    assert_eq!(running["metadata"]["labels"], json!({"run": "nettool"}));
    assert_eq!(running["status"]["podIP"], "10.244.0.1");
    assert_eq!(running["metadata"]["annotations"], json!({"cni.example.com/podIP": "10.244.0.1/32"}));
}

#[tokio::test(start_paused = true)]
async fn the_stages_of_myinformer_give_three_updates_on_a_deletion() {
    let events = phases(&play(Stages::from_yaml(MYINFORMER, "myinformer.yaml").unwrap()).await);
    // The first of these is the start of the pod.
    assert_eq!(
        events[4..],
        ["MODIFIED Running", "MODIFIED Running", "MODIFIED Running", "MODIFIED Running", "DELETED Running"]
    );
}

#[tokio::test(start_paused = true)]
async fn settled_waits_until_every_pod_has_reached_its_last_stage() {
    let cluster = Cluster::builder().start();
    let api = Api::new(&cluster);
    cluster.settled().await;
    let start = Instant::now();
    api.post(PODS, &pod("a", &json!({}))).await;
    cluster.settled().await; // called before the kubelet has seen the pod
    assert_eq!(start.elapsed(), Duration::from_millis(600)); // four stages of 150 ms
    assert_eq!(api.get(&format!("{PODS}/a")).await.body["status"]["phase"], "Running");
    api.delete(&format!("{PODS}/a")).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn a_pod_deleted_before_it_is_bound_does_not_disturb_its_successor() {
    let cluster = Cluster::builder().start();
    let api = Api::new(&cluster);
    api.post(PODS, &pod("a", &json!({}))).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    api.delete(&format!("{PODS}/a")).await;
    api.post(PODS, &pod("a", &json!({}))).await;
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/a")).await.body["status"]["phase"], "Running");
}

#[tokio::test(start_paused = true)]
async fn a_pod_deleted_while_it_starts_never_runs() {
    let cluster = Cluster::builder().start();
    let api = Api::new(&cluster);
    let mut watch = api.watch("").await;
    api.post(PODS, &pod("a", &json!({}))).await;
    tokio::time::sleep(Duration::from_millis(200)).await; // the pod is bound by now
    api.delete(&format!("{PODS}/a")).await;
    cluster.settled().await;
    let events = phases(&watch.events().await);
    assert_eq!(
        events,
        [
            "ADDED Pending",
            "MODIFIED Pending",
            "MODIFIED Pending",
            "MODIFIED Pending",
            "MODIFIED Pending",
            "MODIFIED Pending",
            "DELETED Pending"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn the_tutorials_four_pods_are_running_from_the_start_and_stay_unchanged() {
    let pods = pods_from_yaml(FOUR_PODS, "pods.yaml", "default").unwrap();
    let cluster = Cluster::builder().pods(pods).start();
    let api = Api::new(&cluster);
    let before = api.get(PODS).await;
    let names = [
        "quickstart-es-default-0",
        "robusta-forwarder-5f65fd6fbb-s2trs",
        "robusta-runner-567655bf5b-v4xvj",
        "wiremock-84d49c989c-zg4ls",
    ];
    assert_eq!(before.names(), names);
    let apps: Vec<_> =
        before.body["items"].as_array().unwrap().iter().map(|pod| pod["metadata"]["labels"]["app"].clone()).collect();
    assert_eq!(apps, ["quickstart-es", "robusta-forwarder", "robusta-runner", "wiremock"]);
    assert!(before.body["items"].as_array().unwrap().iter().all(|pod| pod["status"]["phase"] == "Running"));
    cluster.settled().await;
    assert_eq!(api.get(PODS).await.version(), before.version());
}

#[tokio::test(start_paused = true)]
async fn the_last_two_writes_of_a_deletion_are_one_commit_latency_apart() {
    let latency = Duration::from_millis(40);
    let cluster = quiet().commit_latency(latency).start();
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    let mut watch = api.watch("").await;
    watch.next().await;
    let deleting = tokio::spawn({
        let api = api.clone();
        async move { api.delete(&format!("{PODS}/a")).await.status }
    });
    let mut moments = Vec::new();
    for expected in ["MODIFIED", "DELETED"] {
        let event = loop {
            let event = watch.next().await.unwrap();
            if event["type"] != "BOOKMARK" {
                break event;
            }
        };
        assert_eq!(event["type"], expected);
        moments.push(Instant::now());
    }
    assert_eq!(moments[1] - moments[0], latency);
    assert_eq!(deleting.await.unwrap(), 200);
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_run() {
    async fn run(seed: u64) -> Vec<String> {
        let pods = pods_from_yaml(FOUR_PODS, "pods.yaml", "default").unwrap();
        let start = "2023-05-01T10:00:00Z".parse().unwrap();
        let cluster = Cluster::builder().seed(seed).era(Era::Classic).pods(pods).started_at(start).start();
        let api = Api::new(&cluster);
        let mut watch = api.watch("").await;
        let scenario = "[{at: 1s, run: b}, {at: 1s, run: a}, {at: 1100ms, label: a, set: {x: y}}, {at: 2s, delete: a}]";
        let scenario = Scenario::from_yaml(scenario, "scenario.yaml").unwrap();
        scenario.play(cluster.client("default"), "default", |_| {}).await.unwrap();
        cluster.settled().await;
        let events = watch.events().await.iter().map(ToString::to_string).collect();
        cluster.shutdown().await;
        events
    }
    let once = run(1).await;
    assert!(once.len() >= 20);
    assert_eq!(once, run(1).await);
    assert_ne!(once, run(2).await);
}

#[tokio::test(start_paused = true)]
async fn a_scenario_reports_its_steps_as_kubectl_commands_at_their_times() {
    let text = "
- {at: 4s, delete: web}
- {at: 1s, run: web}
- {at: 2s, label: web, set: {tier: front, run: null}}
- {at: 1s, run: db, image: postgres, labels: {app: db}, namespace: default}
";
    let scenario = Scenario::from_yaml(text, "scenario.yaml").unwrap();
    let cluster = Cluster::builder().start();
    let start = Instant::now();
    let mut reported = Vec::new();
    let report = |step: &kube_testcluster::Step| reported.push(format!("{}: {step}", start.elapsed().as_secs()));
    scenario.play(cluster.client("default"), "default", report).await.unwrap();
    assert_eq!(
        reported,
        [
            "1: kubectl run web --image=nginx",
            "1: kubectl run db --image=postgres --labels=app=db -n default",
            "2: kubectl label pod web run- tier=front",
            "4: kubectl delete pod web",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_step_that_the_cluster_refuses_ends_the_scenario() {
    let scenario = Scenario::from_yaml("[{at: 0s, delete: nosuch}]", "scenario.yaml").unwrap();
    let cluster = Cluster::builder().start();
    let error = scenario.play(cluster.client("default"), "default", |_| {}).await.unwrap_err();
    assert!(error.to_string().starts_with("kubectl delete pod nosuch: "), "{error}");
    assert!(error.to_string().contains("pods \"nosuch\" not found"), "{error}");
}

#[test]
fn a_malformed_file_is_reported_with_file_line_and_expectation() {
    let scenario = |text: &str| Scenario::from_yaml(text, "s.yaml").unwrap_err().to_string();
    let stages = |text: &str| Stages::from_yaml(text, "st.yaml").unwrap_err().to_string();
    let pods = |text: &str| pods_from_yaml(text, "p.yaml", "default").unwrap_err().to_string();
    for (found, expected) in [
        (scenario("- {at: 1s, run: a}\n- {at: soon, run: b}"), "s.yaml:2: expected a duration that is not negative"),
        (scenario("- {at: -1s, run: a}"), "s.yaml:1: expected a duration that is not negative"),
        (
            scenario("- at: 1s\n  run: a\n- at: 1s\n  run: a\n  delete: b"),
            "s.yaml:3: expected a step with exactly one of",
        ),
        (scenario("- {at: 1s}"), "s.yaml:1: expected a step with exactly one of run, delete, label, delete-one,"),
        (scenario("- {at: 1s, scale: a}"), "s.yaml:1: expected replicas: NUMBER beside replicaset and scale"),
        (
            scenario("- {at: 1s, replicaset: a, replicas: 1}"),
            "s.yaml:1: expected labels: {KEY: VALUE} beside replicaset",
        ),
        (scenario("- {at: 1s, run: a, replicas: 1}"), "s.yaml:1: expected replicas only beside"),
        (scenario("- {at: 1s, label: a}"), "s.yaml:1: expected set: {KEY: VALUE or null} beside label"),
        (scenario("- {at: 1s, delete: a, image: b}"), "s.yaml:1: expected image and labels only beside run"),
        (scenario("- {at: 1s, runn: a}"), "s.yaml:1: "),
        (scenario("run: a"), "s.yaml:1: "),
        (scenario("- {at: 1s, run: [}"), "s.yaml:1: "),
        (stages("run:\n- {after: 1s, bind: a, remove: true}"), "st.yaml:2: expected a step with exactly one of"),
        (stages("run:\n- {after: 1s}"), "st.yaml:2: expected a step with exactly one of"),
        (stages("run:\n- {after: 1s, status: Running}"), "st.yaml:2: expected status to be a mapping"),
        (stages("runs: []"), "st.yaml:1: "),
        (pods("a: b\n---\nkind: Deployment"), "p.yaml:1: expected a Pod with metadata.name"),
        (pods("kind: Deployment"), "p.yaml:1: expected a Pod, found kind Deployment"),
        (
            pods("- metadata: {name: a}\n  spec: {containers: [{name: a, image: b}]}\n- metadata: {name: b}"),
            "p.yaml:3: expected a valid Pod, but in \"b\" spec.containers: Required value",
        ),
        (
            pods("- {metadata: {name: a}, spec: {containers: x}}"),
            "p.yaml:1: expected a Pod: cannot unmarshal string into Go struct field PodSpec.spec.containers",
        ),
        (pods("- 5"), "p.yaml:1: expected a Pod, found something that is not a mapping"),
        (
            pods("- &a {metadata: {name: a}, spec: {containers: [{name: a, image: b}]}}\n- *a"),
            "p.yaml:2: expected every pod once, found a again",
        ),
    ] {
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
    }
    // The YAML parser words the rest of these messages, so the test only prints them.
    println!(
        "{}\n{}\n{}\n{}\n{}",
        scenario("- {at: 1s, runn: a}"),
        scenario("run: a"),
        scenario("- {at: 1s, run: [}"),
        stages("runs: []"),
        pods("a: [b")
    );
}

#[test]
fn pods_are_read_from_documents_lists_and_sequences() {
    let one = |name: &str| format!("{{metadata: {{name: {name}}}, spec: {{containers: [{{name: a, image: b}}]}}}}");
    let documents = format!("---\n{}\n---\n---\n{}\n", one("a"), one("b"));
    let list = format!("{{apiVersion: v1, kind: List, items: [{}, {}]}}", one("a"), one("b"));
    let sequence = format!("- {}\n- {}\n", one("a"), one("b"));
    for text in [documents, list, sequence] {
        let pods = pods_from_yaml(&text, "pods.yaml", "shop").unwrap();
        let keys: Vec<_> =
            pods.iter().map(|pod| (pod.metadata.namespace.as_deref(), pod.metadata.name.as_deref())).collect();
        assert_eq!(keys, [(Some("shop"), Some("a")), (Some("shop"), Some("b"))]);
    }
    assert!(pods_from_yaml("", "pods.yaml", "shop").unwrap().is_empty());
}

#[test]
fn a_duration_beyond_any_clock_is_refused() {
    let error = Scenario::from_yaml("[{at: 2562047788015215h, run: a}]", "scenario.yaml").unwrap_err();
    assert!(error.to_string().starts_with("scenario.yaml:1: expected a duration"), "{error}");
}

fn condition<'a>(pod: &'a Value, kind: &str) -> &'a Value {
    pod["status"]["conditions"].as_array().unwrap().iter().find(|condition| condition["type"] == kind).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_kubelet_keeps_conditions_that_other_clients_set() {
    for stages in [Stages::default(), Stages::named("run").unwrap()] {
        let cluster = Cluster::builder().stages(stages).start();
        let api = Api::new(&cluster);
        api.pod("a", &json!({})).await;
        sleep(Duration::from_millis(200)).await;
        let theirs = json!({"type": "example.com/theirs", "status": "True"});
        let patch = json!({"status": {"conditions": [theirs]}}).to_string();
        let patched =
            api.send("PATCH", &format!("{PODS}/a/status"), "application/strategic-merge-patch+json", patch).await;
        assert_eq!(patched.status, 200);
        cluster.settled().await;
        let pod = api.get(&format!("{PODS}/a")).await.body;
        assert_eq!(pod["status"]["phase"], "Running");
        assert_eq!(condition(&pod, "example.com/theirs")["status"], "True");
        let (ready, scheduled) = (condition(&pod, "Ready"), condition(&pod, "PodScheduled"));
        assert_eq!(
            (&ready["status"], ready.get("reason"), &scheduled["status"]),
            (&json!("True"), None, &json!("True"))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_in_the_network_of_its_node_has_the_address_of_the_node() {
    let cluster = Cluster::builder().nodes(2).stages(Stages::named("fast").unwrap()).start();
    let api = Api::new(&cluster);
    let mut host = pod("host", &json!({}));
    host["spec"]["hostNetwork"] = json!(true);
    api.post(PODS, &host).await;
    api.pod("own", &json!({})).await;
    cluster.settled().await;
    for (name, is_the_nodes) in [("host", true), ("own", false)] {
        let status = &api.get(&format!("{PODS}/{name}")).await.body["status"];
        assert!(status["hostIP"].is_string());
        assert_eq!(status["podIP"] == status["hostIP"], is_the_nodes, "{name}");
        assert_eq!(status["podIPs"], json!([{"ip": status["podIP"]}]));
    }
}

#[tokio::test(start_paused = true)]
async fn a_pod_is_ready_only_if_its_readiness_gates_are_true() {
    let cluster = Cluster::builder().stages(Stages::named("fast").unwrap()).start();
    let api = Api::new(&cluster);
    let mut gated = pod("a", &json!({}));
    gated["spec"]["readinessGates"] = json!([{"conditionType": "example.com/open"}]);
    api.post(PODS, &gated).await;
    cluster.settled().await;
    let ready = async || {
        let pod = api.get(&format!("{PODS}/a")).await.body;
        assert_eq!(condition(&pod, "ContainersReady")["status"], "True");
        let ready = condition(&pod, "Ready");
        [&ready["status"], &ready["reason"], &ready["message"]].map(|text| text.as_str().unwrap_or_default().to_owned())
    };
    let missing = "corresponding condition of pod readiness gate \"example.com/open\" does not exist.";
    assert_eq!(ready().await, ["False", "ReadinessGatesNotReady", missing]);
    let closed = "the status of pod readiness gate \"example.com/open\" is not \"True\", but False";
    for (status, expected) in [("True", ["True", "", ""]), ("False", ["False", "ReadinessGatesNotReady", closed])] {
        let patch = json!({"status": {"conditions": [{"type": "example.com/open", "status": status}]}}).to_string();
        api.send("PATCH", &format!("{PODS}/a/status"), "application/strategic-merge-patch+json", patch).await;
        cluster.settled().await;
        assert_eq!(ready().await, expected);
    }
}
