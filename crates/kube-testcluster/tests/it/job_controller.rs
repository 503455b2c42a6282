//! Tests the Job controller in a whole in-memory cluster.

use std::time::Duration;

use kube_testcluster::controllers::job;
use kube_testcluster::{Cluster, Controllers, Stages};
use serde_json::{Value, json};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::support::api::{Api, PODS};
use crate::support::seconds;
use crate::support::seeds;

const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";
const PI: &str = "/apis/batch/v1/namespaces/default/jobs/pi";

fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("run").unwrap()).nodes(2);
    let cluster = cluster.commit_latency(Duration::from_millis(1)).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Returns a Job whose pods have this lifecycle, such as `completed` or `error`.
fn job(lifecycle: &str, more: &Value) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "pi"},
        "spec": {"template": {
            "metadata": {"labels": {"lab/lifecycle": lifecycle}},
            "spec": {"containers": [{"name": "main", "image": "perl"}], "restartPolicy": "Never"},
        }},
    });
    for (field, value) in more.as_object().unwrap() {
        job["spec"][field] = value.clone();
    }
    job
}

async fn pods(api: &Api) -> Vec<Value> {
    api.get(PODS).await.body["items"].as_array().unwrap().clone()
}

fn condition<'a>(status: &'a Value, kind: &str) -> &'a Value {
    let conditions = status["conditions"].as_array().map_or(&[][..], Vec::as_slice);
    conditions.iter().find(|condition| condition["type"] == kind).unwrap_or(&Value::Null)
}

