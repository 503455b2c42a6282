//! Questions on what the queue does with a change: whether a deletion comes out of it, how many deltas a pop hands out,
//! and in which order. Each function returns its question, or `None` if the situation was asked about before or no later
//! event has the answer. A queue is by key if it has one slot for each key, as DeltaFIFO; RealFIFO has a slot for each
//! change.

use super::choices::{Choices, deltas};
use super::{Moment, SituatedQuestion};
use crate::trace::{Cause, What, short};

pub(super) fn question_at(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    match &moment.record.what {
        What::Watched { kind, key, .. } if moment.record.cause == Some(Cause::Watch) => match kind.as_str() {
            "DELETED" => deleted(moment, key),
            _ if moment.pipeline.queued(key).is_empty() => path(moment, key),
            _ => together(moment, key),
        },
        What::Queued { .. } => number(moment).or_else(|| order(moment)),
        What::Popped { deltas, .. } if deltas.len() > 1 => printed(moment),
        _ => None,
    }
}

/// Asks what the queue does with a deletion, and why.
fn deleted(moment: &Moment<'_>, key: &str) -> Option<SituatedQuestion> {
    let (pipeline, name) = (moment.pipeline, short(key));
    let is_queued = !pipeline.queued(key).is_empty();
    let is_known = pipeline.known_objects && pipeline.store.contains_key(key);
    let situation = moment.new_situation(format!("deleted {} {is_queued} {is_known}", pipeline.is_by_key()))?;
    let answer = match moment.next_of(key)? {
        What::Dropped { .. } => 0,
        What::Queued { .. } if !pipeline.is_by_key() => 3,
        What::Queued { .. } if is_queued => 1,
        What::Queued { known_objects: true, .. } => 2,
        _ => return None,
    };
    let known_objects = match moment.next_of(key)? {
        What::Dropped { known_objects, .. } | What::Queued { known_objects, .. } => *known_objects,
        _ => false,
    };
    let text = (
        format!("The watch sends DELETED for {name}. What does the queue do with it, and why?"),
        format!("{name} 已从 API server 上消失。队列怎么处理这件事，为什么？"),
    );
    let choices = Choices::of(
        [
            (
                "It drops the deletion: the object is neither queued nor known.",
                "丢弃：队列里没有这个对象，队列背后的 store 里也没有。",
            ),
            (
                "It queues Deleted, because an earlier change is still waiting.",
                "放入 Deleted，因为它之前的变化还在等。",
            ),
            ("It queues Deleted, because the known objects have it.", "放入 Deleted，因为 known objects 里有它。"),
            ("It queues Deleted, as it queues every change.", "放入 Deleted，每个变化都会入队。"),
        ],
        answer,
    );
    let reason = match (answer, known_objects) {
        (0, true) => (
            "it is neither queued nor known, so it was reported before.",
            "它既不在队列里，也不在 known objects 里，说明已经报告过。",
        ),
        (0, false) => (
            "nothing is queued for it, and this queue has no known objects.",
            "队列里没有它，而这个队列没有 known objects 可查。",
        ),
        (1, _) => {
            ("the slot of its key still has a delta, and Deleted joins it.", "它的槽位里还有 Delta，Deleted 排在后面。")
        }
        (2, _) => {
            ("the store behind the queue has it, so this deletion is new.", "队列背后的 store 里有它，所以这是新事件。")
        }
        _ => ("RealFIFO has a slot for each change, and compares nothing.", "RealFIFO 每个变化一个槽位，不做比较。"),
    };
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks for the order of the parts that a change passes, in a run that has them all.
fn path(moment: &Moment<'_>, key: &str) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("path")?;
    let mut path: Vec<&str> = Vec::new();
    for next in moment.later_events().take_while(|next| !matches!(next.what, What::Watched { .. })) {
        let part = match &next.what {
            What::Queued { key: queued, .. } if queued == key => "queue",
            What::Stored { key: stored, .. } if stored == key => "store",
            What::Notified { key: notified, .. } if notified == key => "handlers",
            _ => continue,
        };
        if !path.contains(&part) {
            path.push(part);
        }
    }
    let paths = [["queue", "store", "handlers"], ["store", "queue", "handlers"], ["queue", "handlers", "store"]];
    let answer = paths.iter().position(|known| path == known)?;
    let name = short(key);
    let text = (
        format!("The watch has brought a change of {name}. In which order does it reach the other parts?"),
        format!("watch 送来了 {name} 的变化。它按什么顺序到达其他部分？"),
    );
    let named = paths.map(|path| (path.join(", then "), path.join("，然后 ").replace("handlers", "handler")));
    let choices = Choices { all: named.to_vec(), answer };
    let reason = (
        "the consumer pops the delta, stores the object, and only then notifies the handlers.",
        "消费者 pop 出 Delta，先存入 store，再通知 handler。",
    );
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks how many deltas come out with a change of an object whose earlier change is still queued.
fn together(moment: &Moment<'_>, key: &str) -> Option<SituatedQuestion> {
    let (name, by_key) = (short(key), moment.pipeline.is_by_key());
    let situation = moment.new_situation(format!("together {by_key}"))?;
    let popped = moment.later_events().find_map(|next| match &next.what {
        What::Popped { key: popped, deltas, .. } if popped == key || !by_key => Some(deltas.len()),
        _ => None,
    })?;
    let waiting: usize = moment.pipeline.queue.iter().map(|slot| slot.deltas.len()).sum::<usize>() + 1;
    let text = (
        format!(
            "{name} changes once more while an earlier change is still waiting. How many deltas does its next pop return?"
        ),
        format!("{name} 又有变化，而它之前的变化还在等。下一次 pop 它，会交出几个 Delta？"),
    );
    Some(SituatedQuestion::new(situation, text, numbers(popped, waiting), reason_of_number(by_key, popped)))
}

/// Asks how many deltas the next pop hands out, if several are queued and the pop is the next event.
fn number(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let Some(What::Popped { deltas: popped, .. }) = moment.later_events().next().map(|next| &next.what) else {
        return None;
    };
    let (by_key, keys) = (moment.pipeline.is_by_key(), moment.pipeline.queue.len());
    let situation = moment.new_situation(format!("pop {by_key} {} {}", keys > 1, popped.len() > 1))?;
    let waiting: usize = moment.pipeline.queue.iter().map(|slot| slot.deltas.len()).sum();
    if waiting < 2 {
        return None;
    }
    let text = (
        "Several deltas wait. How many does the next pop return?".to_owned(),
        "有好几个 Delta 在等。下一次 pop 会交出几个？".to_owned(),
    );
    let reason = reason_of_number(by_key, popped.len());
    Some(SituatedQuestion::new(situation, text, numbers(popped.len(), waiting), reason))
}

fn numbers(popped: usize, waiting: usize) -> Choices {
    Choices::numbers(popped, &[1, waiting, 2, waiting + 1], deltas)
}

fn reason_of_number(by_key: bool, popped: usize) -> (&'static str, &'static str) {
    match (by_key, popped) {
        (true, 1) => ("a pop takes the first key, which has one delta.", "一次 pop 取走第一个 key，它只有一个 Delta。"),
        (true, _) => ("a pop takes all deltas of the first key.", "一次 pop 取走第一个 key 的全部 Delta。"),
        (false, 1) => ("RealFIFO returns one change at a time.", "RealFIFO 一次交出一个变化。"),
        (false, _) => ("the consumer takes a batch.", "消费者一次取一批。"),
    }
}

/// Asks which object the next pop takes, if several are queued and the pop is the next event.
fn order(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("order")?;
    let Some(What::Popped { key, .. }) = moment.later_events().next().map(|next| &next.what) else { return None };
    let queued: Vec<&str> = moment.pipeline.queue.iter().map(|slot| short(&slot.key)).collect();
    if key.is_empty() {
        return None; // RealFIFO's events name no key
    }
    let text =
        ("The consumer is free. Which object does it pop?".to_owned(), "消费者空闲了。它会 pop 哪个对象？".to_owned());
    let reason = (
        "the key that has waited longest comes first, however often it has changed since.",
        "等得最久的 key 先出来，不管它后来又变了几次。",
    );
    Some(SituatedQuestion::unordered(situation, text, Choices::names(short(key), queued)?, reason))
}

/// Asks which deltas of one pop the lesson prints, and in which order.
fn printed(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let What::Popped { deltas, .. } = &moment.record.what else { return None };
    let names: Vec<&str> = deltas.iter().map(|delta| delta.delta.as_str()).collect();
    let situation = moment.new_situation(format!("printed {}", names.join(" ")))?;
    let lines = moment.rest_of_run().map_while(|next| match &next.what {
        What::Line { text, .. } => Some(text.split_whitespace().next().unwrap_or_default()),
        _ => None,
    });
    let printed: Vec<&str> = lines.filter(|first| names.contains(first)).collect();
    let newest = names.last().map(|name| vec![*name])?;
    let backwards: Vec<&str> = names.iter().rev().copied().collect();
    let orders = [names.clone(), backwards, newest];
    if orders[0] == orders[1] {
        return None; // the deltas are equal
    }
    let answer = orders.iter().position(|order| *order == printed)?;
    let listed = orders.iter().map(|order| (order.join(", then "), order.join("，然后 "))).collect();
    let text = (
        "The consumer has all these deltas of one object in hand. Which ones does the lesson print?".to_owned(),
        "消费者手里有同一个对象的这些 Delta。本课会打印哪些？".to_owned(),
    );
    let reason = (
        "deltas of one key keep the order in which they came, and none is left out.",
        "同一个 key 的 Delta 保持到来的顺序，一个也不少。",
    );
    Some(SituatedQuestion::unordered(situation, text, Choices { all: listed, answer }, reason))
}
