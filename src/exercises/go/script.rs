//! The scripts: for each exercise, the pods at the start, and a sequence of changes after which its mistake has a
//! visible effect. They make the same situations as the settings in `lessons/break/src/settings.rs`, without a clock.

use std::collections::BTreeSet;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use kube_testcluster::Change;

use super::trial::{NotSeen, Trial};
use crate::exercises::judging::judges::{self, THREE_PODS};
use crate::exercises::judging::{Backend, Entry, EntryKind, Mistake, Outcome, backends};

/// The situation of a program in Go, and its judge.
pub(super) struct Script {
    /// The name of the exercise.
    pub(super) name: &'static str,
    /// The pods at the start, as YAML.
    pub(super) pods: &'static str,
    pub(super) nodes: usize,
    pub(super) play: Play,
    pub(super) judge: fn(&Outcome) -> Result<(), Mistake>,
}

type Play = for<'a> fn(&'a Trial) -> LocalBoxFuture<'a, Result<(), NotSeen>>;

/// The script of each exercise, in the learner's order.
pub(super) static SCRIPTS: [Script; 10] = [
    script("updates", ONE_POD, |trial| updates(trial).boxed_local(), judges::updates::judge),
    script("tombstone", THREE_PODS, |trial| tombstone(trial).boxed_local(), judges::tombstone::judge),
    script("slow", THREE_PODS, |trial| slow(trial).boxed_local(), judges::slow::judge_by_changes),
    script("mutate", judges::mutate::PODS, |trial| mutate(trial).boxed_local(), judges::mutate::judge),
    Script { nodes: 2, ..script("sync", judges::sync::PODS, |trial| sync(trial).boxed_local(), judges::sync::judge) },
    script("resync", THREE_PODS, |trial| resync(trial).boxed_local(), judges::resync::judge),
    script("gap", THREE_PODS, |trial| gap(trial).boxed_local(), judges::gap::judge),
    script("recreated", THREE_PODS, |trial| recreated(trial).boxed_local(), judges::recreated::judge),
    script("stale", THREE_PODS, |trial| stale(trial).boxed_local(), judges::stale::judge),
    script("shared", THREE_PODS, |trial| shared(trial).boxed_local(), judges::shared::judge),
];

const fn script(
    name: &'static str,
    pods: &'static str,
    play: Play,
    judge: fn(&Outcome) -> Result<(), Mistake>,
) -> Script {
    Script { name, pods, nodes: 0, play, judge }
}

const ONE_POD: &str = "{metadata: {name: first}, spec: {containers: [{name: main, image: nginx}]}}";

/// Creates a pod, changes it and deletes it, once the program knows the first pod.
async fn updates(trial: &Trial) -> Result<(), NotSeen> {
    trial.until(|entries| notified(entries, "handler", "add") >= 1).await?;
    let labels = (1..=3).map(|n| format!("label: nettool, set: {{n: '{n}'}}"));
    let steps = ["run: nettool".to_owned()].into_iter().chain(labels).chain(["delete: nettool".to_owned()]);
    trial.steps(steps).await?;
    trial.settle(|entries| notified(entries, "handler", "delete") >= 1).await;
    Ok(())
}

/// Deletes one pod while the watch works. Deletes a second one while the watch sends no events, so that only the relist
/// reveals it. The last pod arrives after the relist.
async fn tombstone(trial: &Trial) -> Result<(), NotSeen> {
    trial.until_backends(&keys(["web-1", "web-2", "web-3"])).await?;
    trial.steps(["delete: web-1"]).await?;
    trial.until(|entries| !backends(entries).contains("default/web-1")).await?;
    without_a_watch(trial, &["delete: web-2"]).await?;
    trial.steps(["run: web-4"]).await?;
    trial.until_backends(&keys(["web-4"])).await?;
    trial.settle_backends(&keys(["web-3", "web-4"])).await;
    Ok(())
}

