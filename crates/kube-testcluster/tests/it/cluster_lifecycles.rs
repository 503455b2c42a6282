//! Tests the built-in lifecycles of pods, as the columns of kubectl and the events show them.

use std::time::Duration;

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::support::api::{Api, PODS, pod};

fn cluster(stages: &str) -> Cluster {
    let started = "2023-05-01T10:00:00Z".parse().unwrap();
    Cluster::builder().stages(Stages::named(stages).unwrap()).nodes(2).started_at(started).start()
}

fn labelled(name: &str, lifecycle: &str) -> Value {
    pod(name, &json!({"lab/lifecycle": lifecycle}))
}

/// Returns ready, status and restarts: the columns of `kubectl get pods`.
async fn columns(api: &Api, name: &str) -> [String; 3] {
    let request = http::Request::get(format!("{PODS}/{name}"))
        .header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
        .body(axum::body::Body::empty())
        .unwrap();
    let body = http_body_util::BodyExt::collect(api.raw(request).await.into_body()).await.unwrap().to_bytes();
    let table: Value = serde_json::from_slice(&body).unwrap();
    [1, 2, 3].map(|column| table["rows"][0]["cells"][column].as_str().unwrap().to_owned())
}

/// Returns type, reason and count of each event of a pod, in chronological order.
async fn events(api: &Api, name: &str) -> Vec<String> {
    let list = api.get(&format!("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3D{name}")).await;
    let mut events: Vec<(u64, String)> = list.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            assert_eq!(event["involvedObject"]["kind"], "Pod");
            let name = event["metadata"]["name"].as_str().unwrap();
            // The name of an event ends with its time in nanoseconds, in hexadecimal.
            let nanos = u64::from_str_radix(name.rsplit('.').next().unwrap(), 16).unwrap();
            let text = |field: &str| event[field].as_str().unwrap();
            (nanos, format!("{} {} {}", text("type"), text("reason"), event["count"]))
        })
        .collect();
    events.sort();
    events.into_iter().map(|(_, event)| event).collect()
}

#[tokio::test(start_paused = true)]
async fn a_pod_runs_as_on_a_real_node_with_the_same_events() {
    let cluster = cluster("run");
    let api = Api::new(&cluster);
    api.pod("web", &json!({})).await;
    cluster.settled().await;
    assert_eq!(columns(&api, "web").await, ["1/1", "Running", "0"]);
    let pod = api.get(&format!("{PODS}/web")).await.body;
    let status = &pod["status"];
    assert_eq!(
        (&status["podIP"], &status["hostIP"], &pod["spec"]["nodeName"], &status["qosClass"]),
        (&json!("10.244.0.1"), &json!("192.0.2.1"), &json!("node-1"), &json!("BestEffort"))
    );
    let conditions: Vec<String> = status["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {} {}", one["type"], one["status"], one["lastTransitionTime"]).replace('"', ""))
        .collect();
    assert_eq!(
        conditions,
        [
            "PodReadyToStartContainers True 2023-05-01T10:00:01Z",
            "Initialized True 2023-05-01T10:00:00Z",
            "Ready True 2023-05-01T10:00:01Z",
            "ContainersReady True 2023-05-01T10:00:01Z",
            "PodScheduled True 2023-05-01T10:00:00Z",
        ]
    );
    let container = &status["containerStatuses"][0];
    assert_eq!((&container["ready"], &container["started"]), (&json!(true), &json!(true)));
    assert!(container["containerID"].as_str().unwrap().starts_with("containerd://"), "{container}");
    assert!(container["imageID"].as_str().unwrap().starts_with("docker.io/library/nginx@sha256:"), "{container}");
    assert_eq!(
        events(&api, "web").await,
        ["Normal Scheduled null", "Normal Pulling 1", "Normal Pulled 1", "Normal Created 1", "Normal Started 1"]
    );
    api.delete(&format!("{PODS}/web")).await;
    sleep(Duration::from_millis(500)).await;
    assert_eq!(columns(&api, "web").await, ["1/1", "Terminating", "0"]);
    cluster.settled().await;
    assert_eq!(api.get(&format!("{PODS}/web")).await.status, 404);
    assert_eq!(events(&api, "web").await.last().unwrap(), "Normal Killing 1");
}

