//! Tests `pods/log`: a log has the lines that the stages write, and a note that the container is not real.

use std::time::Duration;

use futures::StreamExt;
use http_body_util::BodyExt;
use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::support::api::{Api, PODS, pod};

const STAGES: &str = "
run:
- {bind: node-1}
- {after: 1s, containers: {waiting: {reason: ContainerCreating}}}
- {after: 1s, containers: {running: {}}}
- {log: first of $container}
- {after: 1s, log: two}
- {after: 1s, log: three}
- {containers: {terminated: {exitCode: 1, reason: Error}}}
- {after: 1s, containers: {running: {}}}
- {log: again}
delete:
- {log: bye}
- {containers: {terminated: {exitCode: 0, reason: Completed}}}
- {after: 1s, remove: true}
";

fn cluster() -> Cluster {
    let started = "2023-05-01T10:00:00Z".parse().unwrap();
    Cluster::builder().stages(Stages::from_yaml(STAGES, "s.yaml").unwrap()).started_at(started).start()
}

/// Returns the code, and the text of the log or the message of the error.
async fn log(api: &Api, query: &str) -> (u16, String) {
    let answer = api.get(&format!("{PODS}/a/log?{query}")).await;
    let text = answer.body["message"].as_str().or(answer.body.as_str()).unwrap_or_default().to_owned();
    (answer.status, text)
}

/// Returns the log without the two lines that every log begins with.
async fn lines(api: &Api, query: &str) -> Vec<String> {
    let (status, text) = log(api, query).await;
    assert_eq!(status, 200, "{text}");
    text.lines().skip(2).map(ToOwned::to_owned).collect()
}

#[tokio::test(start_paused = true)]
async fn a_log_has_the_lines_of_the_stages_and_a_note_that_nothing_runs() {
    let cluster = cluster();
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    sleep(Duration::from_millis(3500)).await;
    let (status, text) = log(&api, "").await;
    assert_eq!(
        (status, text.as_str()),
        (
            200,
            "container main of pod default/a is not real: nothing runs in the cluster of informer-lab\n\
             image nginx:1.27, command that of its image, restarts 0, started at 2023-05-01T10:00:02Z\n\
             first of main\ntwo\n"
        )
    );
    let answer = api.get(&format!("{PODS}/a/log")).await;
    assert_eq!(answer.headers["content-type"], "text/plain");
    assert_eq!(log(&api, "tailLines=1&timestamps=true").await.1, "2023-05-01T10:00:03.000000000Z two\n");
    assert_eq!(log(&api, "tailLines=0").await.1, "");
    assert_eq!(log(&api, "sinceSeconds=1").await.1, "two\n");
    assert_eq!(log(&api, "sinceTime=2023-05-01T10:00:03Z").await.1, "two\n");
    assert_eq!(log(&api, "tailLines=1&limitBytes=2").await.1, "tw");
}

#[tokio::test(start_paused = true)]
async fn the_previous_run_of_a_container_has_its_own_log() {
    let cluster = cluster();
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    sleep(Duration::from_millis(2500)).await;
    assert_eq!(
        log(&api, "previous=true").await,
        (400, "previous terminated container \"main\" in pod \"a\" not found".to_owned())
    );
    cluster.settled().await;
    assert_eq!(lines(&api, "").await, ["again"]);
    assert_eq!(lines(&api, "previous=true").await, ["first of main", "two", "three"]);
}

#[tokio::test(start_paused = true)]
async fn a_log_is_followed_until_the_container_ends() {
    let cluster = cluster();
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    sleep(Duration::from_millis(2500)).await;
    let request = || http::Request::get(format!("{PODS}/a/log?follow=true&tailLines=1"));
    // kubectl accepts compressed answers, but a followed log is not compressed.
    let request = request().header("accept-encoding", "gzip").body(axum::body::Body::empty()).unwrap();
    let mut stream = api.raw(request).await.into_body().into_data_stream();
    let mut next = async || stream.next().await.map(|bytes| String::from_utf8(bytes.unwrap().to_vec()).unwrap());
    assert_eq!(next().await.as_deref(), Some("first of main\n"));
    assert!(timeout(Duration::from_millis(100), next()).await.is_err(), "no line was written");
    assert_eq!(next().await.as_deref(), Some("two\n"));
    assert_eq!(next().await.as_deref(), Some("three\n"));
    assert_eq!(next().await, None);
}

