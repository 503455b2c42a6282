//! Captions of the work queue's events. As in client-go, `dirty` has every key that needs work, and `processing` every
//! key that a worker has.

use super::Sentence;
use super::counted::waiting;
use crate::trace::narrator::short;
use crate::trace::picture::Work;
use crate::trace::record::{Cause, Record, What};

pub(super) fn caption(record: &Record, after: &Work) -> Option<Sentence> {
    let name = short(record.what.key()?);
    let (wait, wait_zh) = waiting(after.queued.len());
    Some(match &record.what {
        What::WorkAdded { effect, .. } => match effect.as_str() {
            "when_done" => (
                format!(
                    "{name}: added while a worker has it. It is dirty now, and is queued when the worker is done; {wait}."
                ),
                format!("{name}：worker 正在处理它，又被加入。它先记入 dirty，处理完再入队；{wait_zh}。"),
            ),
            "nothing" => (
                format!("{name}: added, but dirty has it already, so nothing changes; {wait}."),
                format!("{name}：又被加入，但 dirty 里已经有它，没有变化；{wait_zh}。"),
            ),
            _ if record.cause == Some(Cause::Timer) => (
                format!("{name}: its delay is over. Into dirty and the queue, {wait}."),
                format!("{name}：延时到了，记入 dirty 并入队，{wait_zh}。"),
            ),
            _ => (
                format!("{name}: into dirty and the queue, {wait}. The queue has the key alone, not the object."),
                format!("{name}：记入 dirty 并入队，{wait_zh}。队列里只有 key，没有对象。"),
            ),
        },
        What::WorkTaken { .. } => (
            format!("{name}: a worker takes it from the queue. It leaves dirty and is processing, {wait}."),
            format!("{name}：worker 从队列取走它，它离开 dirty，进入 processing，{wait_zh}。"),
        ),
        What::WorkDone { again: true, .. } => (
            format!("{name}: the worker is done. dirty has it, so it is queued again, {wait}."),
            format!("{name}：worker 处理完了。dirty 里有它，所以重新入队，{wait_zh}。"),
        ),
        What::WorkDone { again: false, .. } => (
            format!("{name}: the worker is done, and it leaves processing, {wait}."),
            format!("{name}：worker 处理完了，它离开 processing，{wait_zh}。"),
        ),
        What::WorkDelayed { delay_ms, rate_limited: true, .. } => (
            format!("{name}: the work failed. The rate limiter adds it again in {delay_ms} ms."),
            format!("{name}：处理失败，限速器让它 {delay_ms} 毫秒后再来。"),
        ),
        What::WorkDelayed { delay_ms, rate_limited: false, .. } => (
            format!("{name}: to be added in {delay_ms} ms, unless an earlier time is set already."),
            format!("{name}：{delay_ms} 毫秒后加入，除非已经定了更早的时间。"),
        ),
        _ => return None,
    })
}
