//! Questions on the notifications that handlers get, and when they get them. Each function returns its question, or
//! `None` if the situation was asked about before or no later event has the answer.

use std::collections::BTreeSet;

use super::{Moment, SituatedQuestion};
use crate::trace::{Cause, What, short};

pub(super) fn question_at(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    match &moment.record.what {
        What::Popped { key, deltas, .. } if !key.is_empty() => addition(moment, key, &deltas.last()?.delta),
        What::Resynced {} => resync(moment),
        What::Joined { listener, existing, .. } if *existing > 0 => late(moment, *listener, *existing),
        What::Notified { listener, pending, .. } if *pending > 1 => slow(moment, *listener, *pending),
        What::Synced {} => synced(moment),
        _ => None,
    }
}

/// Asks whether a popped delta is an addition or an update for the handlers.
fn addition(moment: &Moment<'_>, key: &str, delta: &str) -> Option<SituatedQuestion> {
    if !matches!(delta, "Added" | "Sync" | "Replaced") {
        return None;
    }
    let known = moment.pipeline.store.contains_key(key);
    let situation = moment.new_situation(format!("addition {delta} {known}"))?;
    let notification = moment.later_events().take_while(|next| !matches!(next.what, What::Popped { .. })).find_map(
        |next| match &next.what {
            What::Notified { key: notified, notification, .. } if notified == key => Some(notification.as_str()),
            _ => None,
        },
    )?;
    let name = short(key);
    let (has, has_zh) = if known { ("has", "已经有") } else { ("does not have", "还没有") };
    let text = (
        format!("{delta} of {name} was popped, and the store {has} {name}: will on_add be called? y/n"),
        format!("队列交出了 {name} 的 {delta}，store 里{has_zh} {name}：会调用 on_add 吗？y/n"),
    );
    let reason = match known {
        true => ("the store decides: what it has is updated.", "由 store 决定：已有的对象算更新。"),
        false => ("the store decides: what it lacks is added.", "由 store 决定：没有的对象算新增。"),
    };
    Some(SituatedQuestion::new(situation, notification == "add", text, reason))
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
    let names = notified.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let text = (
        "a resync begins: will every handler be told? y/n".to_owned(),
        "resync 开始了：每个 handler 都会收到吗？y/n".to_owned(),
    );
    let reason = (format!("it is due for: {names}."), format!("到期的是：{names}。"));
    Some(SituatedQuestion::new(format!("resync of {names}"), notified == listeners, text, (&reason.0, &reason.1)))
}

/// Asks what a handler gets that joins while the informer runs.
fn late(moment: &Moment<'_>, listener: usize, existing: usize) -> Option<SituatedQuestion> {
    let situation = moment.new_situation("late")?;
    let answer = moment.later_events().any(|next| {
        matches!(next.what, What::Notified { listener: notified, .. } if notified == listener)
            && next.cause == Some(Cause::HandlerAdded)
    });
    let text = (
        format!("handler {listener} joins now: will it be told of the {existing} objects in the store? y/n"),
        format!("handler {listener} 现在才加入：会把 store 里的 {existing} 个对象作为新增通知它吗？y/n"),
    );
    let reason = match answer {
        true => ("as additions, before anything else.", "作为新增，先于其他一切。"),
        false => ("the record has no such notification.", "记录里没有这样的通知。"),
    };
    Some(SituatedQuestion::new(situation, answer, text, reason))
}

/// Asks whether one slow handler delays the others.
fn slow(moment: &Moment<'_>, slow: usize, pending: usize) -> Option<SituatedQuestion> {
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
        format!("{pending} notifications wait for handler {slow}: do the other handlers wait for it? y/n"),
        format!("handler {slow} 有 {pending} 个通知在等：其他 handler 要等它吗？y/n"),
    );
    let reason = ("each handler has a buffer and a task of its own.", "每个 handler 有自己的缓冲和任务。");
    Some(SituatedQuestion::new(situation, false, text, reason))
}

/// Asks whether the handlers are done when the informer has synced.
fn synced(moment: &Moment<'_>) -> Option<SituatedQuestion> {
    let listeners = &moment.pipeline.listeners;
    if listeners.is_empty() {
        return None;
    }
    let answer = listeners.values().all(|listener| listener.pending.is_empty() && listener.in_hand.is_none());
    let text = (
        "HasSynced is true: is every handler done with the first list? y/n".to_owned(),
        "HasSynced 变为 true：每个 handler 都处理完首次 list 了吗？y/n".to_owned(),
    );
    let reason = match answer {
        true => ("nothing waits for any of them.", "没有通知在等。"),
        false => (
            "notifications still wait; a handler's own registration says when it is done.",
            "还有通知在等；要看 handler 自己的 registration。",
        ),
    };
    Some(SituatedQuestion::new(format!("synced {answer}"), answer, text, reason))
}