/// Changes every pod sixty times while the dashboard shows one state.
async fn slow(trial: &Trial) -> Result<(), NotSeen> {
    let dashboard = &trial.outside.dashboard;
    dashboard.close();
    trial.reaches(dashboard).await?;
    let ticks = (1..=judges::slow::TICKS)
        .flat_map(|tick| (1..=3).map(move |n| format!("label: web-{n}, set: {{tick: '{tick}'}}")));
    trial.steps(ticks).await?;
    dashboard.open();
    trial.until(judges::slow::is_decided).await
}

/// Holds the second handler back until the first one has logged every pod.
async fn mutate(trial: &Trial) -> Result<(), NotSeen> {
    let policy = &trial.outside.policy;
    policy.close();
    trial.reaches(policy).await?;
    trial.settle(|entries| count(entries, |kind| matches!(kind, EntryKind::Logged(_))) >= 3).await;
    policy.open();
    trial.until(|entries| count(entries, |kind| matches!(kind, EntryKind::Asked(_))) >= 3).await?;
    trial.settle(|entries| count(entries, |kind| is_alarm_about(kind, "default/bare")) >= 1).await;
    Ok(())
}

/// Delays the program's requests for nodes. A wrong program meanwhile deletes a pod whose node exists. If no such
/// deletion comes in time, the requests are let through.
async fn sync(trial: &Trial) -> Result<(), NotSeen> {
    let nodes = &trial.outside.nodes;
    nodes.close();
    trial.reaches(nodes).await?;
    trial.settle(|entries| deletions(entries).any(|target| target != "pods/orphan")).await;
    nodes.open();
    trial.settle(|entries| !existing(entries).contains("default/orphan")).await;
    Ok(())
}

/// Creates a pod and deletes another while the load balancer is down. The program resyncs every second.
async fn resync(trial: &Trial) -> Result<(), NotSeen> {
    trial.until_backends(&keys(["web-1", "web-2", "web-3"])).await?;
    trial.set_balancer_down(true);
    trial.steps(["run: web-4", "delete: web-1"]).await?;
    trial.until(|entries| is_refused(entries, "default/web-4", Backend::Added)).await?;
    trial.until(|entries| is_refused(entries, "default/web-1", Backend::Removed)).await?;
    trial.set_balancer_down(false);
    trial.until_backends(&keys(["web-4"])).await?;
    trial.settle_backends(&keys(["web-2", "web-3", "web-4"])).await;
    Ok(())
}

/// Deletes a pod while the program still processes its list. Later it creates another pod and deletes a third.
async fn gap(trial: &Trial) -> Result<(), NotSeen> {
    let balancer = &trial.outside.balancer;
    balancer.close();
    trial.reaches(balancer).await?;
    trial.steps(["delete: web-1"]).await?;
    balancer.open();
    trial.until(|entries| requests(entries, "WATCH") >= 1).await?;
    trial.steps(["run: web-4"]).await?;
    trial.until_backends(&keys(["web-4"])).await?;
    trial.steps(["delete: web-2"]).await?;
    trial.settle_backends(&keys(["web-3", "web-4"])).await;
    Ok(())
}

/// Deletes a pod and creates another of the same name while the watch sends no events. Then it deletes a pod while the
/// watch works.
async fn recreated(trial: &Trial) -> Result<(), NotSeen> {
    trial.until_backends(&trial.uids().await).await?;
    without_a_watch(trial, &["delete: web-2", "run: web-2"]).await?;
    trial.steps(["run: web-4"]).await?;
    trial.until_backends(&trial.uid_of("web-4").await).await?;
    trial.steps(["delete: web-1"]).await?;
    trial.settle_backends(&trial.uids().await).await;
    Ok(())
}

