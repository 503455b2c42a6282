//! Captions of the events of handlers and their buffers.

use super::Sentence;
use super::counted::{object, objects, waiting};
use crate::trace::narrator::short;
use crate::trace::picture::Pipeline;
use crate::trace::record::What;

pub(super) fn caption(what: &What, after: &Pipeline) -> Option<Sentence> {
    Some(match what {
        What::Joined { listener, coalesces, existing } => joined(*listener, *coalesces, *existing),
        What::Notified { listener, notification, key, resource_version, tombstone, pending } => {
            let (name, name_zh) = object(key, Some(resource_version));
            let (wait, wait_zh) = waiting(*pending);
            let (mark, mark_zh) = if *tombstone { (" (tombstone)", "（tombstone）") } else { ("", "") };
            (
                format!("{name}: {notification}{mark} into the buffer of handler {listener}, {wait}."),
                format!("{name_zh}：{notification}{mark_zh} 进入 handler {listener} 的缓冲，{wait_zh}。"),
            )
        }
        What::Coalesced { listener, notification, key, resource_version, pending, .. } => {
            let (name, name_zh) = object(key, Some(resource_version));
            let (wait, wait_zh) = waiting(*pending);
            (
                format!("{name}: {notification} merged in the buffer of handler {listener}, {wait}."),
                format!("{name_zh}：{notification} 在 handler {listener} 的缓冲里合并，{wait_zh}。"),
            )
        }
        What::Calling { listener, notification, key, pending } => {
            let in_hand = after.listeners.get(listener).and_then(|listener| listener.in_hand.as_ref());
            let (name, name_zh) = object(key, in_hand.map(|in_hand| in_hand.version.as_str()));
            let (wait, wait_zh) = waiting(*pending);
            (
                format!("Handler {listener} begins with {notification} of {name}, {wait}."),
                format!("handler {listener} 开始处理 {notification}：{name_zh}，{wait_zh}。"),
            )
        }
        What::Called { listener, notification, key, pending } => {
            let (wait, wait_zh) = waiting(*pending);
            (
                format!("Handler {listener} is done with {notification} of {}, {wait}.", short(key)),
                format!("handler {listener} 处理完 {notification}：{}，{wait_zh}。", short(key)),
            )
        }
        _ => return None,
    })
}

fn joined(listener: usize, coalesces: bool, existing: usize) -> Sentence {
    let (buffer, buffer_zh) = match coalesces {
        true => ("a buffer that keeps one notification for each object", "缓冲里每个对象只保留一个通知"),
        false => ("a buffer of its own", "有自己的缓冲"),
    };
    let (objects, objects_zh) = objects(existing);
    let (first, first_zh) = match existing {
        0 => (String::new(), String::new()),
        _ => (format!(" It first gets {objects} of the store."), format!("先收到 store 里的 {objects_zh}。")),
    };
    (
        format!("Handler {listener} joins, with {buffer}.{first}"),
        format!("handler {listener} 加入，{buffer_zh}。{first_zh}"),
    )
}
