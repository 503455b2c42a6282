//! Tests init containers and sidecars: their order, their statuses, their Events, and the pod's phase and conditions.

use std::time::Duration;

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::cluster_data::Folder;
use crate::support::api::{Api, PODS, Watch, item, pod};

const EVENTS: &str = "/api/v1/namespaces/default/events";

fn cluster(stages: Stages) -> (Cluster, Api) {
    let started = "2023-05-01T10:00:00Z".parse().unwrap();
    let cluster = Cluster::builder().stages(stages).nodes(1).started_at(started).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Returns the pod `a` with these init containers. The image of each container is its name.
fn with_init(names: &[&str], restart_policy: &str) -> Value {
    let mut pod = pod("a", &json!({}));
    let container = |name: &&str| match name.strip_prefix("sidecar") {
        Some(_) => json!({"name": name, "image": name, "restartPolicy": "Always"}),
        None => json!({"name": name, "image": name}),
    };
    pod["spec"]["initContainers"] = names.iter().map(container).collect();
    pod["spec"]["containers"][0]["image"] = json!("main");
    pod["spec"]["restartPolicy"] = json!(restart_policy);
    pod
}

async fn status(api: &Api) -> Value {
    api.get(&item("a")).await.body["status"].clone()
}

/// Returns ready, status and restarts: the columns of `kubectl get pods`.
async fn columns(api: &Api) -> [String; 3] {
    let table = api.table(&item("a")).await;
    [1, 2, 3].map(|column| table["rows"][0]["cells"][column].as_str().unwrap().to_owned())
}

fn condition<'a>(status: &'a Value, kind: &str) -> &'a Value {
    status["conditions"].as_array().unwrap().iter().find(|condition| condition["type"] == kind).unwrap()
}

/// Returns field, reason and message of the kubelet's Events about containers, in the order in which they were written.
async fn events(api: &Api) -> Vec<String> {
    let mut events = api.items(EVENTS).await;
    let nanos = |event: &Value| {
        let name = event["metadata"]["name"].as_str().unwrap();
        u64::from_str_radix(name.rsplit('.').next().unwrap(), 16).unwrap()
    };
    events.retain(|event| event["involvedObject"]["fieldPath"].is_string());
    events.sort_by_key(nanos);
    let texts = |event: &Value| {
        let texts = [&event["involvedObject"]["fieldPath"], &event["reason"], &event["message"]];
        texts.map(|text| text.as_str().unwrap().to_owned()).join(" ")
    };
    events.iter().map(texts).collect()
}

