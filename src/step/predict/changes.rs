//! Questions on what the queue does with a change that the watch brought, such as whether a deletion comes out of it.
//! Each function returns its question, or `None` if the situation was asked about before or no later event has the
//! answer. A queue is by key if it has one slot for each key, as DeltaFIFO; RealFIFO has a slot for each change.

use super::{Moment, SituatedQuestion};
use crate::trace::{Cause, What, short};

pub(super) fn question_at(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    match &moment.record.what {
        What::Watched { kind, key, .. } if moment.record.cause == Some(Cause::Watch) => match kind.as_str() {
            "DELETED" => deleted(moment, key),
            _ if moment.pipeline.queued(key).is_empty() => queued(moment, kind, key),
            _ => together(moment, key),
        },
        What::Queued { .. } => next_pop(moment),
        _ => None,
    }
}

/// Asks whether the queue will return a deletion.
fn deleted(moment: &Moment<'_>, key: &str) -> Option<SituatedQuestion> {
    let (pipeline, name) = (moment.pipeline, short(key));
    let queued = pipeline.queued(key).last().map(|delta| delta.delta.clone());
    let is_known = pipeline.known_objects && pipeline.store.contains_key(key);
    let situation = format!("deleted {} {} {is_known}", pipeline.is_by_key(), queued.is_some());
    let situation = moment.new_situation(situation)?;
    let (answer, known_objects) = match moment.next_of(key)? {
        What::Queued { known_objects, .. } => (true, *known_objects),
        What::Dropped { known_objects, .. } => (false, *known_objects),
        _ => return None,
    };
    let (reason, reason_zh) = match (answer, queued) {
        (true, Some(delta)) => (format!("its {delta} is still queued."), format!("它的 {delta} 还在队列里。")),
        (true, None) if pipeline.is_by_key() => {
            ("the known objects have it.".to_owned(), "known objects 里有它。".to_owned())
        }
        (true, None) => ("RealFIFO queues every change.".to_owned(), "RealFIFO 把每个变化都放进队列。".to_owned()),
        (false, _) if known_objects => {
            ("it is neither queued nor known.".to_owned(), "它既不在队列里，也不在 known objects 里。".to_owned())
        }
        (false, _) => (
            "it is not queued, and this queue has no known objects to ask.".to_owned(),
            "它不在队列里，而这个队列没有 known objects 可查。".to_owned(),
        ),
    };
    let text = (
        format!("{name} is deleted: will Deleted come out of the queue? y/n"),
        format!("{name} 被删除了：队列会交出 Deleted 吗？y/n"),
    );
    Some(SituatedQuestion::new(situation, answer, text, (&reason, &reason_zh)))
}

/// Asks for the name of the delta of an addition or an update.
fn queued(moment: &Moment<'_>, kind: &str, key: &str) -> Option<SituatedQuestion> {
    let is_known = moment.pipeline.store.contains_key(key);
    let situation = moment.new_situation(format!("{kind} {is_known}"))?;
    let What::Queued { delta, .. } = moment.next_of(key)? else { return None };
    let name = short(key);
    let (expected, done, done_zh) = match kind {
        "ADDED" => ("Added", "is created", "被创建了"),
        "MODIFIED" => ("Updated", "changes", "有变化"),
        _ => return None,
    };
    let text = (
        format!("{name} {done}: will {expected} come out of the queue? y/n"),
        format!("{name} {done_zh}：队列会交出 {expected} 吗？y/n"),
    );
    let reason = (format!("the delta is {}.", delta.delta), format!("放进去的 Delta 是 {}。", delta.delta));
    Some(SituatedQuestion::new(situation, delta.delta == expected, text, (&reason.0, &reason.1)))
}

/// Asks about a change of an object whose earlier change is still queued.
fn together(moment: &Moment<'_>, key: &str) -> Option<SituatedQuestion> {
    let (name, by_key) = (short(key), moment.pipeline.is_by_key());
    let situation = moment.new_situation(format!("together {by_key}"))?;
    let popped = moment.later_events().find_map(|next| match &next.what {
        What::Popped { key: popped, deltas, .. } if popped == key || !by_key => Some(deltas.len()),
        _ => None,
    })?;
    let text = (
        format!("{name} changes, and an earlier change of it is still queued: will both come out at once? y/n"),
        format!("{name} 又有变化，而它之前的变化还在队列里：队列会把两个一起交出吗？y/n"),
    );
    let reason = match (by_key, popped) {
        (true, _) => ("a slot holds all deltas of its key.", "一个槽位里是这个 key 的全部 Delta。"),
        (false, 1) => ("RealFIFO has one slot for each change.", "RealFIFO 每个变化一个槽位。"),
        (false, _) => ("the consumer takes a batch.", "消费者一次取一批。"),
    };
    Some(SituatedQuestion::new(situation, popped > 1, text, reason))
}

/// Asks whether the next pop returns exactly one delta, if several are queued and the pop is the next event.
fn next_pop(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let Some(What::Popped { deltas, .. }) = moment.later_events().next().map(|next| &next.what) else { return None };
    let (by_key, keys) = (moment.pipeline.is_by_key(), moment.pipeline.queue.len());
    let situation = moment.new_situation(format!("pop {by_key} {} {}", keys > 1, deltas.len() > 1))?;
    let waiting: usize = moment.pipeline.queue.iter().map(|slot| slot.deltas.len()).sum();
    if waiting < 2 {
        return None;
    }
    let text = (
        format!("{waiting} deltas wait: will the next pop hand out exactly one? y/n"),
        format!("有 {waiting} 个 Delta 在等：下一次 pop，队列只交出一个吗？y/n"),
    );
    let reason = match (by_key, deltas.len()) {
        (true, 1) => ("the first key has one delta.", "第一个 key 只有一个 Delta。"),
        (true, _) => ("a pop takes everything of the first key.", "一次 pop 取走第一个 key 的全部 Delta。"),
        (false, 1) => ("RealFIFO hands out one change at a time.", "RealFIFO 一次交出一个变化。"),
        (false, _) => ("the consumer takes a batch.", "消费者一次取一批。"),
    };
    Some(SituatedQuestion::new(situation, deltas.len() == 1, text, reason))
}
