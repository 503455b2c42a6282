//! Questions on the notifications that handlers get, and when they get them. Each function returns its question, or
//! `None` if the situation was asked about before or no later event has the answer.

use std::collections::BTreeSet;

use super::choices::{Choices, MOST, Text};
use super::{Moment, SituatedQuestion};
use crate::trace::{Cause, What, short};

pub(super) fn question_at(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    match &moment.record.what {
        What::Popped { key, deltas, .. } if !key.is_empty() => notification(moment, key, &deltas.last()?.delta),
        What::Resynced {} => resync(moment),
        What::Joined { listener, existing, .. } if *existing > 0 => late(moment, *listener, *existing),
        What::Notified { listener, key, resource_version, .. } => {
            slow(moment, *listener).or_else(|| receivers(moment, key, resource_version))
        }
        What::Calling { listener, key, .. } => buffer(moment, *listener, key),
        What::Synced {} => synced(moment),
        _ => None,
    }
}

/// Asks which notification a delta turns into, if the delta's name does not decide that.
fn notification(moment: &Moment<'_>, key: &str, delta: &str) -> Option<SituatedQuestion> {
    let is_known = moment.pipeline.store.contains_key(key);
    if !matches!(delta, "Sync" | "Replaced") && (delta != "Added" || !is_known) {
        return None;
    }
    let situation = moment.new_situation(format!("notification {delta} {is_known}"))?;
    let until_next = moment.later_events().take_while(|next| !matches!(next.what, What::Popped { .. }));
    let notification = until_next.into_iter().find_map(|next| match &next.what {
        What::Notified { key: notified, notification, .. } if notified == key => Some(notification.as_str()),
        _ => None,
    })?;
    let answer = ["add", "update"].iter().position(|name| *name == notification)?;
    let name = short(key);
    let text = (
        format!("{delta} of {name} was popped. Which method of the handlers is called for it?"),
        format!("队列交出了 {name} 的 {delta}。handler 的哪个方法会被调用？"),
    );
    let choices = Choices::of(
        [
            ("OnAdd: the store does not have the object yet", "OnAdd：store 里还没有这个对象"),
            ("OnUpdate: the store has the object already", "OnUpdate：store 里已经有这个对象"),
            ("none: nothing has changed", "都不调用：这不是变化"),
        ],
        answer,
    );
    let reason = (
        "the store decides, not the name of the delta: OnUpdate for an object that it has, OnAdd for any other.",
        "由 store 决定，而不是看 Delta 的类型：store 里已有的对象 OnUpdate，没有的 OnAdd。",
    );
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks which handlers get a resync.
fn resync(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let listeners: BTreeSet<usize> = moment.pipeline.listeners.keys().copied().collect();
    let until_next = moment.later_events().take_while(|next| !matches!(next.what, What::Resynced {}));
    let notified = until_next.filter(|next| next.cause == Some(Cause::Resync)).filter_map(|next| match next.what {
        What::Notified { listener, .. } | What::Coalesced { listener, .. } => Some(listener),
        _ => None,
    });
    let notified: BTreeSet<usize> = notified.collect();
    if listeners.len() < 2 || notified.is_empty() {
        return None;
    }
    let text =
        ("A resync begins. Which handlers get it?".to_owned(), "resync 开始了。哪些 handler 会收到？".to_owned());
    let reason = match notified == listeners {
        true => (
            "each handler has a period of its own, and now it is over for all.",
            "每个 handler 有自己的周期，这时全都到期了。",
        ),
        false => (
            "each handler has a period of its own, and it is over only for these.",
            "每个 handler 有自己的周期，只有这些到期了。",
        ),
    };
    let situation = format!("resync of {notified:?}");
    Some(SituatedQuestion::new(situation, text, groups(&notified, &listeners), reason))
}

/// Asks which handlers get a change.
fn receivers(moment: &Moment<'_>, key: &str, version: &str) -> Option<SituatedQuestion> {
    let listeners: BTreeSet<usize> = moment.pipeline.listeners.keys().copied().collect();
    if listeners.len() < 2 || matches!(moment.record.cause, Some(Cause::Resync | Cause::HandlerAdded)) {
        return None;
    }
    let situation = moment.new_situation("receivers")?;
    let What::Notified { listener: first, .. } = moment.record.what else { return None };
    let more = moment.later_events().map_while(|next| match &next.what {
        What::Notified { listener, key: notified, resource_version, .. }
        | What::Coalesced { listener, key: notified, resource_version, .. }
            if notified == key && resource_version == version =>
        {
            Some(*listener)
        }
        _ => None,
    });
    let notified: BTreeSet<usize> = more.chain([first]).collect();
    let name = short(key);
    let text = (
        format!("The Processor distributes this change of {name}. Which handlers get it?"),
        format!("Processor 分发 {name} 的这个变化。哪些 handler 会收到？"),
    );
    let reason =
        ("each handler gets each change, in a buffer of its own.", "每个 handler 都会收到每个变化，各有自己的缓冲。");
    Some(SituatedQuestion::new(situation, text, groups(&notified, &listeners), reason))
}

/// Returns groups of handlers as choices: the right group, all of them, and single ones.
fn groups(right: &BTreeSet<usize>, all: &BTreeSet<usize>) -> Choices {
    let singles = all.iter().map(|listener| BTreeSet::from([*listener]));
    let mut groups: Vec<BTreeSet<usize>> = vec![right.clone()];
    for group in [all.clone()].into_iter().chain(singles) {
        if groups.len() < MOST && !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups.sort();
    let answer = groups.iter().position(|group| group == right).unwrap_or_default();
    Choices { all: groups.iter().map(named).collect(), answer }
}

fn named(group: &BTreeSet<usize>) -> Text {
    let numbers: Vec<String> = group.iter().map(ToString::to_string).collect();
    match &numbers[..] {
        [one] => (format!("handler {one} alone"), format!("只有 handler {one}")),
        [most @ .., last] => {
            (format!("handlers {} and {last}", most.join(", ")), format!("handler {} 和 {last}", most.join("、")))
        }
        [] => ("no handler".to_owned(), "没有 handler".to_owned()),
    }
}

/// Asks what a handler gets that joins while the informer runs.
fn late(moment: &Moment<'_>, listener: usize, existing: usize) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("late")?;
    let is_replayed = moment.later_events().any(|next| {
        matches!(next.what, What::Notified { listener: notified, .. } if notified == listener)
            && next.cause == Some(Cause::HandlerAdded)
    });
    let text = (
        format!("Handler {listener} joins a running informer. What does it get first?"),
        format!("handler {listener} 中途加入正在运行的 informer。它先收到什么？"),
    );
    let (now, now_zh) = (format!("{existing} additions, from the store"), format!("{existing} 个新增，来自 store"));
    let choices = Choices::of(
        [
            (now.as_str(), now_zh.as_str()),
            ("nothing, until something changes", "什么也没有，直到有变化"),
            ("every notification of this run so far, in order", "这次运行到目前为止的全部通知，按顺序"),
        ],
        usize::from(!is_replayed),
    );
    let reason = match is_replayed {
        true => (
            "the informer replays its store for it, before anything else, and sends no request.",
            "informer 先把 store 里的对象交给它，先于其他一切，也不发请求。",
        ),
        false => ("the record has no such notification.", "记录里没有这样的通知。"),
    };
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks whether one slow handler delays the others.
fn slow(moment: &Moment<'_>, slow: usize) -> Option<SituatedQuestion> {
    let listener = moment.pipeline.listeners.get(&slow)?;
    if listener.pending.len() < 2 || listener.in_hand.is_none() {
        return None;
    }
    let situation = moment.new_situation("slow")?;
    let first = moment.later_events().find_map(|next| match next.what {
        What::Calling { listener, .. } if listener != slow => Some(listener),
        What::Called { listener, .. } if listener == slow => Some(listener),
        _ => None,
    })?;
    if first == slow {
        return None; // the other handlers may have had no notification
    }
    let text = (
        format!("Handler {slow} is slow, and notifications wait for it. What do the other handlers do?"),
        format!("handler {slow} 很慢，有通知在等它。其他 handler 会怎样？"),
    );
    let choices = Choices::of(
        [
            ("They continue with their own notifications.", "继续处理自己的通知。"),
            ("They wait, so that all see the same state.", "等着，这样大家看到的状态一致。"),
            ("They take over the waiting notifications.", "接手在等的通知。"),
        ],
        0,
    );
    let reason = ("each handler has a buffer and a task of its own.", "每个 handler 有自己的缓冲和任务。");
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}

/// Asks how many notifications wait for a handler when the next one comes.
fn buffer(moment: &Moment<'_>, listener: usize, key: &str) -> Option<SituatedQuestion> {
    let pending = moment.later_events().find_map(|next| match next.what {
        What::Notified { listener: of, pending, .. } if of == listener => Some(pending),
        _ => None,
    })?;
    let situation = moment.new_situation(format!("buffer {}", pending > 1))?;
    let name = short(key);
    let text = (
        format!(
            "Handler {listener} begins with {name}. When its next notification comes, how many wait in its buffer?"
        ),
        format!("handler {listener} 开始处理 {name}。它的下一个通知到来时，缓冲里有几个在等？"),
    );
    let count = |number: usize| match number {
        0 => ("none: the sender waits for the handler".to_owned(), "0 个：发送方要等 handler".to_owned()),
        1 => ("1, the new one".to_owned(), "1 个，就是新来的".to_owned()),
        _ => (format!("{number}, with the new one"), format!("连新来的一共 {number} 个")),
    };
    let choices = Choices::numbers(pending, &[0, 1, pending + 1], count);
    let reason = match pending {
        1 => (
            "the handler keeps up: it has taken all earlier notifications, and the buffer is empty.",
            "handler 跟得上：之前的通知都已取走，缓冲是空的。",
        ),
        _ => (
            "notifications arrive faster than the handler works. They wait in its buffer, and their sender does not wait.",
            "handler 处理得比通知来得慢。通知在它的缓冲里等，发送方不等。",
        ),
    };
    Some(SituatedQuestion::new(situation, text, choices, reason))
}

/// Asks what the sync of the informer means, if handlers still have notifications to process.
fn synced(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("synced")?;
    let listeners = &moment.pipeline.listeners;
    if listeners.values().all(|listener| listener.pending.is_empty() && listener.in_hand.is_none()) {
        return None;
    }
    let text = (
        "HasSynced of the informer is true now. What does that mean?".to_owned(),
        "informer 的 HasSynced 变为 true。这意味着什么？".to_owned(),
    );
    let choices = Choices::of(
        [
            (
                "The consumer has taken the whole first list; handlers may still have work to do.",
                "队列已交出首次 list；handler 可能还没处理完。",
            ),
            (
                "Every handler has returned from every object of the first list.",
                "每个 handler 都处理完了首次 list 的每个对象。",
            ),
            (
                "The watch is open, and the store is as new as the API server.",
                "watch 已建立，store 和 API server 一样新。",
            ),
        ],
        0,
    );
    let reason = (
        "notifications still wait; a handler's own registration says when the handler is done.",
        "还有通知在等；某个 handler 是否处理完，要看它自己的 registration。",
    );
    Some(SituatedQuestion::unordered(situation, text, choices, reason))
}