/// Returns the status at the next change after which this holds.
async fn until(watch: &mut Watch, holds: impl Fn(&Value) -> bool) -> Value {
    loop {
        let status = watch.next().await.unwrap()["object"]["status"].clone();
        if holds(&status) {
            return status;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn init_containers_run_one_after_the_other_before_the_regular_containers() {
    let (cluster, api) = cluster(Stages::named("run").unwrap());
    let mut watch = api.watch("").await;
    api.created(PODS, &with_init(&["first", "second"], "Always")).await;
    let status = until(&mut watch, |status| status["initContainerStatuses"][1]["state"]["running"].is_object()).await;
    let [first, second] = [0, 1].map(|index| &status["initContainerStatuses"][index]);
    let ended = &first["state"]["terminated"];
    assert_eq!((&ended["reason"], &ended["exitCode"]), (&json!("Completed"), &json!(0)));
    assert_eq!((&first["ready"], &first["started"], &first["restartCount"]), (&json!(true), &json!(false), &json!(0)));
    assert_eq!((&second["ready"], &second["started"]), (&json!(false), &json!(true)));
    assert!(second["imageID"].as_str().unwrap().starts_with("docker.io/library/second@sha256:"), "{second}");
    assert_eq!(first["containerID"], ended["containerID"]);
    let waiting = json!({"waiting": {"reason": "PodInitializing"}});
    assert_eq!((&status["phase"], &status["containerStatuses"][0]["state"]), (&json!("Pending"), &waiting));
    assert_eq!(status["podIP"], "10.244.0.1");
    let initialized = condition(&status, "Initialized");
    assert_eq!(
        (&initialized["status"], &initialized["reason"], &initialized["message"]),
        (&json!("False"), &json!("ContainersNotInitialized"), &json!("containers with incomplete status: [second]"))
    );
    assert_eq!(condition(&status, "PodReadyToStartContainers")["status"], "True");
    assert_eq!(columns(&api).await, ["0/1", "Init:1/2", "0"]);
    until(&mut watch, |status| status["initContainerStatuses"][1]["state"]["terminated"].is_object()).await;
    assert_eq!(columns(&api).await, ["0/1", "PodInitializing", "0"]);
    cluster.settled().await;
    assert_eq!(columns(&api).await, ["1/1", "Running", "0"]);
    let initialized = condition(&self::status(&api).await, "Initialized").clone();
    assert_eq!((&initialized["status"], initialized.get("reason")), (&json!("True"), None));
    let expected: Vec<String> = ["initContainers{first}", "initContainers{second}", "containers{main}"]
        .iter()
        .flat_map(|field| {
            let image = field.split(['{', '}']).nth(1).unwrap();
            let pulled = "in 600ms (600ms including waiting). Image size: 0 bytes.";
            [
                format!("spec.{field} Pulling Pulling image \"{image}\""),
                format!("spec.{field} Pulled Successfully pulled image \"{image}\" {pulled}"),
                format!("spec.{field} Created Container created"),
                format!("spec.{field} Started Container started"),
            ]
        })
        .collect();
    assert_eq!(events(&api).await, expected);
    let log = api.get("/api/v1/namespaces/default/pods/a/log?container=first").await;
    assert!(log.body.as_str().unwrap().ends_with("\nhas done its work\n"), "{}", log.body);
}

#[tokio::test(start_paused = true)]
async fn a_sidecar_starts_in_its_turn_and_runs_until_the_pod_is_deleted() {
    let (cluster, api) = cluster(Stages::named("run").unwrap());
    let mut watch = api.watch("").await;
    api.created(PODS, &with_init(&["sidecar", "last"], "Always")).await;
    let status = until(&mut watch, |status| status["initContainerStatuses"][1]["state"]["running"].is_object()).await;
    let sidecar = &status["initContainerStatuses"][0];
    assert_eq!((&sidecar["ready"], &sidecar["started"]), (&json!(true), &json!(true)));
    let unready = "containers with unready status: [main]";
    assert_eq!((&status["phase"], &condition(&status, "Ready")["message"]), (&json!("Pending"), &json!(unready)));
    cluster.settled().await;
    assert_eq!(columns(&api).await, ["2/2", "Running", "0"]);
    api.delete(&item("a")).await;
    let ended = |status: &Value| status["initContainerStatuses"][0]["state"]["terminated"].is_object();
    until(&mut watch, ended).await;
    let killed: Vec<_> = events(&api).await.into_iter().filter(|event| event.contains(" Killing ")).collect();
    assert_eq!(
        killed,
        [
            "spec.containers{main} Killing Stopping container main",
            "spec.initContainers{sidecar} Killing Stopping container sidecar"
        ]
    );
    cluster.settled().await;
    assert_eq!(api.get(&item("a")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn the_sidecar_of_a_pod_that_ends_is_stopped_after_the_regular_containers() {
    for lifecycle in ["", "error"] {
        let (cluster, api) = cluster(Stages::named("run").unwrap());
        let mut watch = api.watch("").await;
        let mut pod = with_init(&["sidecar"], "Never");
        if !lifecycle.is_empty() {
            pod["metadata"]["labels"] = json!({"lab/lifecycle": lifecycle});
        }
        api.created(PODS, &pod).await;
        let status =
            until(&mut watch, |status| status["containerStatuses"][0]["state"]["terminated"].is_object()).await;
        let sidecar = |status: &Value| status["initContainerStatuses"][0]["state"].clone();
        assert!(status["phase"] == "Running" && sidecar(&status)["running"].is_object(), "{status}");
        cluster.settled().await;
        let status = self::status(&api).await;
        let (phase, reason) =
            if lifecycle.is_empty() { ("Succeeded", "PodCompleted") } else { ("Failed", "PodFailed") };
        assert_eq!((&status["phase"], &condition(&status, "Ready")["reason"]), (&json!(phase), &json!(reason)));
        assert_eq!(sidecar(&status)["terminated"]["exitCode"], 0);
        let last = events(&api).await.pop().unwrap();
        assert_eq!(last, "spec.initContainers{sidecar} Killing Stopping container sidecar");
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_with_a_sidecar_is_complete() {
    let (_cluster, api) = cluster(Stages::named("run").unwrap());
    let spec = with_init(&["sidecar"], "OnFailure")["spec"].clone();
    let job = json!({"metadata": {"name": "pi"}, "spec": {"template": {"spec": spec}}});
    api.created("/apis/batch/v1/namespaces/default/jobs", &job).await;
    sleep(Duration::from_secs(60)).await;
    let job = api.get("/apis/batch/v1/namespaces/default/jobs/pi").await.body;
    assert_eq!(condition(&job["status"], "Complete")["status"], "True");
}

#[tokio::test(start_paused = true)]
async fn an_init_container_that_fails_starts_again_with_a_back_off() {
    let stages = "{run: [{bind: true}, {containers: {running: {}}}],
        init: [{containers: {running: {}}}, {after: 1s, containers: {terminated: {exitCode: 3, reason: Error}}}]}";
    let (cluster, api) = cluster(Stages::from_yaml(stages, "s.yaml").unwrap());
    api.created(PODS, &with_init(&["first"], "Always")).await;
    cluster.settled().await; // `settled` does not wait for a container that fails for ever
    sleep(Duration::from_millis(1_500)).await;
    assert_eq!(columns(&api).await, ["0/1", "Init:0/1", "1 (1s ago)"], "the first restart is at once");
    sleep(Duration::from_millis(15_500)).await;
    let status = status(&api).await;
    let first = &status["initContainerStatuses"][0];
    assert_eq!((&status["phase"], &first["restartCount"]), (&json!("Pending"), &json!(2)));
    assert_eq!(first["lastState"]["terminated"]["exitCode"], 3);
    assert!(first["state"]["waiting"]["message"].as_str().unwrap().starts_with("back-off 20s restarting failed"));
    assert_eq!(columns(&api).await, ["0/1", "Init:CrashLoopBackOff", "2 (4s ago)"]);
    assert!(
        events(&api).await[0].starts_with("spec.initContainers{first} BackOff Back-off restarting failed container")
    );
    api.delete(&item("a")).await;
}

#[tokio::test(start_paused = true)]
async fn an_init_container_that_fails_ends_a_pod_that_is_never_restarted() {
    let stages = "{run: [{bind: true}, {containers: {running: {}}}],
        init: [{containers: {running: {}}}, {after: 1s, containers: {terminated: {exitCode: 3, reason: Error}}}]}";
    let (cluster, api) = cluster(Stages::from_yaml(stages, "s.yaml").unwrap());
    api.created(PODS, &with_init(&["sidecar", "second", "third"], "Never")).await;
    cluster.settled().await;
    assert_eq!(columns(&api).await[1], "Init:Error");
    let status = status(&api).await;
    assert_eq!(status["phase"], "Failed");
    let states = [0, 1, 2].map(|index| &status["initContainerStatuses"][index]["state"]);
    assert!(states[0]["terminated"]["exitCode"] == 0 && states[1]["terminated"]["exitCode"] == 3, "{states:?}");
    assert!(states[2]["waiting"].is_object() && status["containerStatuses"][0]["state"]["waiting"].is_object());
}

#[tokio::test(start_paused = true)]
async fn stages_without_a_part_for_init_containers_let_them_end_at_once() {
    let (cluster, api) = cluster(Stages::default());
    api.created(PODS, &with_init(&["first", "sidecar"], "Always")).await;
    cluster.settled().await;
    assert_eq!(columns(&api).await, ["2/2", "Running", "0"]);
    let status = status(&api).await;
    let states = [0, 1].map(|index| &status["initContainerStatuses"][index]["state"]);
    assert!(states[0]["terminated"]["exitCode"] == 0 && states[1]["running"].is_object(), "{states:?}");
}

#[tokio::test]
async fn a_restarted_cluster_goes_on_with_the_init_container_that_ran() {
    const STAGES: &str = "{run: [{bind: true}, {containers: {running: {}}}],
        init: [{containers: {running: {}}}, {after: 50ms, containers: {terminated: {exitCode: 0, reason: Completed}}}]}";
    let folder = Folder::new("init-containers");
    let start = || {
        let stages = Stages::from_yaml(STAGES, "s.yaml").unwrap();
        let cluster = Cluster::builder().stages(stages).start_in(&folder.0).unwrap();
        let api = Api::new(&cluster);
        (cluster, api)
    };
    let (cluster, api) = start();
    let mut watch = api.watch("resourceVersion=0").await;
    api.created(PODS, &with_init(&["first", "second"], "Always")).await;
    let before = until(&mut watch, |status| status["initContainerStatuses"][1]["state"]["running"].is_object()).await;
    cluster.shutdown().await;

    let (cluster, api) = start();
    let mut watch = api.watch("resourceVersion=0").await;
    let after = until(&mut watch, |status| status["phase"] == "Running").await;
    assert_eq!(after["initContainerStatuses"][0], before["initContainerStatuses"][0]);
    let second = |status: &Value| status["initContainerStatuses"][1].clone();
    assert_eq!(second(&after)["state"]["terminated"]["containerID"], second(&before)["containerID"]);
    assert_eq!(second(&after)["restartCount"], 0);
    cluster.shutdown().await;
}
