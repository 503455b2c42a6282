//! Tests the CronJob controller in a whole in-memory cluster.

use kube_testcluster::{Cluster, Stages};
use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::seconds;

const CRON_JOBS: &str = "/apis/batch/v1/namespaces/default/cronjobs";
const HELLO: &str = "/apis/batch/v1/namespaces/default/cronjobs/hello";
const JOBS: &str = "/apis/batch/v1/namespaces/default/jobs";
const EVENTS: &str = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DCronJob,reason%3D";

/// Starts a cluster with its own controllers, at 10:10 in the morning.
fn running() -> (Cluster, Api) {
    let cluster = Cluster::builder().stages(Stages::named("run").unwrap()).nodes(1);
    let cluster = cluster.started_at("2023-05-01T10:10:00Z".parse().unwrap()).start();
    let api = Api::new(&cluster);
    (cluster, api)
}

/// Returns a CronJob that runs every minute. Its pods have this lifecycle: `completed`, `error`, or an empty one that
/// runs for ever.
fn cron_job(lifecycle: &str, more: &Value) -> Value {
    let mut cron_job = json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "hello"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"metadata": {"labels": {"app": "hello"}}, "spec": {
            "backoffLimit": 0,
            "template": {
                "metadata": {"labels": {"lab/lifecycle": lifecycle}},
                "spec": {"containers": [{"name": "main", "image": "busybox"}], "restartPolicy": "Never"},
            },
        }}},
    });
    for (field, value) in more.as_object().unwrap() {
        cron_job["spec"][field] = value.clone();
    }
    cron_job
}

async fn started(lifecycle: &str, more: Value) -> (Cluster, Api) {
    let (cluster, api) = running();
    let made = api.post(CRON_JOBS, &cron_job(lifecycle, &more)).await;
    assert_eq!(made.status, 201, "{}", made.body);
    (cluster, api)
}

/// Returns the number of the CronJob's events with this reason.
async fn events(api: &Api, reason: &str) -> usize {
    api.items(&format!("{EVENTS}{reason}")).await.len()
}

