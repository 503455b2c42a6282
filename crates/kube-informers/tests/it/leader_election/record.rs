//! Tests of the leader election record in the Lease: the fields that a leader writes, and how candidates interpret
//! them.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use kube_informers::leader_election::Outcome;
use kube_testcluster::Cluster;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::link::{Condition, Link};
use super::{LeadershipLog, candidate, elector, pair, seconds};

fn leases(cluster: &Cluster) -> Api<Lease> {
    Api::namespaced(cluster.client("default"), "default")
}

async fn create(cluster: &Cluster, spec: Value) {
    let lease = json!({"metadata": {"name": "controller"}, "spec": spec});
    leases(cluster).create(&PostParams::default(), &serde_json::from_value(lease).unwrap()).await.unwrap();
}

async fn patch(cluster: &Cluster, lease: Value) {
    leases(cluster).patch("controller", &PatchParams::default(), &Patch::Merge(lease)).await.unwrap();
}

async fn record(cluster: &Cluster) -> LeaseSpec {
    leases(cluster).get("controller").await.unwrap().spec.unwrap()
}

fn renewed(record: &LeaseSpec) -> &MicroTime {
    record.renew_time.as_ref().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_renewal_changes_only_the_renew_time_and_a_takeover_increments_the_transitions() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let (a, mut b) = pair(&cluster, &log).await;
    let first = record(&cluster).await;
    assert_eq!((first.holder_identity.as_deref(), first.lease_transitions), (Some("a"), Some(0)));
    assert_eq!(first.lease_duration_seconds, Some(15));
    assert_eq!(first.acquire_time, first.renew_time);
    sleep(seconds(30)).await;
    let second = record(&cluster).await;
    assert!(renewed(&second) > renewed(&first));
    assert_eq!(LeaseSpec { renew_time: None, ..second.clone() }, LeaseSpec { renew_time: None, ..first });

    a.stop.cancel();
    assert_eq!(a.ended().await, Outcome::Stopped);
    let released = record(&cluster).await;
    assert_eq!((released.holder_identity.as_deref(), released.lease_transitions), (Some(""), Some(0)));
    assert_eq!(released.lease_duration_seconds, Some(1));
    b.changed().await;
    let taken = record(&cluster).await;
    assert_eq!((taken.holder_identity.as_deref(), taken.lease_transitions), (Some("b"), Some(1)));
    assert!(taken.acquire_time > second.acquire_time);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_keeps_labels_that_other_clients_wrote() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let (a, _b) = pair(&cluster, &log).await;
    patch(&cluster, json!({"metadata": {"labels": {"team": "blue"}}})).await;
    sleep(seconds(30)).await;
    let lease = leases(&cluster).get("controller").await.unwrap();
    assert_eq!(lease.metadata.labels.unwrap()["team"], "blue");
    assert!(a.status.is_leader());
}

#[tokio::test(start_paused = true)]
async fn candidates_ignore_the_times_in_the_record() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    // A holder whose clock is far behind renews its lease, so it keeps the lease.
    create(
        &cluster,
        json!({"holderIdentity": "old", "leaseDurationSeconds": 15, "renewTime": "1970-01-01T00:00:00.000000Z"}),
    )
    .await;
    let b = candidate(&cluster, &log, "b");
    for minute in 10..40 {
        sleep(seconds(14)).await;
        patch(&cluster, json!({"spec": {"renewTime": format!("1970-01-01T00:{minute}:00.000000Z")}})).await;
    }
    assert!(!b.status.is_leader());
    // A holder whose clock is far ahead stops renewing, so it loses the lease.
    patch(&cluster, json!({"spec": {"renewTime": "2999-01-01T00:00:00.000000Z"}})).await;
    sleep(seconds(14)).await;
    assert!(!b.status.is_leader());
    sleep(seconds(6)).await;
    assert!(b.status.is_leader());
}

