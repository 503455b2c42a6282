//! The judge of the exercise `slow`: a handler is slower than the changes, so its unbounded buffer grows and the dashboard falls behind.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube_informers::cache::observe::Event;

use crate::exercises::judging::{Entry, EntryKind, Mistake, Outcome};
use crate::trace::Words;

/// The interval between two changes of a pod.
pub const EVERY: Duration = Duration::from_millis(500);
/// The number of changes of each pod.
pub const TICKS: u32 = 60;
/// The largest age of a state that the dashboard may show, counted from the pod's next change. A right program needs three seconds,
/// one for each pod.
const LATEST: Duration = Duration::from_secs(5);

/// Passes if the dashboard never shows a state that is much out of date, and shows the last state of each pod.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let mut most_late = None;
    for entry in &outcome.entries {
        let EntryKind::Shown(pod) = &entry.kind else { continue };
        let tick = tick(pod);
        // At this time the next tick replaces the shown one. The last tick is never replaced.
        let replaced = EVERY * (tick + 1);
        let late = entry.at.saturating_sub(replaced);
        if tick < TICKS && most_late.as_ref().is_none_or(|(most, _)| late > *most) {
            most_late = Some((late, pod));
        }
    }
    if let Some((late, pod)) = most_late.filter(|(late, _)| *late > LATEST) {
        return Err(out_of_date(outcome, pod, late.as_secs()));
    }
    if shows_the_last(&outcome.entries) { Ok(()) } else { Err(incomplete(outcome)) }
}

/// The largest number of states that a right program may show after a newer one was stored. A program that reads its
/// cache needs a moment to learn of the newest one.
const MOST_OUTDATED: usize = 20;

/// Judges a trial in real time. There the dashboard shows only one state until the last change is stored. After that, a
/// program whose changes wait shows all of them one after the other, and a program that knows the newest state shows
/// that.
pub fn judge_by_changes(outcome: &Outcome) -> Result<(), Mistake> {
    let outdated = outdated(&outcome.entries);
    if outdated > MOST_OUTDATED {
        return Err(Mistake {
            sentence: Words::new(
                "The cluster was quiet, and the dashboard showed one state after another that was long out of date.",
                "集群已经安静了，仪表盘还在一个接一个地显示早就过时的状态。",
            ),
            evidence: outcome.excerpt(|kind| matches!(kind, EntryKind::Shown(_))),
            hint: hint(),
        });
    }
    if shows_the_last(&outcome.entries) { Ok(()) } else { Err(incomplete(outcome)) }
}

/// Returns true if the entries suffice for a verdict: too many states are out of date, or the dashboard shows the last
/// state of each pod.
pub fn is_decided(entries: &[Entry]) -> bool {
    outdated(entries) > MOST_OUTDATED || shows_the_last(entries)
}

/// Returns how many states the dashboard began to show after a newer one was stored.
fn outdated(entries: &[Entry]) -> usize {
    let last_step = entries.iter().rposition(|entry| matches!(entry.kind, EntryKind::Step(_))).unwrap_or_default();
    shown(&entries[last_step..]).filter(|pod| tick(pod) < TICKS).count()
}

fn shows_the_last(entries: &[Entry]) -> bool {
    let last: BTreeMap<_, _> = shown(entries).map(|pod| (pod.name_any(), tick(pod))).collect();
    // The trial has three pods.
    last.len() == 3 && last.values().all(|tick| *tick == TICKS)
}

fn shown(entries: &[Entry]) -> impl Iterator<Item = &Pod> {
    entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Shown(pod) => Some(&**pod),
        _ => None,
    })
}

fn incomplete(outcome: &Outcome) -> Mistake {
    Mistake {
        sentence: Words::new(
            "The dashboard does not show the last state of each pod.",
            "仪表盘上不是每个 Pod 的最后状态。",
        ),
        evidence: outcome.excerpt(|kind| matches!(kind, EntryKind::Shown(_))),
        hint: Words::new(
            "A change may be skipped if a newer one of the same pod is delivered, but never the newest.",
            "同一个 Pod 有更新的变化时，可以跳过旧的；最新的那个不能跳过。",
        ),
    }
}

/// Returns the number of the pod's last change, which the scenario writes to a label.
fn tick(pod: &Pod) -> u32 {
    pod.labels().get("tick").and_then(|tick| tick.parse().ok()).unwrap_or_default()
}

fn out_of_date(outcome: &Outcome, pod: &Pod, seconds: u64) -> Mistake {
    let (name, waiting) = (pod.name_any(), most_waiting(outcome));
    Mistake {
        sentence: Words::new(
            format!(
                "The dashboard showed a state of {name} that was {seconds} s out of date; {waiting} changes waited."
            ),
            format!("仪表盘显示的 {name} 是 {seconds} 秒前的旧状态；排队的变化最多有 {waiting} 个。"),
        ),
        evidence: outcome.excerpt(|kind| matches!(kind, EntryKind::Shown(_))),
        hint: hint(),
    }
}

fn hint() -> Words {
    Words::new(
        "The pods change faster than the dashboard shows them. Where do the other changes wait?",
        "Pod 变化得比仪表盘显示得快。其余的变化在哪里等？",
    )
}

/// Returns the largest number of notifications that waited for the handler at once.
fn most_waiting(outcome: &Outcome) -> usize {
    let waiting = outcome.events().filter_map(|event| match event {
        Event::Notified { pending, .. } => Some(*pending),
        _ => None,
    });
    waiting.max().unwrap_or_default()
}
