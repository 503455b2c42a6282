//! Tests of leader election, in virtual time, between candidates whose links to the cluster can fail.

mod link;
mod partitions;
mod record;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use futures::stream::{self, StreamExt};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Patch, PatchParams};
use kube_informers::cache::with_causes;
use kube_informers::leader_election::{InvalidElection, LeaderElector, LeaderStatus, Leadership, Outcome};
use kube_testcluster::Cluster;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::Level;

use crate::logged::Logged;
use link::{Condition, Link};

/// A record of the beginnings and ends of all leaderships, in order.
#[derive(Clone, Default)]
struct LeadershipLog(Arc<Mutex<Vec<Note>>>);

type Note = (&'static str, Change, Instant);

#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Began,
    Ended,
}

impl LeadershipLog {
    /// Works as a leader and never returns. Notes the beginning of the leadership, and its end when the work is
    /// dropped.
    async fn lead(self, name: &'static str, lead: Leadership) {
        let _guard = LeadershipGuard::begin(self, name);
        loop {
            assert!(lead.is_held());
            sleep(Duration::from_millis(500)).await;
        }
    }

    fn note(&self, name: &'static str, change: Change) {
        self.0.lock().unwrap().push((name, change, Instant::now()));
    }

    /// Returns the leaders in order. Panics if two led at the same time.
    fn leaders(&self) -> Vec<&'static str> {
        let mut leading = None;
        let mut leaders = Vec::new();
        for (name, change, at) in &*self.0.lock().unwrap() {
            match change {
                Change::Began => {
                    assert_eq!(leading, None, "{name} began at {at:?}");
                    leading = Some(*name);
                    leaders.push(*name);
                }
                Change::Ended => assert_eq!(leading.take(), Some(*name)),
            }
        }
        leaders
    }

    /// Returns the time of the candidate's last change of this kind.
    fn when(&self, name: &'static str, change: Change) -> Instant {
        let notes = self.0.lock().unwrap();
        notes.iter().rev().find(|note| (note.0, note.1) == (name, change)).unwrap().2
    }
}