#[tokio::test(start_paused = true)]
async fn a_candidate_waits_for_the_records_lease_duration_from_when_it_saw_the_record() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    create(
        &cluster,
        json!({"holderIdentity": "old", "leaseDurationSeconds": 60, "renewTime": "2020-01-01T00:00:00.000000Z"}),
    )
    .await;
    sleep(seconds(3600)).await;
    let mut b = candidate(&cluster, &log, "b");
    b.changed().await; // the first change: `b` sees that `old` is the leader
    let waited = b.changed().await;
    assert!(b.status.is_leader());
    assert!(waited >= seconds(60) && waited < seconds(65), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_record_without_a_lease_duration_expires_after_the_candidates_own_duration() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    create(&cluster, json!({"holderIdentity": "old"})).await;
    let mut b = candidate(&cluster, &log, "b");
    b.changed().await; // the first change: `b` sees that `old` is the leader
    let waited = b.changed().await;
    assert!(waited >= seconds(15) && waited < seconds(20), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn the_later_of_two_concurrent_takeovers_is_refused() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    create(&cluster, json!({"holderIdentity": "old", "leaseDurationSeconds": 15})).await;
    let (a, b) = (candidate(&cluster, &log, "a"), candidate(&cluster, &log, "b"));
    sleep(seconds(10)).await;
    // The reads and writes of the two candidates overlap: each reads before the other has written.
    for (link, millis) in [(&a.link, 2000), (&b.link, 2100)] {
        link.set(Condition::Late { request: Duration::from_millis(millis), answer: Duration::ZERO });
    }
    sleep(seconds(20)).await;
    assert_eq!(log.leaders().len(), 1);
    assert!(a.status.is_leader() != b.status.is_leader());
    assert_eq!(record(&cluster).await.lease_transitions, Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_leader_stops_at_its_next_renewal_if_another_identity_holds_the_lease() {
    for holder in ["b", ""] {
        let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
        let mut a = candidate(&cluster, &log, "a");
        a.changed().await;
        patch(&cluster, json!({"spec": {"holderIdentity": holder}})).await;
        let given = Instant::now();
        assert_eq!(a.ended().await, Outcome::Lost);
        assert!(given.elapsed() <= seconds(2));
        assert_eq!(record(&cluster).await.holder_identity.as_deref(), Some(holder), "the leader does not overwrite it");
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_whose_lease_was_deleted_creates_it_again() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let mut a = candidate(&cluster, &log, "a");
    a.changed().await;
    leases(&cluster).delete("controller", &Default::default()).await.unwrap();
    sleep(seconds(5)).await;
    assert_eq!(record(&cluster).await.holder_identity.as_deref(), Some("a"));
    assert!(a.status.is_leader());
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_stopped_during_a_renewal_still_releases_the_lease() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let mut a = candidate(&cluster, &log, "a");
    a.changed().await;
    a.link.set(Condition::Late { request: Duration::ZERO, answer: Duration::from_millis(800) });
    sleep(Duration::from_millis(2100)).await; // the renewal is written, but its answer has not arrived
    a.stop.cancel();
    assert_eq!(a.ended().await, Outcome::Stopped);
    assert_eq!(record(&cluster).await.holder_identity.as_deref(), Some(""));
}

#[tokio::test(start_paused = true)]
async fn a_candidate_that_is_stopped_while_it_takes_the_lease_releases_it() {
    let cluster = Cluster::builder().start();
    let (link, stop) = (Link::open(), CancellationToken::new());
    link.set(Condition::Late { request: Duration::ZERO, answer: Duration::from_millis(800) });
    let mut a = elector(&link, &cluster, "a");
    let halt = async {
        sleep(seconds(1)).await; // the lease is written, but the answer has not arrived
        stop.cancel();
    };
    let (outcome, ()) = tokio::join!(a.run(stop.clone(), async |_| panic!("the candidate leads")), halt);
    let _: Outcome<()> = outcome.unwrap();
    assert_eq!(record(&cluster).await.holder_identity.as_deref(), Some(""));
}
