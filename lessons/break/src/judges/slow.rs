//! The judge of the exercise `slow`: a handler is slower than the changes, so its unbounded buffer grows and the dashboard falls behind.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use kube_informers::cache::observe::Event;

use super::THREE_PODS;
use crate::bilingual::Bilingual;
use crate::journal::EntryKind;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::verdict::Mistake;

/// The interval between two changes of a pod.
const EVERY: Duration = Duration::from_millis(500);
/// The number of changes of each pod.
const TICKS: u32 = 60;
/// The largest age of a state that the dashboard may show, counted from the pod's next change. A right program needs three seconds,
/// one for each pod.
const LATEST: Duration = Duration::from_secs(5);

pub fn setting() -> Setting {
    let steps = (1..=TICKS).flat_map(|tick| {
        let at = (EVERY * tick).as_millis();
        (1..=3).map(move |n| format!("- {{at: {at}ms, label: web-{n}, set: {{tick: '{tick}'}}}}\n"))
    });
    Setting { pods: THREE_PODS, scenario: steps.collect(), lasts: Duration::from_secs(45), ..Setting::default() }
}

/// Passes if the dashboard never shows a state that is much out of date, and shows the last state of each pod.
pub fn judge(outcome: &Outcome) -> Result<(), Mistake> {
    let (mut last, mut most_late) = (BTreeMap::new(), None);
    for entry in &outcome.entries {
        let EntryKind::Shown(pod) = &entry.kind else { continue };
        let tick = tick(pod);
        // At this time the next tick replaces the shown one. The last tick is never replaced.
        let replaced = EVERY * (tick + 1);
        let late = entry.at.saturating_sub(replaced);
        if tick < TICKS && most_late.as_ref().is_none_or(|(most, _)| late > *most) {
            most_late = Some((late, pod));
        }
        last.insert(pod.name_any(), tick);
    }
    if let Some((late, pod)) = most_late.filter(|(late, _)| *late > LATEST) {
        return Err(out_of_date(outcome, pod, late.as_secs()));
    }
    if last.len() == 3 && last.values().all(|tick| *tick == TICKS) {
        return Ok(());
    }
    Err(Mistake {
        sentence: Bilingual::new(
            "The dashboard does not show the last state of each pod.",
            "仪表盘上不是每个 Pod 的最后状态。",
        ),
        evidence: outcome.excerpt(|kind| matches!(kind, EntryKind::Shown(_))),
        hint: Bilingual::new(
            "A change may be left out if a newer one of the same pod is told; the newest never.",
            "同一个 Pod 有更新的变化时，可以跳过旧的；最新的那个不能跳过。",
        ),
    })
}

/// Returns the number of the pod's last change, which the scenario writes to a label.
fn tick(pod: &Pod) -> u32 {
    pod.labels().get("tick").and_then(|tick| tick.parse().ok()).unwrap_or_default()
}

fn out_of_date(outcome: &Outcome, pod: &Pod, seconds: u64) -> Mistake {
    let (name, waiting) = (pod.name_any(), most_waiting(outcome));
    Mistake {
        sentence: Bilingual::new(
            format!(
                "The dashboard showed a state of {name} that was {seconds} s out of date; {waiting} changes waited."
            ),
            format!("仪表盘显示的 {name} 是 {seconds} 秒前的旧状态；排队的变化最多有 {waiting} 个。"),
        ),
        evidence: outcome.excerpt(|kind| matches!(kind, EntryKind::Shown(_))),
        hint: Bilingual::new(
            "Three pods change six times a second, one change a second is shown. What becomes of the others?",
            "三个 Pod 每秒变化六次，每秒只能显示一次。其余的去了哪里？",
        ),
    }
}

/// Returns the largest number of notifications that waited for the handler at once.
fn most_waiting(outcome: &Outcome) -> usize {
    let waiting = outcome.events().filter_map(|event| match event {
        Event::Notified { pending, .. } => Some(*pending),
        _ => None,
    });
    waiting.max().unwrap_or_default()
}
