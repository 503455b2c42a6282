//! Questions on the consequences of a list and of a resync. Each function returns its question, or `None` if the
//! situation was asked about before or no later event has the answer.

use super::choices::Choices;
use super::{Moment, SituatedQuestion};
use crate::trace::{Cause, What, short};
use kube_informers::cache::observe::Versioned;

pub(super) fn question_at(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    match &moment.record.what {
        What::Listed { objects, .. } if moment.record.cause == Some(Cause::Relist) => {
            lacking(moment, objects).or_else(|| unchanged(moment, objects))
        }
        What::Listed { objects, .. } if !objects.is_empty() => first_list(moment),
        // With several handlers, `handlers` asks which of them get the resync.
        What::Resynced {} if !moment.pipeline.store.is_empty() && moment.pipeline.listeners.len() < 2 => resync(moment),
        _ => None,
    }
}

/// Asks what the deltas of the first list are called.
fn first_list(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let before_changes = moment.later_events().take_while(|next| !matches!(next.what, What::Watched { .. }));
    let delta = before_changes.into_iter().find_map(|next| match &next.what {
        What::Queued { delta, .. } => Some(delta.delta.as_str()),
        _ => None,
    })?;
    let situation = moment.new_situation(format!("first list {delta}"))?;
    let answer = ["Added", "Sync", "Replaced", "ReplacedAll"].iter().position(|name| *name == delta)?;
    let text = (
        "The first list has arrived. Which deltas does the queue get for its objects?".to_owned(),
        "首次 list 到了。其中的对象以什么形式入队？".to_owned(),
    );
    let choices = Choices::of(
        [
            ("Added, one for each object", "每个对象一个 Added"),
            ("Sync, one for each object", "每个对象一个 Sync"),
            ("Replaced, one for each object", "每个对象一个 Replaced"),
            ("one ReplacedAll for the whole list", "整个 list 一个 ReplacedAll"),
        ],
        answer,
    );
    let reason = match delta {
        "Sync" => (
            "a list has the existing objects, not events; the DeltaFIFO of the tutorials queues them as Sync.",
            "list 里是现有的对象，不是事件；教程里的 DeltaFIFO 以 Sync 入队。",
        ),
        "Replaced" => (
            "a list replaces the known objects; client-go's own informers let the queue call that Replaced.",
            "list 会替换已知的对象；client-go 自己的 informer 让队列把它们标为 Replaced。",
        ),
        "ReplacedAll" => (
            "the queue of today takes the list whole; the consumer compares it with its store.",
            "如今的队列把 list 整个放入，由消费者拿它和自己的 store 比较。",
        ),
        _ => ("this queue gets each object as an addition.", "这个队列把每个对象当作新增。"),
    };
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks about an object of the store that the list lacks.
fn lacking(moment: &Moment<'_>, objects: &[Versioned]) -> Option<SituatedQuestion> {
    let pipeline = moment.pipeline;
    let key = pipeline.store.keys().find(|key| !objects.iter().any(|object| object.key == **key))?;
    let leaves = |what: &What| match what {
        What::Removed { key: removed, .. } => removed == key,
        What::Replaced { objects, .. } => !objects.iter().any(|object| object.key == *key),
        _ => false,
    };
    let mut until_list = moment.later_events().take_while(|next| !matches!(next.what, What::Listed { .. }));
    let left = until_list.find(|next| leaves(&next.what));
    let answer = match left {
        Some(left) if left.cause == Some(Cause::Relist) => 1,
        None if !pipeline.known_objects => 0,
        // The object leaves the store for another reason, or the record ends before that.
        _ => return None,
    };
    let situation = moment.new_situation(format!("lacking {answer}"))?;
    let name = short(key);
    let reason = match left.map(|left| &left.what) {
        // A `removed` event shows that the queue found the deletion; a consumer replaces its whole store.
        Some(What::Removed { .. }) => (
            "the queue compares the list with its known objects, and adds the missed deletion.",
            "队列拿 list 和 known objects 比较，补上这次删除。",
        ),
        Some(_) => (
            "the consumer compares the list with its store, and adds the missed deletion.",
            "消费者拿 list 和自己的 store 比较，补上这次删除。",
        ),
        None => ("without known objects the queue cannot compare them.", "没有 known objects，队列没法比较。"),
    };
    let text = (
        format!("The list lacks {name}, which the store still has. What becomes of {name}?"),
        format!("list 里没有 {name}，store 里还有。{name} 会怎样？"),
    );
    let choices = Choices::of(
        [
            (
                "It stays in the store, because nothing compares the list with it.",
                "留在 store 里，因为没有任何部分拿 list 和 store 比较。",
            ),
            (
                "A tombstone takes it out of the store: a deletion without a final state.",
                "tombstone 让它离开 store：不知道最终状态的删除。",
            ),
            ("An ordinary Deleted takes it out, with its final state.", "普通的 Deleted 让它离开，带着最终状态。"),
        ],
        answer,
    );
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks about an object that the list and the store have in the same version.
fn unchanged(moment: &Moment<'_>, objects: &[Versioned]) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("unchanged")?;
    moment.pipeline.queue_name.as_ref()?;
    let is_known = |object: &&Versioned| moment.pipeline.store.get(&object.key) == Some(&object.resource_version);
    let object = objects.iter().find(is_known)?;
    let mut until_change = moment.later_events().take_while(|next| !matches!(next.what, What::Watched { .. }));
    let queued = until_change.find_map(|next| match &next.what {
        What::Queued { key, delta, .. } if *key == object.key || delta.delta == "ReplacedAll" => {
            Some(delta.delta.as_str())
        }
        _ => None,
    });
    let answer = match queued {
        None => 0,
        Some("Sync") => 1,
        Some("Replaced") => 2,
        Some("ReplacedAll") => 3,
        Some(_) => return None,
    };
    let name = short(&object.key);
    let text = (
        format!("The new list has {name} in the version that the store has. What is queued for it?"),
        format!("新的 list 里 {name} 的版本和 store 里的一样。为它入队的是什么？"),
    );
    let choices = Choices::of(
        [
            ("Nothing: the object has not changed.", "什么也没有：对象没有变化。"),
            ("Sync, as for every object of the list", "Sync，list 里的每个对象都有"),
            ("Replaced, as for every object of the list", "Replaced，list 里的每个对象都有"),
            (
                "No delta of its own: the whole list is one ReplacedAll.",
                "没有它自己的 Delta：整个 list 是一个 ReplacedAll。",
            ),
        ],
        answer,
    );
    let reason = match answer {
        0 => ("the objects of this list are not queued.", "这个 list 里的对象都不入队。"),
        _ => (
            "a relist queues all objects of the list, changed or not.",
            "relist 把 list 里的对象全部入队，不论有没有变化。",
        ),
    };
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks for the source of a resync's objects.
fn resync(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("resync")?;
    let mut until_pop = moment.later_events().take_while(|next| !matches!(next.what, What::Popped { .. }));
    let lists = until_pop.any(|next| matches!(next.what, What::Listed { .. } | What::Watching { .. }));
    let text = (
        "A resync begins. Where do its objects come from, and does it bring back an event that was lost?".to_owned(),
        "resync 开始了。它的对象从哪里来？丢失的事件会因此回来吗？".to_owned(),
    );
    let choices = Choices::of(
        [
            ("from the store; a lost event stays lost", "来自 store；丢失的事件不会回来"),
            ("from a LIST of the API server; a lost event comes back", "来自对 API server 的 LIST；丢失的事件会回来"),
            ("from the watch, which sends its last events again", "来自 watch，它把最近的事件再送一遍"),
        ],
        usize::from(lists),
    );
    let reason = match lists {
        true => ("a list came in between.", "其间有一次 list。"),
        false => (
            "the store's own objects are queued again, and the API server gets no request.",
            "只是把 store 里的对象再放进队列，不向 API server 发请求。",
        ),
    };
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}