async fn status(api: &Api) -> Value {
    api.get(HELLO).await.body["status"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_cron_job_of_every_minute_makes_sixty_jobs_an_hour_and_keeps_the_last_three() {
    let (cluster, api) = started("completed", json!({})).await;
    seconds(60 * 60 + 30).await;
    assert_eq!(events(&api, "SuccessfulCreate").await, 60);
    let jobs = api.items(JOBS).await;
    let names: Vec<&str> = jobs.iter().map(|job| job["metadata"]["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["hello-28048988", "hello-28048989", "hello-28048990"],
        "a job's name ends in the minutes since 1970"
    );
    let job = &jobs[2]["metadata"];
    let owner = &job["ownerReferences"][0];
    assert_eq!(
        (&owner["kind"], &owner["name"], &owner["controller"]),
        (&json!("CronJob"), &json!("hello"), &json!(true))
    );
    let at = json!({"batch.kubernetes.io/cronjob-scheduled-timestamp": "2023-05-01T11:10:00Z"});
    assert_eq!((&job["annotations"], &job["labels"]["app"]), (&at, &json!("hello")));
    let status = status(&api).await;
    assert_eq!((&status["lastScheduleTime"], status.get("active")), (&json!("2023-05-01T11:10:00Z"), None));
    assert!(status["lastSuccessfulTime"].as_str().unwrap() > "2023-05-01T11:10:00Z", "{status}");
    assert_eq!(events(&api, "SawCompletedJob").await, 60);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn only_the_configured_number_of_failed_jobs_is_kept() {
    let (cluster, api) = started("error", json!({"failedJobsHistoryLimit": 2})).await;
    seconds(10 * 60 + 30).await;
    assert_eq!(api.items(JOBS).await.len(), 2);
    assert_eq!(status(&api).await.get("lastSuccessfulTime"), None);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn the_concurrency_policy_decides_about_a_job_that_still_runs() {
    for (policy, jobs, created) in [("Allow", 5, 5), ("Forbid", 1, 1), ("Replace", 1, 5)] {
        let (cluster, api) = started("", json!({"concurrencyPolicy": policy})).await;
        seconds(5 * 60 + 30).await;
        assert_eq!((api.items(JOBS).await.len(), events(&api, "SuccessfulCreate").await), (jobs, created), "{policy}");
        assert_eq!(status(&api).await["active"].as_array().unwrap().len(), jobs, "{policy}");
        assert_eq!(events(&api, "JobAlreadyActive").await > 0, policy == "Forbid", "{policy}");
        cluster.shutdown().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_resumed_cron_job_starts_only_the_last_missed_job() {
    let (cluster, api) = started("completed", json!({"suspend": true, "successfulJobsHistoryLimit": 100})).await;
    seconds(10 * 60 + 30).await;
    assert_eq!(api.items(JOBS).await.len(), 0);
    api.merge(HELLO, &json!({"spec": {"suspend": false}})).await;
    seconds(10).await;
    assert_eq!(api.get(JOBS).await.names(), ["hello-28048940"]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_missed_start_past_its_deadline_is_skipped() {
    let spec = json!({"suspend": true, "schedule": "*/10 * * * *", "startingDeadlineSeconds": 60});
    let (cluster, api) = started("completed", spec).await;
    seconds(15 * 60).await;
    api.merge(HELLO, &json!({"spec": {"suspend": false}})).await;
    seconds(10).await;
    assert_eq!(api.items(JOBS).await.len(), 0, "the start at 10:20 is five minutes late, which is past its deadline");
    seconds(5 * 60).await;
    assert_eq!(api.get(JOBS).await.names(), ["hello-28048950"]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_schedule_follows_its_time_zone() {
    let spec = json!({"schedule": "0 9 * * *", "timeZone": "America/New_York"});
    let (cluster, api) = started("completed", spec).await;
    seconds(24 * 60 * 60).await;
    let jobs = api.items(JOBS).await;
    let at = json!({"batch.kubernetes.io/cronjob-scheduled-timestamp": "2023-05-01T09:00:00-04:00"});
    assert_eq!((jobs.len(), &jobs[0]["metadata"]["annotations"]), (1, &at));
    assert_eq!(status(&api).await["lastScheduleTime"], "2023-05-01T13:00:00Z");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_new_schedule_takes_effect_at_once() {
    let (cluster, api) = started("completed", json!({"schedule": "0 0 1 1 *"})).await;
    seconds(60).await;
    api.merge(HELLO, &json!({"spec": {"schedule": "*/5 * * * *"}})).await;
    seconds(5 * 60).await;
    assert_eq!(api.get(JOBS).await.names(), ["hello-28048935"]);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn deleted_jobs_are_no_longer_active_and_jobs_are_deleted_with_their_cron_job() {
    let (cluster, api) = started("", json!({"schedule": "@every 2m"})).await;
    seconds(150).await;
    let names = api.get(JOBS).await;
    api.delete(&format!("{JOBS}/{}?propagationPolicy=Background", names.names()[0])).await;
    seconds(10).await;
    assert_eq!((status(&api).await.get("active"), events(&api, "MissingJob").await), (None, 1));
    seconds(120).await;
    assert_eq!(api.items(JOBS).await.len(), 1);
    api.delete(HELLO).await;
    seconds(60).await;
    assert_eq!(api.items(JOBS).await.len(), 0);
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_schedule_that_never_occurs_is_reported_in_an_event() {
    let (cluster, api) = started("completed", json!({"schedule": "59 23 31 2 *"})).await;
    seconds(10).await;
    let reported = api.items(&format!("{EVENTS}InvalidSchedule")).await;
    let why = "invalid schedule: 59 23 31 2 * : time difference between two schedules is less than 1 second";
    assert_eq!(reported[0]["message"], why);
    cluster.shutdown().await;
}