/// The log is larger than the size from which other answers are compressed.
#[tokio::test(start_paused = true)]
async fn a_log_is_never_compressed() {
    let stages = format!(
        "run: [{{bind: node-1}}, {{containers: {{running: {{}}}}}}, {{repeat: [{{log: {}}}], times: 200}}]",
        "x".repeat(1023)
    );
    let cluster = Cluster::builder().stages(Stages::from_yaml(&stages, "s.yaml").unwrap()).start();
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    cluster.settled().await;
    let request = http::Request::get(format!("{PODS}/a/log")).header("accept-encoding", "gzip");
    let answer = api.raw(request.body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!((answer.status().as_u16(), answer.headers().get("content-encoding")), (200, None));
    let log = answer.into_body().collect().await.unwrap().to_bytes();
    assert!(log.ends_with(b"xxx\n") && log.len() > 200 * 1024, "{} bytes", log.len());
}

#[tokio::test(start_paused = true)]
async fn following_ends_when_the_pod_is_deleted_or_the_cluster_shuts_down() {
    let cluster = cluster();
    let api = Api::new(&cluster);
    api.pod("a", &json!({})).await;
    cluster.settled().await;
    let follow = async |api: &Api| {
        let request =
            http::Request::get(format!("{PODS}/a/log?follow=true&tailLines=0")).body(axum::body::Body::empty());
        api.raw(request.unwrap()).await.into_body()
    };
    let until_deleted = tokio::spawn(follow(&api).await.collect());
    api.delete(&format!("{PODS}/a")).await;
    assert_eq!(until_deleted.await.unwrap().unwrap().to_bytes(), "bye\n");
    cluster.settled().await;
    api.pod("a", &json!({})).await;
    cluster.settled().await;
    let until_shutdown = tokio::spawn(follow(&api).await.collect());
    tokio::task::yield_now().await;
    cluster.shutdown().await;
    assert_eq!(until_shutdown.await.unwrap().unwrap().to_bytes(), "");
}

#[tokio::test(start_paused = true)]
async fn a_missing_log_is_refused_in_upstreams_words() {
    let cluster = cluster();
    let api = Api::new(&cluster);
    assert_eq!(log(&api, "").await, (404, "pods \"a\" not found".to_owned()));
    let mut two = pod("a", &json!({}));
    two["spec"]["containers"] = json!([{"name": "x", "image": "i"}, {"name": "y", "image": "i"}]);
    two["spec"]["initContainers"] = json!([{"name": "first", "image": "i"}]);
    let without_kubelet = Cluster::builder().stages(Stages::none()).start();
    let unbound_api = Api::new(&without_kubelet);
    unbound_api.post(PODS, &two).await;
    assert_eq!(log(&unbound_api, "container=x").await.0, 204, "the pod is not on a node");
    api.post(PODS, &two).await;
    sleep(Duration::from_millis(500)).await;
    let said = |text: &str| (400, text.to_owned());
    for (query, expected) in [
        ("", said("a container name must be specified for pod a, choose one of: [first x y]")),
        ("container=z", said("container z is not valid for pod a")),
        ("container=x", said("container \"x\" in pod \"a\" is not available")),
    ] {
        assert_eq!(log(&api, query).await, expected);
    }
    sleep(Duration::from_millis(1000)).await;
    assert_eq!(
        log(&api, "container=x").await,
        said("container \"x\" in pod \"a\" is waiting to start: PodInitializing")
    );
}

#[tokio::test(start_paused = true)]
async fn an_invalid_option_of_a_log_is_refused_in_upstreams_words() {
    let api = Api::new(&cluster());
    api.pod("a", &json!({})).await;
    for (query, expected) in [
        (
            "tailLines=-1",
            "PodLogOptions \"a\" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0",
        ),
        ("limitBytes=0", "PodLogOptions \"a\" is invalid: limitBytes: Invalid value: 0: must be greater than 0"),
        ("sinceSeconds=0", "PodLogOptions \"a\" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0"),
    ] {
        assert_eq!(log(&api, query).await, (422, expected.to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn a_running_init_container_can_be_followed() {
    let cluster = Cluster::builder().stages(Stages::none()).start();
    let api = Api::new(&cluster);
    let mut with_init = pod("a", &json!({}));
    with_init["spec"]["nodeName"] = json!("node-1");
    with_init["spec"]["initContainers"] = json!([{"name": "first", "image": "i"}]);
    api.post(PODS, &with_init).await;
    let status = json!({"name": "first", "image": "i", "imageID": "", "ready": false, "restartCount": 0,
        "state": {"running": {"startedAt": "2023-05-01T10:00:00Z"}}});
    let status = json!({"status": {"initContainerStatuses": [status]}});
    assert_eq!(api.merge(&format!("{PODS}/a/status"), &status).await.status, 200);
    let request = http::Request::get(format!("{PODS}/a/log?follow=true&container=first&tailLines=0"));
    let body = api.raw(request.body(axum::body::Body::empty()).unwrap()).await.into_body();
    let following = timeout(Duration::from_secs(60), body.collect()).await;
    assert!(following.is_err(), "following goes on while the container runs");
}

#[tokio::test(start_paused = true)]
async fn discovery_lists_the_log_subresource() {
    let api = Api::new(&cluster());
    let resources = api.get("/api/v1").await.body["resources"].clone();
    let log: Vec<&Value> = resources.as_array().unwrap().iter().filter(|one| one["name"] == "pods/log").collect();
    assert_eq!((log.len(), &log[0]["kind"], &log[0]["verbs"]), (1, &json!("Pod"), &json!(["get"])));
}