/// Deletes a pod, and holds the watch cache back while the program creates its replacement. Later it deletes another.
async fn stale(trial: &Trial) -> Result<(), NotSeen> {
    let creations = &trial.outside.creations;
    let watches = trial.until(|entries| requests(entries, "WATCH") >= 1).await;
    creations.close();
    trial.steps(["delete: web-1"]).await?; // a program without a watch has to replace the pod as well
    watches?;
    trial.reaches(creations).await?;
    trial.fault("lag:resource=pods");
    creations.open();
    trial.settle(|entries| requests(entries, "CREATE") >= 3).await;
    trial.end_faults();
    trial.steps(["delete: web-2"]).await?;
    trial.settle(|entries| existing(entries).len() >= 3).await;
    Ok(())
}

/// Creates a pod and deletes another, once every consumer knows the three pods.
async fn shared(trial: &Trial) -> Result<(), NotSeen> {
    let all = |entries: &[Entry], kind: &str, count: usize| {
        judges::shared::CONSUMERS.iter().all(|consumer| notified(entries, consumer, kind) >= count)
    };
    trial.until(|entries| all(entries, "add", 3)).await?;
    trial.steps(["run: web-4", "delete: web-1"]).await?;
    trial.settle(|entries| all(entries, "add", 4) && all(entries, "delete", 1)).await;
    Ok(())
}

/// Performs steps that no watch reports: its events are hidden, its history is dropped, and it ends. So the program has to
/// list again.
async fn without_a_watch(trial: &Trial, steps: &[&str]) -> Result<(), NotSeen> {
    trial.fault("hide-events:resource=pods,for=1h"); // until the faults end
    trial.steps(steps).await?;
    trial.end_faults();
    trial.fault("compact");
    trial.fault("drop-watches:resource=pods");
    Ok(())
}

/// Returns the keys of pods with these names.
fn keys<const N: usize>(names: [&str; N]) -> Vec<String> {
    names.map(|name| format!("default/{name}")).into()
}

fn count(entries: &[Entry], matters: impl Fn(&EntryKind) -> bool) -> usize {
    entries.iter().filter(|entry| matters(&entry.kind)).count()
}

fn notified(entries: &[Entry], name: &str, wanted: &str) -> usize {
    count(
        entries,
        |kind| matches!(kind, EntryKind::Notified { handler, change } if handler == name && change.kind() == wanted),
    )
}

fn requests(entries: &[Entry], verb: &str) -> usize {
    count(entries, |kind| matches!(kind, EntryKind::Request(request) if request.verb == verb))
}

/// Returns what the program has asked to delete.
fn deletions(entries: &[Entry]) -> impl Iterator<Item = &str> {
    entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Request(request) if request.verb == "DELETE" => Some(request.target.as_str()),
        _ => None,
    })
}

fn is_refused(entries: &[Entry], key: &str, wanted: Backend) -> bool {
    let refused = |kind: &EntryKind| match kind {
        EntryKind::Balanced { backend, change, refused } => *refused && backend == key && *change == wanted,
        _ => false,
    };
    count(entries, refused) > 0
}

fn is_alarm_about(kind: &EntryKind, key: &str) -> bool {
    matches!(kind, EntryKind::Alarm(about) if about.starts_with(key))
}

/// Returns the keys of the pods that exist after these entries.
fn existing(entries: &[Entry]) -> BTreeSet<&str> {
    let mut keys = BTreeSet::new();
    for entry in entries {
        let EntryKind::Written(write) = &entry.kind else { continue };
        match write.change {
            _ if write.kind != "Pod" => {}
            Change::Deleted => drop(keys.remove(write.key.as_str())),
            _ => drop(keys.insert(write.key.as_str())),
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use kube_testcluster::pods_from_yaml;

    use super::*;

    #[test]
    fn every_exercise_has_a_script() {
        let names = crate::exercises::ALL.map(|exercise| exercise.name);
        assert_eq!(SCRIPTS.each_ref().map(|script| script.name), names);
    }

    #[test]
    fn the_pods_of_every_script_are_valid() {
        for script in &SCRIPTS {
            assert!(pods_from_yaml(script.pods, script.name, "default").is_ok(), "{}", script.name);
        }
    }
}
