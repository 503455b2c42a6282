//! Questions before decisive events, with the reason for the answer, from the picture.

use crate::trace::{Cause, Picture, Record, What, short};

/// A question that is answered by yes or no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question, in English and Chinese.
    pub asks: (String, String),
    /// The answer that the record gives.
    pub happens: bool,
    /// Why, in English and Chinese.
    pub why: (String, String),
}

/// What can be asked about what follows the event, with the picture after it.
pub fn question(records: &[Record], at: usize, after: &Picture) -> Option<Question> {
    let record = records.get(at)?;
    let pipeline = after.of(record.of.as_deref());
    let coming = || records.iter().skip(at + 1).filter(|next| next.of == record.of);
    match &record.what {
        What::Watched { kind, key, .. } if kind == "DELETED" && record.cause == Some(Cause::Watch) => {
            let next =
                coming().find(|next| next.what.key() == Some(key) && !matches!(next.what, What::Committed { .. }))?;
            let happens = match &next.what {
                What::Queued { .. } => true,
                What::Dropped { .. } => false,
                _ => return None,
            };
            let name = short(key);
            let (en, zh) = match (happens, pipeline.queued(key).last()) {
                (true, Some(delta)) => {
                    (format!("its {} is still queued", delta.delta), format!("它的 {} 还在队列里", delta.delta))
                }
                (true, None) if pipeline.is_by_key() => {
                    ("the known objects have it".to_owned(), "KnownObjects 里有它".to_owned())
                }
                (true, None) => ("RealFIFO queues every change".to_owned(), "RealFIFO 把每个变化都放进队列".to_owned()),
                (false, _) => {
                    ("it is neither queued nor known".to_owned(), "它既不在队列里，也不在 KnownObjects 里".to_owned())
                }
            };
            Some(Question {
                asks: (
                    format!("{name} is deleted: will Deleted come out of the queue? y/n"),
                    format!("{name} 被删除了：队列会交出 Deleted 吗？y/n"),
                ),
                happens,
                why: (format!("{en}."), format!("{zh}。")),
            })
        }
        What::Listed { objects, .. } if record.cause == Some(Cause::Relist) => {
            let key = pipeline.store.keys().find(|key| !objects.iter().any(|object| object.key == **key))?;
            let leaves = |next: &&Record| match &next.what {
                What::Removed { key: removed, .. } => removed == key,
                What::Replaced { objects, .. } => !objects.iter().any(|object| object.key == *key),
                _ => false,
            };
            let left = coming().take_while(|next| !matches!(next.what, What::Listed { .. })).find(leaves);
            let happens = match left {
                Some(left) if left.cause == Some(Cause::Relist) => true,
                None if !pipeline.known_objects => false,
                // It leaves for another reason, or the record ends before it does.
                _ => return None,
            };
            let name = short(key);
            let why = match happens {
                true => (
                    "somebody compares the list with the store: a tombstone.",
                    "有人拿 list 和 store 比较：这就是 tombstone。",
                ),
                false => ("without known objects nobody compares them.", "没有 KnownObjects，没有人比较两者。"),
            };
            Some(Question {
                asks: (
                    format!("the list lacks {name}, which is in the store: will it leave the store? y/n"),
                    format!("list 里没有 {name}，store 里有：它会离开 store 吗？y/n"),
                ),
                happens,
                why: (why.0.to_owned(), why.1.to_owned()),
            })
        }
        _ => None,
    }
}