#[tokio::test(start_paused = true)]
async fn a_job_is_complete_once_enough_pods_have_succeeded() {
    let (cluster, api) = running();
    let asked = json!({"completions": 5, "parallelism": 2});
    assert_eq!(api.post(JOBS, &job("completed", &asked)).await.status, 201);
    seconds(3).await;
    let status = api.get(PI).await.body["status"].clone();
    assert_eq!((&status["active"], &status["ready"], pods(&api).await.len()), (&json!(2), &json!(2), 2));
    let pod = pods(&api).await.remove(0);
    assert_eq!(pod["metadata"]["finalizers"], json!(["batch.kubernetes.io/job-tracking"]));
    assert!(pod["metadata"]["name"].as_str().unwrap().starts_with("pi-"));
    seconds(60).await;
    let status = api.get(PI).await.body["status"].clone();
    assert_eq!((&status["succeeded"], status.get("active"), &status["ready"]), (&json!(5), None, &json!(0)));
    assert_eq!(condition(&status, "Complete")["reason"], "CompletionsReached");
    assert_eq!(condition(&status, "SuccessCriteriaMet")["status"], "True");
    assert!(status["completionTime"].as_str() > status["startTime"].as_str());
    assert_eq!(status["uncountedTerminatedPods"], json!({}));
    let pods = pods(&api).await;
    assert_eq!((pods.len(), pods.iter().all(|pod| pod["metadata"].get("finalizers").is_none())), (5, true));
    let events = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DJob,reason%3D";
    assert_eq!(api.get(&format!("{events}SuccessfulCreate")).await.names().len(), 5);
    assert_eq!(api.get(&format!("{events}Completed")).await.body["items"][0]["message"], "Job completed");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_job_fails_after_too_many_failed_pods_with_a_growing_back_off() {
    let (cluster, api) = running();
    api.post(JOBS, &job("error", &json!({"backoffLimit": 2}))).await;
    seconds(300).await;
    let status = api.get(PI).await.body["status"].clone();
    assert_eq!((&status["failed"], status.get("succeeded")), (&json!(3), None));
    assert_eq!(condition(&status, "Failed")["reason"], "BackoffLimitExceeded", "{status}");
    assert_eq!(condition(&status, "FailureTarget")["status"], "True");
    let pods = pods(&api).await;
    let mut times: Vec<jiff::Timestamp> =
        pods.iter().map(|pod| pod["metadata"]["creationTimestamp"].as_str().unwrap().parse().unwrap()).collect();
    times.sort();
    let waits: Vec<i64> = times.windows(2).map(|two| two[1].as_second() - two[0].as_second()).collect();
    // Each pod fails after about 6 seconds, and then the back-off is 10 seconds, then 20.
    assert!((15..=19).contains(&waits[0]) && (25..=29).contains(&waits[1]), "{waits:?}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_job_past_its_active_deadline_fails_and_its_pods_are_deleted() {
    let (cluster, api) = running();
    api.post(JOBS, &job("never-ready", &json!({"activeDeadlineSeconds": 20, "parallelism": 3, "completions": 3})))
        .await;
    seconds(15).await;
    assert_eq!(pods(&api).await.len(), 3);
    seconds(30).await;
    let status = api.get(PI).await.body["status"].clone();
    assert_eq!(condition(&status, "Failed")["reason"], "DeadlineExceeded", "{status}");
    assert_eq!((&status["failed"], pods(&api).await.len()), (&json!(3), 0));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_suspended_job_has_no_pods_and_continues_when_it_is_resumed() {
    let (cluster, api) = running();
    api.post(JOBS, &job("completed", &json!({"suspend": true, "completions": 2}))).await;
    seconds(5).await;
    let status = api.get(PI).await.body["status"].clone();
    assert_eq!((condition(&status, "Suspended")["status"].as_str(), status.get("startTime")), (Some("True"), None));
    assert_eq!(pods(&api).await.len(), 0);
    api.merge(PI, &json!({"spec": {"suspend": false}})).await;
    seconds(3).await;
    api.merge(PI, &json!({"spec": {"suspend": true}})).await;
    seconds(5).await;
    let status = api.get(PI).await.body["status"].clone();
    assert_eq!(
        (pods(&api).await.len(), status.get("failed")),
        (0, None),
        "a pod stopped by the suspension does not count as failed"
    );
    api.merge(PI, &json!({"spec": {"suspend": false}})).await;
    seconds(60).await;
    let status = api.get(PI).await.body["status"].clone();
    assert_eq!((&status["succeeded"], condition(&status, "Complete")["status"].as_str()), (&json!(2), Some("True")));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn each_index_of_an_indexed_job_succeeds_once() {
    let (cluster, api) = running();
    api.post(JOBS, &job("completed", &json!({"completionMode": "Indexed", "completions": 4, "parallelism": 3}))).await;
    seconds(2).await;
    let mut first = pods(&api).await;
    first.sort_by_key(|pod| pod["metadata"]["name"].to_string());
    let index = |pod: &Value| pod["metadata"]["annotations"]["batch.kubernetes.io/job-completion-index"].clone();
    assert_eq!(first.iter().map(index).collect::<Vec<_>>(), ["0", "1", "2"]);
    assert_eq!(first[1]["spec"]["hostname"], "pi-1");
    assert_eq!(first[1]["spec"]["containers"][0]["env"][0]["name"], "JOB_COMPLETION_INDEX");
    api.delete(&format!("{PODS}/{}", first[1]["metadata"]["name"].as_str().unwrap())).await;
    seconds(120).await;
    let status = api.get(PI).await.body["status"].clone();
    assert_eq!((&status["succeeded"], &status["completedIndexes"]), (&json!(4), &json!("0-3")), "{status}");
    assert_eq!(status["failed"], 1, "the deleted pod counts as failed");
    assert_eq!(condition(&status, "Complete")["status"], "True");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_finished_job_is_deleted_with_its_pods_after_its_ttl() {
    let (cluster, api) = running();
    api.post(JOBS, &job("completed", &json!({"ttlSecondsAfterFinished": 100}))).await;
    seconds(60).await;
    assert_eq!(condition(&api.get(PI).await.body["status"], "Complete")["status"], "True");
    seconds(70).await;
    assert_eq!((api.get(PI).await.status, pods(&api).await.len()), (404, 0));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_pods_of_a_deleted_job_lose_their_finalizers() {
    let (cluster, api) = running();
    api.post(JOBS, &job("completed", &json!({"parallelism": 2, "completions": 2}))).await;
    seconds(2).await;
    api.delete(&format!("{PI}?propagationPolicy=Background")).await;
    seconds(30).await;
    assert_eq!((api.get(PI).await.status, pods(&api).await.len()), (404, 0));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_job_with_an_unsupported_policy_is_reported_and_not_run() {
    let (cluster, api) = running();
    let policy = json!({"podFailurePolicy": {"rules": [
        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}},
    ]}});
    api.post(JOBS, &job("completed", &policy)).await;
    seconds(30).await;
    assert_eq!(pods(&api).await.len(), 0);
    let events = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DJob,reason%3DNotSupported";
    assert_eq!(api.get(events).await.names().len(), 1);
    cluster.shutdown().await;
}

/// Makes one random change to the Job or a pod, or starts a fault.
async fn change(random: &mut fastrand::Rng, cluster: &Cluster, api: &Api) {
    const FAULTS: [&str; 6] = [
        "429:verb=patch,times=4",
        "500:verb=patch,times=3",
        "500:verb=create,times=2",
        "500:verb=delete,times=2",
        "lag:for=3s",
        "drop-watches",
    ];
    match random.u8(..8) {
        0 | 1 => drop(api.merge(PI, &json!({"spec": {"parallelism": random.u32(..5)}})).await),
        2 => drop(api.merge(PI, &json!({"spec": {"suspend": random.bool()}})).await),
        3 | 4 => {
            let pods = api.get(PODS).await;
            if let Some(pod) = random.choice(pods.names()) {
                api.delete(&format!("{PODS}/{pod}")).await;
            }
        }
        5 => {
            let mode = if random.bool() { "Indexed" } else { "NonIndexed" };
            let asked = json!({"completions": random.u32(1..6), "completionMode": mode, "backoffLimit": 1000});
            api.delete(&format!("{PI}?propagationPolicy=Background")).await;
            api.post(JOBS, &job("completed", &asked)).await;
        }
        _ => cluster.faults().start(random.choice(FAULTS).unwrap().parse().unwrap()),
    }
}

/// The controller runs as a client of the test, so that the faults affect it too. Whatever happens, no pod is counted
/// twice.
#[tokio::test(start_paused = true)]
async fn after_any_changes_a_job_completes() {
    for seed in seeds(3) {
        let mut random = fastrand::Rng::with_seed(seed);
        let builder = Cluster::builder().stages(Stages::named("run").unwrap()).nodes(2).seed(seed);
        let cluster = builder.controllers(Controllers::Housekeeping).commit_latency(Duration::from_millis(1)).start();
        let (api, stop) = (Api::new(&cluster), CancellationToken::new());
        let run = tokio::spawn(job::run(cluster.client("default"), stop.clone()));
        api.post(JOBS, &job("completed", &json!({"completions": 6, "parallelism": 2, "backoffLimit": 1000}))).await;
        for _ in 0..20 {
            change(&mut random, &cluster, &api).await;
            sleep(Duration::from_millis(random.u64(..4000))).await;
        }
        cluster.faults().end_all();
        seconds(5).await;
        api.post(JOBS, &job("completed", &json!({"completions": 2}))).await; // no effect if the Job exists
        api.merge(PI, &json!({"spec": {"suspend": false, "parallelism": 2}})).await;
        seconds(3600).await; // longer than any back-off
        let job = api.get(PI).await.body;
        let (wanted, status) = (&job["spec"]["completions"], &job["status"]);
        assert_eq!(condition(status, "Complete")["status"], "True", "seed {seed}: {job}");
        assert_eq!((&status["succeeded"], status.get("active")), (wanted, None), "seed {seed}: {status}");
        let pods = pods(&api).await;
        let uid = &job["metadata"]["uid"];
        let own = pods.iter().filter(|pod| pod["metadata"]["ownerReferences"][0]["uid"] == *uid);
        let held = own.clone().filter(|pod| pod["metadata"].get("finalizers").is_some()).count();
        let done = own.filter(|pod| pod["status"]["phase"] == "Succeeded").count();
        assert_eq!(held, 0, "seed {seed}");
        assert!(done as u64 <= wanted.as_u64().unwrap(), "seed {seed}: {done} of {wanted} have succeeded");
        stop.cancel();
        run.await.unwrap().unwrap();
        cluster.shutdown().await;
    }
}
