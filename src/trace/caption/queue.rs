//! Captions of the queue's events.

use super::Sentence;
use super::counted::{object, objects, waiting};
use crate::trace::narrator::short;
use crate::trace::picture::Pipeline;
use crate::trace::record::{WaitingDelta, What};

/// The most keys that the caption of a batch names.
const MOST_NAMED: usize = 3;

pub(super) fn caption(what: &What, after: &Pipeline) -> Option<Sentence> {
    let (wait, wait_zh) = waiting(after.queue.len());
    Some(match what {
        What::Queued { key, delta, .. } if key.is_empty() => {
            let (objects, objects_zh) = whole(delta, after);
            (
                format!("{} queued: {objects} as one delta, {wait}.", delta.delta),
                format!("{} 入队：{objects_zh}，作为一个 Delta，{wait_zh}。", delta.delta),
            )
        }
        What::Queued { key, delta, .. } => queued(key, delta, after),
        What::Merged { key } => (
            format!("{}: two deletions in a row are one now, {wait}.", short(key)),
            format!("{}：连续两个删除合并成一个，{wait_zh}。", short(key)),
        ),
        What::Dropped { key, .. } => (
            format!("{}: Deleted dropped, {wait}.", short(key)),
            format!("{}：Deleted 被丢弃，{wait_zh}。", short(key)),
        ),
        What::Popped { key, deltas, .. } => popped(key, deltas, after),
        _ => return None,
    })
}

fn queued(key: &str, delta: &WaitingDelta, after: &Pipeline) -> Sentence {
    let (name, name_zh) = object(key, delta.resource_version.as_deref());
    let (kind, kind_zh) = named(delta);
    let (wait, wait_zh) = waiting(after.queue.len());
    let slot = if after.is_by_key() { after.queued(key) } else { Vec::new() };
    match &slot[..] {
        [earlier @ .., _] if !earlier.is_empty() => {
            let [en, zh] = [", ", "、"].map(|between| joined(earlier.iter().copied(), between));
            (
                format!("{name}: {kind} queued behind its {en}, in the same slot; {wait}."),
                format!("{name_zh}：{kind_zh} 入队，在同一槽位里排在 {zh} 之后；{wait_zh}。"),
            )
        }
        _ => (format!("{name}: {kind} queued, {wait}."), format!("{name_zh}：{kind_zh} 入队，{wait_zh}。")),
    }
}

fn popped(key: &str, deltas: &[WaitingDelta], after: &Pipeline) -> Sentence {
    let (wait, wait_zh) = waiting(after.queue.len());
    let [names, names_zh] = [", ", "、"].map(|between| joined(deltas, between));
    let of_many = deltas.iter().find(|delta| matches!(delta.delta.as_str(), "ReplacedAll" | "SyncAll"));
    let keys: Vec<&str> = after.in_hand.iter().map(|(key, _)| short(key)).collect();
    match (of_many, &keys[..]) {
        (Some(delta), _) => {
            let (objects, objects_zh) = whole(delta, after);
            (format!("{names} popped: {objects}, {wait}."), format!("pop 出 {names_zh}：{objects_zh}，{wait_zh}。"))
        }
        (None, [first, rest @ ..]) if rest.iter().any(|key| key != first) => {
            let shown = &keys[..keys.len().min(MOST_NAMED)];
            let more = if keys.len() > MOST_NAMED { " …" } else { "" };
            (
                format!("A batch of {} deltas popped: {names} of {}{more}; {wait}.", deltas.len(), shown.join(", ")),
                format!("一次 pop 出 {} 个 Delta：{names_zh}（{}{more}）；{wait_zh}。", deltas.len(), shown.join("、")),
            )
        }
        (None, _) => {
            let key = keys.first().copied().filter(|key| !key.is_empty()).unwrap_or(key);
            let (name, name_zh) = object(key, deltas.last().and_then(|delta| delta.resource_version.as_deref()));
            (format!("{name}: {names} popped, {wait}."), format!("{name_zh}：pop 出 {names_zh}，{wait_zh}。"))
        }
    }
}

/// Describes the objects of a delta that stands for a whole list or store.
fn whole(delta: &WaitingDelta, after: &Pipeline) -> Sentence {
    let (part, number) = match delta.delta.as_str() {
        "SyncAll" => ("store", after.store.len()),
        _ => ("list", after.listed.len()),
    };
    let (number, number_zh) = objects(number);
    (format!("{number} of the {part}"), format!("{part} 的 {number_zh}"))
}

fn named(delta: &WaitingDelta) -> Sentence {
    match delta.tombstone {
        true => (format!("{} (tombstone)", delta.delta), format!("{}（tombstone）", delta.delta)),
        false => (delta.delta.clone(), delta.delta.clone()),
    }
}

fn joined<'a>(deltas: impl IntoIterator<Item = &'a WaitingDelta>, between: &str) -> String {
    deltas.into_iter().map(|delta| named(delta).0).collect::<Vec<_>>().join(between)
}
