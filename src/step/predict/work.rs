//! Questions on the work queue: deduplication, order, delays and retries. They are asked before the next event of the
//! work queue. Each function returns its question, or `None` if the situation was asked about before.

use std::time::Duration;

use super::choices::Choices;
use super::{Moment, SituatedQuestion};
use crate::trace::{Cause, Record, What, short};

pub(super) fn question_at(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    if !moment.record.what.is_of_work() {
        return None;
    }
    let next = moment.later_events().next()?;
    match &next.what {
        What::WorkAdded { key, effect } if effect == "when_done" => added_while_processing(moment, key),
        What::WorkAdded { key, effect } if effect == "nothing" => added_again(moment, key),
        What::WorkTaken { key } => taken(moment, key),
        What::WorkDone { key, again } => done(moment, key, *again),
        What::WorkDelayed { key, delay_ms, rate_limited: true } => retried(moment, key, *delay_ms),
        What::WorkDelayed { key, delay_ms, rate_limited: false } => delayed_twice(moment, next, key, *delay_ms),
        _ => None,
    }
}

fn added_while_processing(moment: &Moment<'_>, key: &str) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("work when done")?;
    let name = short(key);
    let text = (
        format!("Next, {name} is added, while a worker has it. Where does {name} go?"),
        format!("接下来，{name} 又被加入，而 worker 正在处理它。它会去哪里？"),
    );
    let choices = Choices::of(
        [
            ("into dirty, and into the queue when the worker is done", "先记入 dirty，等 worker 处理完再入队"),
            ("into the queue at once, for a second worker", "马上入队，交给第二个 worker"),
            ("nowhere: the worker sees the newest state anyway", "哪里也不去：worker 反正会看到最新状态"),
        ],
        0,
    );
    let reason = (
        "two workers never have one key at the same time, and no change is overlooked.",
        "同一个 key 不会同时在两个 worker 手里，也不会漏掉变化。",
    );
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

fn added_again(moment: &Moment<'_>, key: &str) -> Option<SituatedQuestion> {
    let is_queued = moment.work.queued.iter().any(|queued| queued == key);
    let situation = moment.new_situation(format!("work nothing {is_queued}"))?;
    let name = short(key);
    let text = (
        format!("Next, {name} is added once more, and dirty has it already. How many times will a worker get it?"),
        format!("接下来，{name} 再次被加入，而 dirty 里已经有它。worker 会因此拿到它几次？"),
    );
    let choices = Choices::of(
        [
            ("once, for all additions together", "一次：前后几次加入合并成一次"),
            ("once for each addition", "每加入一次就拿到一次"),
            ("not at all: each addition cancels the one before it", "一次也没有：后一次加入取消前一次"),
        ],
        0,
    );
    let reason = (
        "dirty has each key once, however often the key is added.",
        "队列里是 key，一个 key 要么需要处理，要么不需要。",
    );
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

fn taken(moment: &Moment<'_>, key: &str) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("work order")?;
    let queued = moment.work.queued.iter().map(|queued| short(queued));
    let choices = Choices::names(short(key), queued)?;
    let text = (
        "The worker is free. Which key does it get next?".to_owned(),
        "worker 空闲了。它接着会拿到哪个 key？".to_owned(),
    );
    let reason = ("the key that has waited longest comes first.", "等得最久的 key 先出来。");
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

fn done(moment: &Moment<'_>, key: &str, again: bool) -> Option<SituatedQuestion> {
    let situation = moment.new_situation(format!("work done {again}"))?;
    let name = short(key);
    let is_delayed = moment.work.delayed.iter().any(|(_, delayed)| delayed == key);
    if !again && is_delayed {
        return None; // after a failure, `retried` has asked
    }
    let text = (
        format!("Next, the worker is done with {name}. Where is {name} after that?"),
        format!("接下来，worker 处理完 {name}。之后 {name} 在哪里？"),
    );
    let choices = Choices::of(
        [
            ("nowhere: the work queue forgets it", "哪里也不在：work queue 不再记得它"),
            ("in the queue once more", "再次在队列里"),
            ("in processing, until the object is deleted", "在 processing 里，直到对象被删除"),
        ],
        usize::from(again),
    );
    let reason = match again {
        true => ("dirty has it: it was added meanwhile.", "dirty 里有它：处理期间它又被加入过。"),
        false => ("dirty does not have it, so nothing is left to do.", "dirty 里没有它，没有要做的了。"),
    };
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks for the delay of a key that fails once more.
fn retried(moment: &Moment<'_>, key: &str, delay: u64) -> Option<SituatedQuestion> {
    let last = *moment.delays.get(key)?;
    let situation = moment.new_situation(format!("work retried {}", delay > last))?;
    let name = short(key);
    let text = (
        format!("{name} fails, and its last delay was {last} ms. How long is the next delay?"),
        format!("{name} 处理失败，上一次延时 {last} 毫秒。下一次延时多久？"),
    );
    let other = |than: u64| usize::try_from(than).unwrap_or(usize::MAX);
    let others = [other(last.saturating_mul(2)), other(last.saturating_add(5)), other(last.saturating_mul(3)), 5];
    let others: Vec<usize> = others.into_iter().filter(|number| *number != other(last)).collect();
    let choices = Choices::numbers(other(delay), &others, |ms| (format!("{ms} ms"), format!("{ms} 毫秒")));
    let reason = match delay > last {
        true => ("each failure doubles the delay of its key.", "每失败一次，这个 key 的延时加倍。"),
        false => (
            "its failures were forgotten after a success, so it begins anew.",
            "成功之后失败次数已清零，所以重新开始。",
        ),
    };
    Some(SituatedQuestion::new(situation, text, choices, reason))
}

/// Asks which of two times counts for a key that is already delayed.
fn delayed_twice(moment: &Moment<'_>, next: &Record, key: &str, delay: u64) -> Option<SituatedQuestion> {
    let first = moment.work.delayed.iter().find(|(_, delayed)| delayed == key)?.0;
    let second = next.at + Duration::from_millis(delay);
    let comes = moment.later_events().find_map(|later| match &later.what {
        What::WorkAdded { key: added, .. } if added == key && later.cause == Some(Cause::Timer) => Some(later.at),
        _ => None,
    })?;
    let situation = moment.new_situation(format!("work delayed {}", second < first))?;
    let answer = usize::from(comes > first.min(second));
    let name = short(key);
    let text = (
        format!("{name} is delayed, and now gets another delay. When does it come into the queue?"),
        format!("{name} 正在延时中，又设了另一个延时。它什么时候入队？"),
    );
    let choices = Choices::of(
        [
            ("once, at the earlier of the two times", "一次，在两个时间中较早的那个"),
            ("once, at the later of the two times", "一次，在两个时间中较晚的那个"),
            ("twice, at both times", "两次，两个时间各一次"),
        ],
        answer,
    );
    let reason = ("a key is delayed once, and the earlier time counts.", "一个 key 只延时一次，以较早的时间为准。");
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}
