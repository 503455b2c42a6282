//! Checks leader election under random link failures: two candidates never lead at the same time, and one leads after
//! the failures end.

use std::time::Duration;

use kube_informers::leader_election::Outcome;
use kube_testcluster::Cluster;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::link::{Condition, Link};
use super::{LeadershipLog, elector, seconds};

const CANDIDATES: [&str; 3] = ["a", "b", "c"];

fn random_condition(random: &mut fastrand::Rng) -> Condition {
    let mut millis = |most| Duration::from_millis(random.u64(0..most));
    let late = Condition::Late { request: millis(12_000), answer: millis(6_000) };
    match random.u8(0..8) {
        0 | 1 => Condition::Open,
        2 => Condition::Refused,
        3 | 4 => Condition::Lost,
        5 => Condition::AnswersLost,
        _ => late,
    }
}

/// Runs an election with ten minutes of random failures and two minutes without. Returns the number of leaderships.
async fn election(seed: u64) -> usize {
    let (cluster, log) = (Cluster::builder().seed(seed).start(), LeadershipLog::default());
    let mut random = fastrand::Rng::with_seed(seed);
    let stop = CancellationToken::new();
    let links = CANDIDATES.map(|_| Link::open());
    let mut running = JoinSet::new();
    for (name, link) in CANDIDATES.into_iter().zip(&links) {
        // The default lease duration is so long that a bug (measuring the deadline from the answer instead of from the
        // request) would be hidden by the request's timeout.
        let mut elector = elector(link, &cluster, name).lease_duration(seconds(11 + seed % 5)).seed(random.u64(..));
        let (log, stop) = (log.clone(), stop.clone());
        running.spawn(async move {
            while let Outcome::Lost = elector.run(stop.clone(), |lead| log.clone().lead(name, lead)).await.unwrap() {}
        });
    }
    let failures = async {
        loop {
            random.choice(&links).unwrap().set(random_condition(&mut random));
            sleep(Duration::from_millis(random.u64(0..10_000))).await;
        }
    };
    assert!(timeout(seconds(600), failures).await.is_err());
    links.iter().for_each(|link| link.set(Condition::Open));
    sleep(seconds(60)).await;
    let begun = log.leaders().len();
    sleep(seconds(60)).await;
    let leaders = log.leaders().len();
    assert_eq!(leaders, begun, "seed {seed}: the leader changes without a failure");
    // The log has a beginning and an end of each leadership, so its length is odd while a candidate leads.
    assert!(log.0.lock().unwrap().len() % 2 == 1, "seed {seed}: no candidate leads");
    stop.cancel();
    running.join_all().await;
    leaders
}

#[tokio::test(start_paused = true)]
async fn two_candidates_never_lead_at_once_when_requests_are_lost_or_late() {
    let mut leaders = 0;
    for seed in 0..24 {
        leaders += election(seed).await;
    }
    assert!(leaders > 120, "only {leaders} candidates have led: the failures are too mild to show anything");
}