/// A leadership, whose end is noted when this value is dropped.
struct LeadershipGuard(LeadershipLog, &'static str);

impl LeadershipGuard {
    fn begin(log: LeadershipLog, name: &'static str) -> Self {
        log.note(name, Change::Began);
        Self(log, name)
    }
}

impl Drop for LeadershipGuard {
    fn drop(&mut self) {
        self.0.note(self.1, Change::Ended);
    }
}

fn elector(link: &Link, cluster: &Cluster, name: &str) -> LeaderElector {
    let seed = name.bytes().map(u64::from).sum();
    LeaderElector::new(link.client(cluster), "default", "controller", name).seed(seed)
}

/// A candidate that leads until it loses or is stopped.
struct Candidate {
    link: Link,
    status: LeaderStatus,
    stop: CancellationToken,
    running: JoinHandle<Result<Outcome<()>, InvalidElection>>,
}

fn candidate(cluster: &Cluster, log: &LeadershipLog, name: &'static str) -> Candidate {
    let (link, stop) = (Link::open(), CancellationToken::new());
    let mut elector = elector(&link, cluster, name);
    let status = elector.status();
    let (log, token) = (log.clone(), stop.clone());
    let running = tokio::spawn(async move { elector.run(token, |lead| log.lead(name, lead)).await });
    Candidate { link, status, stop, running }
}

impl Candidate {
    async fn ended(self) -> Outcome<()> {
        self.running.await.unwrap().unwrap()
    }

    /// Waits for the next change of the status, and returns how long it took.
    async fn changed(&mut self) -> Duration {
        let before = Instant::now();
        self.status.changed().await.unwrap();
        before.elapsed()
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Starts two candidates: `a` leads, and `b` has seen that.
async fn pair(cluster: &Cluster, log: &LeadershipLog) -> (Candidate, Candidate) {
    let mut a = candidate(cluster, log, "a");
    a.changed().await;
    let mut b = candidate(cluster, log, "b");
    b.changed().await;
    assert!(a.status.is_leader() && !b.status.is_leader());
    assert_eq!(b.status.leader().as_deref(), Some("a"));
    (a, b)
}

#[tokio::test(start_paused = true)]
async fn the_second_candidate_waits_while_the_first_one_leads() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let (a, b) = pair(&cluster, &log).await;
    sleep(seconds(3600)).await;
    assert_eq!(log.leaders(), ["a"]);
    assert!(a.status.is_leader() && !b.status.is_leader());
    b.stop.cancel();
    assert_eq!(b.ended().await, Outcome::Stopped);
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_stopped_hands_over_at_once() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let (a, mut b) = pair(&cluster, &log).await;
    a.stop.cancel();
    assert_eq!(a.ended().await, Outcome::Stopped);
    assert!(
        b.changed().await < Duration::from_millis(4400),
        "b waits for a retry period with jitter, not for the lease duration"
    );
    assert!(b.status.is_leader());
    sleep(seconds(1)).await;
    assert_eq!(log.leaders(), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn finished_work_releases_the_lease_at_once_and_returns_its_result() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let mut a = elector(&Link::open(), &cluster, "a");
    let outcome = a.run(CancellationToken::new(), async |lead| lead.is_held()).await;
    assert_eq!(outcome, Ok(Outcome::Finished(true)));
    assert!(!a.status().is_leader());
    assert_eq!(a.status().leader(), None);
    let mut b = candidate(&cluster, &log, "b");
    assert!(b.changed().await < seconds(1));
    assert!(b.status.is_leader());
}

#[tokio::test(start_paused = true)]
async fn a_leader_without_a_network_stops_before_another_can_begin() {
    for condition in [Condition::Refused, Condition::Lost] {
        let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
        let (a, mut b) = pair(&cluster, &log).await;
        sleep(seconds(60)).await;
        let cut = Instant::now();
        a.link.set(condition);
        let status = a.status.clone();
        assert_eq!(a.ended().await, Outcome::Lost, "{condition:?}");
        assert!(!status.is_leader());
        let stopped = log.when("a", Change::Ended) - cut;
        assert!(stopped > seconds(7) && stopped <= seconds(10), "{condition:?}: {stopped:?}");
        b.changed().await;
        sleep(seconds(1)).await;
        assert_eq!(log.leaders(), ["a", "b"]);
        let began = log.when("b", Change::Began) - cut;
        assert!(began > seconds(12) && began < seconds(20), "{condition:?}: {began:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_survives_short_failures() {
    for condition in [Condition::Refused, Condition::Lost, Condition::AnswersLost] {
        let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
        let (a, _b) = pair(&cluster, &log).await;
        for _ in 0..20 {
            sleep(seconds(7)).await;
            a.link.set(condition);
            sleep(seconds(3)).await;
            a.link.set(Condition::Open);
        }
        assert!(a.status.is_leader(), "{condition:?}");
        assert_eq!(log.leaders(), ["a"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_does_not_prolong_the_leadership() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let (a, mut b) = pair(&cluster, &log).await;
    sleep(seconds(60)).await;
    let from = Instant::now();
    a.link.set(Condition::Late { request: Duration::ZERO, answer: Duration::from_millis(4900) });
    sleep(Duration::from_millis(2500)).await; // one renewal takes effect; its answer comes 4.9 seconds later
    a.link.set(Condition::Lost);
    assert_eq!(a.ended().await, Outcome::Lost);
    let stopped = log.when("a", Change::Ended) - from;
    assert!(stopped <= seconds(12), "{stopped:?}");
    b.changed().await;
    sleep(seconds(1)).await;
    assert_eq!(log.leaders(), ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn the_log_contains_the_reason_why_a_candidate_stopped_leading() {
    let logged = Logged::start();
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let (a, b) = pair(&cluster, &log).await;
    b.stop.cancel();
    a.link.set(Condition::Lost);
    assert_eq!(a.ended().await, Outcome::Lost);
    let last = logged.with(Level::WARN).pop().unwrap();
    assert!(last.contains("stopped leading") && last.contains("could not renew the lease within 10s"), "{last}");

    let mut c = candidate(&cluster, &log, "c");
    while !c.status.is_leader() {
        c.changed().await;
    }
    let leases: kube::Api<Lease> = kube::Api::default_namespaced(cluster.client("default"));
    let taken = json!({"spec": {"holderIdentity": "a person"}});
    leases.patch("controller", &PatchParams::default(), &Patch::Merge(taken)).await.unwrap();
    assert_eq!(c.ended().await, Outcome::Lost);
    let last = logged.with(Level::WARN).pop().unwrap();
    assert!(last.contains("stopped leading") && last.contains("held by \\\"a person\\\""), "{last}");
}

#[tokio::test(start_paused = true)]
async fn an_elector_can_run_again_after_it_lost() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let link = Link::open();
    let mut elector = elector(&link, &cluster, "a");
    let cut = async {
        sleep(seconds(5)).await;
        link.set(Condition::Lost);
        sleep(seconds(30)).await;
        link.set(Condition::Open);
    };
    let lead = |lead| log.clone().lead("a", lead);
    let (outcome, ()) = tokio::join!(elector.run(CancellationToken::new(), lead), cut);
    assert_eq!(outcome, Ok(Outcome::Lost));
    assert_eq!(elector.run(CancellationToken::new(), async |_| ()).await, Ok(Outcome::Finished(())));
}

#[tokio::test(start_paused = true)]
async fn work_that_ends_within_its_grace_period_keeps_the_lease_until_then() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let stop = CancellationToken::new();
    let mut a = elector(&Link::open(), &cluster, "a").grace_period(seconds(60));
    let (mut status, token) = (a.status(), stop.clone());
    let running = tokio::spawn(async move {
        let drain = async |lead: Leadership| {
            lead.stopping().await;
            sleep(seconds(30)).await;
            assert!(lead.is_held());
            "drained"
        };
        a.run(token, drain).await
    });
    status.changed().await.unwrap();
    let mut b = candidate(&cluster, &log, "b");
    b.changed().await;
    stop.cancel();
    assert_eq!(running.await.unwrap(), Ok(Outcome::Finished("drained")));
    assert_eq!(log.leaders(), [""; 0], "b has not led yet");
    assert!(b.changed().await < seconds(5));
    assert!(b.status.is_leader());
}

#[tokio::test(start_paused = true)]
async fn work_that_outlasts_its_grace_period_is_dropped() {
    let (cluster, log) = (Cluster::builder().start(), LeadershipLog::default());
    let stop = CancellationToken::new();
    stop.cancel();
    let mut a = elector(&Link::open(), &cluster, "a").grace_period(seconds(60));
    assert_eq!(a.run(stop, async |_| ()).await, Ok(Outcome::Stopped), "no work begins after the stop");

    let stop = CancellationToken::new();
    let (token, work) = (stop.clone(), log.clone());
    let running = tokio::spawn(async move { a.run(token, |lead| work.lead("a", lead)).await });
    sleep(seconds(1)).await;
    stop.cancel();
    assert_eq!(running.await.unwrap(), Ok(Outcome::Stopped));
    let led = log.when("a", Change::Ended) - log.when("a", Change::Began);
    assert!(led >= seconds(61) && led < seconds(62), "{led:?}");
}

#[tokio::test(start_paused = true)]
async fn leadership_ends_when_the_work_panics_or_is_aborted() {
    let cluster = Cluster::builder().start();
    let mut a = elector(&Link::open(), &cluster, "a");
    let mut status = a.status();
    let running = tokio::spawn(async move {
        let panics = async |_| {
            sleep(seconds(1)).await;
            panic!("the work fails")
        };
        let _: Outcome<()> = a.run(CancellationToken::new(), panics).await.unwrap();
    });
    status.changed().await.unwrap();
    assert!(status.is_leader());
    assert!(running.await.unwrap_err().is_panic());
    assert!(!status.is_leader());
    assert!(status.changed().await.is_ok(), "the status reports the end of the leadership");
    assert!(status.changed().await.is_err(), "the elector was dropped");

    let log = LeadershipLog::default();
    let mut c = candidate(&cluster, &log, "c"); // takes over when a's lease has expired
    c.changed().await;
    assert!(c.changed().await >= seconds(14));
    assert!(c.status.is_leader());
    c.running.abort();
    assert!(c.running.await.unwrap_err().is_cancelled());
    assert!(!c.status.is_leader());
}

#[tokio::test(start_paused = true)]
async fn failed_requests_are_reported_and_retried() {
    let cluster = Cluster::builder().start();
    let link = Link::open();
    let errors = Arc::new(Mutex::new(Vec::new()));
    let sink = errors.clone();
    let mut a = elector(&link, &cluster, "a").on_error(move |error| sink.lock().unwrap().push(error.to_string()));
    link.set(Condition::Refused);
    let open = async {
        sleep(seconds(10)).await;
        link.set(Condition::Lost);
        sleep(seconds(10)).await;
        link.set(Condition::Open);
    };
    let (outcome, ()) = tokio::join!(a.run(CancellationToken::new(), async |_| ()), open);
    assert_eq!(outcome, Ok(Outcome::Finished(())));
    let errors = errors.lock().unwrap();
    assert_eq!(errors.first().unwrap(), "cannot read lease default/controller");
    assert_eq!(errors.last().unwrap(), "no answer about lease default/controller within 5s");
}

#[tokio::test(start_paused = true)]
async fn settings_that_could_allow_two_leaders_are_refused() {
    let cluster = Cluster::builder().start();
    let link = Link::open();
    let new = || elector(&link, &cluster, "a");
    let run = async |mut elector: LeaderElector| elector.run(CancellationToken::new(), async |_| ()).await.unwrap_err();
    let error = run(new().lease_duration(seconds(10))).await;
    assert_eq!(error.to_string(), "lease duration 10s must be greater than renew deadline 10s");
    let error = run(new().retry_period(seconds(9))).await;
    assert_eq!(error.to_string(), "renew deadline 10s must be greater than 1.2 × retry period 9s");
    assert_eq!(run(new().retry_period(Duration::ZERO)).await, InvalidElection::RetryPeriod);
    assert_eq!(run(elector(&link, &cluster, "")).await, InvalidElection::NoIdentity);
}

#[tokio::test]
async fn an_answer_without_an_end_is_an_error_that_names_the_limit() {
    let endless = async || Body::from_stream(stream::repeat("x".repeat(64 << 10)).map(Ok::<_, Infallible>));
    let client = kube::Client::new(Router::new().fallback(endless), "default");
    let (errors, mut seen) = mpsc::unbounded_channel();
    let elector = LeaderElector::new(client, "default", "lock", "a");
    let mut elector = elector.on_error(move |error| errors.send(with_causes(error).to_string()).unwrap());
    let stop = CancellationToken::new();
    let ends = stop.clone();
    let running = tokio::spawn(async move { elector.run(ends, async |_| ()).await });
    let error = seen.recv().await.unwrap();
    assert_eq!(
        error,
        "cannot read lease default/lock: an object in the API server's answer is longer than 16777216 bytes"
    );
    stop.cancel();
    assert!(matches!(running.await.unwrap(), Ok(Outcome::Stopped)));
}
