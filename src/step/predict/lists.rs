//! Questions on the consequences of a list, a resync, a broken watch and a write that a fault hides from watches. Each
//! function returns its question, or `None` if the situation was asked about before or no later event has the answer.

use super::{Moment, SituatedQuestion};
use crate::trace::{Cause, What, short};
use kube_informers::cache::observe::Versioned;

pub(super) fn question_at(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    match &moment.record.what {
        What::Listed { objects, .. } if moment.record.cause == Some(Cause::Relist) => {
            lacking(moment, objects).or_else(|| unchanged(moment, objects))
        }
        What::Listed { objects, .. } if !objects.is_empty() => first_list(moment, objects.len()),
        // With several handlers, `handlers` asks which of them get the resync.
        What::Resynced {} if !moment.pipeline.store.is_empty() && moment.pipeline.listeners.len() < 2 => resync(moment),
        What::WatchFailed { .. } => broken_watch(moment),
        What::Committed { hidden: true, key, resource_version, .. } => hidden(moment, key, resource_version),
        _ => None,
    }
}

/// Asks for the name of the deltas of the first list.
fn first_list(moment: &Moment<'_>, objects: usize) -> Option<SituatedQuestion> {
    let before_changes = moment.later_events().take_while(|next| !matches!(next.what, What::Watched { .. }));
    let delta = before_changes.into_iter().find_map(|next| match &next.what {
        What::Queued { delta, .. } => Some(delta.delta.as_str()),
        _ => None,
    })?;
    let text = (
        format!("the first list has {objects} objects: will they come out of the queue as Added? y/n"),
        format!("首次 list 有 {objects} 个对象：队列会以 Added 交出它们吗？y/n"),
    );
    let reason = (format!("what a list has is queued as {delta}."), format!("list 里的对象以 {delta} 入队。"));
    Some(SituatedQuestion::new(format!("first list {delta}"), delta == "Added", text, (&reason.0, &reason.1)))
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
        Some(left) if left.cause == Some(Cause::Relist) => true,
        None if !pipeline.known_objects => false,
        // The object leaves the store for another reason, or the record ends before that.
        _ => return None,
    };
    let situation = moment.new_situation(format!("lacking {answer}"))?;
    let name = short(key);
    let reason = match left.map(|left| &left.what) {
        // A `removed` event shows that the queue found the deletion; a consumer replaces its whole store.
        Some(What::Removed { .. }) => (
            "the queue compares the list with its known objects, and makes a tombstone.",
            "队列拿 list 和 known objects 比较，补上一个 tombstone。",
        ),
        Some(_) => (
            "the consumer compares the list with its store, and makes a tombstone.",
            "消费者拿 list 和自己的 store 比较，补上一个 tombstone。",
        ),
        None => ("without known objects the queue cannot compare them.", "没有 known objects，队列没法比较。"),
    };
    let text = (
        format!("the list lacks {name}, which is in the store: will it leave the store? y/n"),
        format!("list 里没有 {name}，store 里有：它会离开 store 吗？y/n"),
    );
    Some(SituatedQuestion::new(situation, answer, text, reason))
}

/// Asks about an object that the list and the store have in the same version.
fn unchanged(moment: &Moment<'_>, objects: &[Versioned]) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("unchanged")?;
    let is_known = |object: &&Versioned| moment.pipeline.store.get(&object.key) == Some(&object.resource_version);
    let object = objects.iter().find(is_known)?;
    let mut until_change = moment.later_events().take_while(|next| !matches!(next.what, What::Watched { .. }));
    let answer = until_change.any(|next| match &next.what {
        What::Queued { key, delta, .. } => *key == object.key || delta.delta == "ReplacedAll",
        _ => false,
    });
    let name = short(&object.key);
    let text = (
        format!("the new list has {name} as the store has it: will anything be queued for it? y/n"),
        format!("新的 list 里 {name} 和 store 里的一样：会有东西为它入队吗？y/n"),
    );
    let reason = match answer {
        true => {
            ("a relist hands out what the list has, changed or not.", "relist 把 list 里的都交出来，不论有没有变化。")
        }
        false => ("nobody queues what is in this list.", "没有人把这个 list 放进队列。"),
    };
    Some(SituatedQuestion::new(situation, answer, text, reason))
}

/// Asks whether a resync sends a request to the API server.
fn resync(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("resync")?;
    let mut until_pop = moment.later_events().take_while(|next| !matches!(next.what, What::Popped { .. }));
    let asks_server = until_pop.any(|next| matches!(next.what, What::Listed { .. } | What::Watching { .. }));
    let text = (
        "a resync begins: will the API server be asked? y/n".to_owned(),
        "resync 开始了：会去问 API server 吗？y/n".to_owned(),
    );
    let reason = match asks_server {
        true => ("a list came in between.", "其间有一次 list。"),
        false => (
            "the store's own objects are queued again; a lost event does not come back so.",
            "只是把 store 里的对象再放进队列；丢失的事件不会因此回来。",
        ),
    };
    Some(SituatedQuestion::new(situation, asks_server, text, reason))
}

/// Asks what the Reflector does after a failed watch.
fn broken_watch(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let answer = moment.later_events().find_map(|next| match next.what {
        What::Listed { .. } | What::Relisting { .. } => Some(true),
        What::Watching { .. } => Some(false),
        _ => None,
    })?;
    let text = (
        "the watch failed: will the Reflector list again? y/n".to_owned(),
        "watch 失败了：Reflector 会重新 list 吗？y/n".to_owned(),
    );
    let reason = match answer {
        true => ("it cannot know what it missed, so it starts over.", "它无法知道漏了什么，只能从头来。"),
        false => ("it watches on from the last version that it saw.", "它从最后见过的版本继续 watch。"),
    };
    Some(SituatedQuestion::new(format!("broken watch {answer}"), answer, text, reason))
}

/// Asks whether the watch will deliver a hidden write later.
fn hidden(moment: &Moment<'_>, key: &str, version: &str) -> Option<SituatedQuestion> {
    // An open watch only goes forward; a watch that is opened later may begin before the change.
    let situation = moment.new_situation(format!("hidden {}", moment.pipeline.watching))?;
    let answer = moment.later_events().any(|next| match &next.what {
        What::Watched { key: watched, resource_version, .. } => watched == key && resource_version == version,
        _ => false,
    });
    let name = short(key);
    let text = (
        format!("a fault hides this change of {name}: will the watch tell of it later? y/n"),
        format!("故障藏起了 {name} 的这次变化：之后 watch 会补上吗？y/n"),
    );
    let reason = match answer {
        true => ("the next watch began before it.", "下一个 watch 从它之前开始。"),
        false => ("a watch only goes forward.", "watch 只会向前。"),
    };
    Some(SituatedQuestion::new(situation, answer, text, reason))
}