#[tokio::test(start_paused = true)]
async fn a_container_whose_image_changes_is_restarted_and_the_status_names_the_generation_that_was_seen() {
    let cluster = cluster("run");
    let api = Api::new(&cluster);
    api.pod("web", &json!({})).await;
    cluster.settled().await;
    let observed = |status: &Value| {
        let conditions = status["conditions"].as_array().unwrap();
        (status["observedGeneration"].clone(), conditions.iter().map(|one| one["observedGeneration"].clone()).collect())
    };
    let before = api.get(&format!("{PODS}/web")).await.body["status"].clone();
    assert_eq!(observed(&before), (json!(1), vec![json!(1); 5]));
    let container = &before["containerStatuses"][0];
    let patch = json!({"spec": {"containers": [{"name": container["name"], "image": "nginx:1.29"}]}});
    let strategic = "application/strategic-merge-patch+json";
    let patched = api.send("PATCH", &format!("{PODS}/web"), strategic, patch.to_string()).await;
    assert_eq!(patched.status, 200, "{}", patched.body);
    cluster.settled().await;
    let after = api.get(&format!("{PODS}/web")).await.body["status"].clone();
    assert_eq!(observed(&after), (json!(2), vec![json!(2); 5]));
    let restarted = &after["containerStatuses"][0];
    assert_eq!((&restarted["image"], &restarted["restartCount"]), (&json!("nginx:1.29"), &json!(1)));
    assert_eq!(restarted["lastState"]["terminated"]["containerID"], container["containerID"]);
    assert_ne!(restarted["containerID"], container["containerID"]);
    let written = events(&api, "web").await;
    assert_eq!(
        written[5..],
        ["Normal Killing 1", "Normal Pulled 1", "Normal Created 1", "Normal Started 1"],
        "{written:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_crash_loop_restarts_with_a_growing_back_off() {
    let cluster = cluster("run");
    let api = Api::new(&cluster);
    let mut watch = api.watch("").await;
    api.post(PODS, &labelled("bad", "crash-loop")).await;
    cluster.settled().await; // `settled` does not wait for stages that never end
    sleep(Duration::from_secs(60)).await;
    assert_eq!(columns(&api, "bad").await, ["0/1", "CrashLoopBackOff", "3 (23s ago)"]);
    let mut backoffs = Vec::new();
    for event in watch.events().await {
        let waiting = &event["object"]["status"]["containerStatuses"][0]["state"]["waiting"];
        if waiting["reason"] == "CrashLoopBackOff" {
            let message = waiting["message"].as_str().unwrap().to_owned();
            backoffs.push(message.split(" restarting").next().unwrap().to_owned());
        }
    }
    assert_eq!(backoffs, ["back-off 10s", "back-off 20s", "back-off 40s"]);
    let status = api.get(&format!("{PODS}/bad")).await.body["status"].clone();
    assert_eq!(status["phase"], "Running");
    let last = &status["containerStatuses"][0]["lastState"]["terminated"];
    assert_eq!((&last["exitCode"], &last["reason"]), (&json!(1), &json!("Error")));
    assert!(events(&api, "bad").await.contains(&"Warning BackOff 3".to_owned()));
    sleep(Duration::from_secs(3600)).await;
    let [_, _, restarts] = columns(&api, "bad").await;
    assert!(restarts.starts_with("17 "), "{restarts}: the back-off should end at five minutes");
    api.delete(&format!("{PODS}/bad")).await;
    sleep(Duration::from_secs(2)).await;
    assert_eq!(api.get(&format!("{PODS}/bad")).await.status, 404);
}

#[tokio::test(start_paused = true)]
async fn each_lifecycle_ends_in_its_own_status() {
    let cluster = cluster("run");
    let api = Api::new(&cluster);
    // The first name is `run`, the lifecycle of the cluster.
    for name in &Stages::NAMES[1..] {
        api.post(PODS, &labelled(name, name)).await;
    }
    let mut once = pod("once", &json!({}));
    once["spec"]["restartPolicy"] = json!("Never");
    api.post(PODS, &once).await;
    sleep(Duration::from_millis(2)).await;
    assert_eq!(columns(&api, "fast").await, ["1/1", "Running", "0"]);
    sleep(Duration::from_secs(6)).await;
    assert_eq!(columns(&api, "slow-image").await, ["0/1", "ImagePullBackOff", "0"]);
    sleep(Duration::from_secs(24)).await;
    for (name, ready, status, phase) in [
        ("slow-image", "1/1", "Running", "Running"),
        ("bad-image", "0/1", "ImagePullBackOff", "Pending"),
        ("completed", "0/1", "Completed", "Succeeded"),
        ("once", "0/1", "Completed", "Succeeded"),
        ("error", "0/1", "Error", "Failed"),
        ("evicted", "0/1", "Evicted", "Failed"),
        ("never-ready", "0/1", "Running", "Running"),
    ] {
        assert_eq!(columns(&api, name).await[..2], [ready, status], "{name}");
        assert_eq!(api.get(&format!("{PODS}/{name}")).await.body["status"]["phase"], phase, "{name}");
    }
    let evicted = api.get(&format!("{PODS}/evicted")).await.body["status"].clone();
    assert_eq!(evicted["reason"], "Evicted");
    let completed = api.get(&format!("{PODS}/completed")).await.body["status"]["conditions"].clone();
    let ready = completed.as_array().unwrap().iter().find(|condition| condition["type"] == "Ready").unwrap();
    assert_eq!((&ready["status"], &ready["reason"]), (&json!("False"), &json!("PodCompleted")));
}

#[tokio::test(start_paused = true)]
async fn the_clusters_lifecycle_applies_to_pods_without_the_label() {
    let cluster = cluster("never-ready");
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    api.post(PODS, &labelled("b", "fast")).await;
    cluster.settled().await;
    sleep(Duration::from_secs(5)).await;
    assert_eq!(columns(&api, "a").await[..2], ["0/1", "Running"]);
    assert_eq!(columns(&api, "b").await[..2], ["1/1", "Running"]);
}

#[tokio::test(start_paused = true)]
async fn a_lifecycle_is_selected_by_annotation_image_or_field_and_the_first_match_counts() {
    let step = |text: &str| format!("run: [{{bind: node-1}}, {{status: {{message: {text}}}}}]");
    let lifecycle = |name: &str, selector: &str| format!("- {{name: {name}, for: [{selector}], {}}}\n", step(name));
    let text = format!(
        "{}\nlifecycles:\n{}{}{}",
        step("other"),
        lifecycle("annotated", "{annotations: lab/x in (1)}"),
        lifecycle("image", "{image: postgres}"),
        lifecycle("field", "{fields: spec.restartPolicy=Never, image: nginx}"),
    );
    let cluster = Cluster::builder().stages(Stages::from_yaml(&text, "s.yaml").unwrap()).start();
    let api = Api::new(&cluster);
    let make = |name: &str, image: &str, policy: &str, annotation: Value| {
        let mut pod = pod(name, &json!({}));
        pod["metadata"]["annotations"] = annotation;
        pod["spec"]["containers"][0]["image"] = json!(image);
        pod["spec"]["restartPolicy"] = json!(policy);
        pod
    };
    for (name, pod) in [
        ("annotated", make("a", "postgres:16", "Always", json!({"lab/x": "1"}))),
        ("image", make("b", "postgres:16", "Never", json!({}))),
        ("other", make("c", "postgres2", "Never", json!({}))),
        ("field", make("d", "nginx", "Never", json!({}))),
        ("other", make("e", "nginx", "Always", json!({}))),
    ] {
        let created = api.post(PODS, &pod).await.body;
        cluster.settled().await;
        let path = format!("{PODS}/{}", created["metadata"]["name"].as_str().unwrap());
        assert_eq!(api.get(&path).await.body["status"]["message"], name);
    }
}

#[test]
fn invalid_stages_are_refused_with_their_line() {
    for (text, expected) in [
        ("run:\n- repeat:\n  - {bind: true}", "s.yaml:2: expected a repetition without times to wait somewhere"),
        ("run:\n- {after: 1s, times: 2, bind: a}", "s.yaml:2: expected times only beside repeat"),
        ("run:\n- {bind: 5}", "s.yaml:2: expected bind to be the name of a node, or true"),
        ("run:\n- {doubling-to: 5s, steps: []}", "s.yaml:2: expected doubling-to beside a shorter after"),
        ("lifecycles:\n- {name: a, for: [{labels: a in b}]}", "s.yaml:2: unable to parse requirement: found 'b'"),
        ("lifecycles:\n- {name: a, for: [{fields: spec.x=1}]}", "s.yaml:2: field label not supported: spec.x"),
        ("lifecycles:\n- {name: a, for: [{}]}", "s.yaml:2: expected a selector with labels, annotations,"),
        ("lifecycles:\n- {name: a, for: []}", "s.yaml:2: expected a lifecycle with a name and for"),
        ("run:\n- {containers: {dead: {}}}", "s.yaml:2: unknown variant"),
        ("run: []\ninit: []", "s.yaml:2: expected init to end the container, by a step with containers: terminated"),
        ("init:\n- {containers: {running: {}}}", "s.yaml:2: expected init to end the container"),
        ("lifecycles:\n- {name: a, for: [{image: b}], init: []}", "s.yaml:2: expected init to end the container"),
    ] {
        let found = Stages::from_yaml(text, "s.yaml").unwrap_err().to_string();
        assert!(found.starts_with(expected), "{found}\nexpected {expected}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_label_that_names_no_lifecycle_gives_a_warning() {
    for (stages, known) in [
        ("run", "fast, slow-image, bad-image, crash-loop, completed, error, evicted, never-ready"),
        ("fast", "fast, slow-image, bad-image, crash-loop, completed, error, evicted, never-ready"),
    ] {
        let cluster = cluster(stages);
        let api = Api::new(&cluster);
        for (name, lifecycle) in [("typo", "crashloop"), ("known", "never-ready")] {
            api.post(PODS, &labelled(name, lifecycle)).await;
        }
        sleep(Duration::from_secs(3)).await;
        assert_eq!(columns(&api, "typo").await, ["1/1", "Running", "0"], "it runs as if it had no label");
        let warnings = api.items("/api/v1/namespaces/default/events?fieldSelector=reason%3DUnknownLifecycle").await;
        let [warning] = &warnings[..] else { panic!("{warnings:?}") };
        let message = format!("The label lab/lifecycle names no lifecycle: \"crashloop\". Known lifecycles: {known}");
        assert_eq!((&warning["type"], &warning["message"]), (&json!("Warning"), &json!(message)));
        assert_eq!(warning["involvedObject"]["name"], "typo");
    }
}

#[tokio::test(start_paused = true)]
async fn an_image_that_cannot_be_pulled_is_quoted_as_upstream_quotes_it() {
    let cluster = cluster("bad-image");
    let api = Api::new(&cluster);
    api.pod("web", &json!({})).await;
    sleep(Duration::from_secs(5)).await;
    let status = api.get(&format!("{PODS}/web")).await.body["status"].clone();
    let waiting = json!({
        "reason": "ImagePullBackOff",
        "message": "Back-off pulling image \"nginx:1.27\": ErrImagePull: not found",
    });
    assert_eq!(status["containerStatuses"][0]["state"]["waiting"], waiting);
}
