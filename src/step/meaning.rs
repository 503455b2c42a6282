//! General explanations of events. Step mode and the board show them when the narrator says nothing.

use crate::trace::What;

/// The sentences in English and Chinese, by the event's name in a record. The name of a special case has a second word.
/// The player has the same table.
pub const MEANINGS: [(&str, &str, &str); 32] = [
    ("run", "Each frame is one event. The box that it changed is marked.", "每一帧是一个事件。它改变的部分有标记。"),
    (
        "committed",
        "The state in the API server has changed. The client has not heard of it yet.",
        "API server 里的状态变了，客户端还不知道。",
    ),
    ("committed existing", "It was there before the lesson began.", "本课开始之前就有的对象。"),
    (
        "committed hidden",
        "The state in the API server has changed, and a fault keeps that from every watch.",
        "API server 里的状态变了，但故障使所有 watch 都收不到。",
    ),
    (
        "listed",
        "The API server answered the LIST: what there is, and the version from which to watch.",
        "API server 回答了 LIST：现有的对象，以及从哪个版本开始 watch。",
    ),
    ("list_failed", "The LIST failed. The Reflector waits and tries again.", "LIST 失败，Reflector 稍后重试。"),
    ("watching", "A WATCH is open. From now on the server sends changes.", "WATCH 已建立，从现在起服务端会发来变化。"),
    ("watch_failed", "The WATCH failed. The Reflector waits and tries again.", "WATCH 失败，Reflector 稍后重试。"),
    ("watched", "The watch brought a change.", "watch 送来一个变化。"),
    (
        "relisting",
        "The Reflector gives up this watch and starts over with a LIST.",
        "Reflector 放弃这个 watch，从 LIST 重新开始。",
    ),
    ("queued", "A delta went into the queue.", "一个 Delta 进入队列。"),
    ("merged", "Two deletions in a row are one in the queue.", "连续两个删除在队列里合并成一个。"),
    ("dropped", "The queue dropped the deletion.", "队列丢弃了这个删除。"),
    ("popped", "The consumer took the next item out of the queue.", "消费者从队列取出下一项。"),
    ("stored", "The store has the object now.", "store 里有这个对象了。"),
    ("removed", "The object left the store.", "对象离开了 store。"),
    ("replaced", "The whole store was replaced by a list.", "整个 store 被一次 list 替换。"),
    ("joined", "A handler joined, with a buffer of its own.", "一个 handler 加入，它有自己的缓冲。"),
    ("notified", "A notification went into the handler's buffer.", "通知进入 handler 的缓冲。"),
    (
        "coalesced",
        "The notification became one with what waited for the same object.",
        "这个通知和同一对象还在缓冲里的通知合并了。",
    ),
    ("calling", "The handler begins with a notification.", "handler 开始处理一个通知。"),
    ("called", "The handler is done with it.", "handler 处理完了。"),
    (
        "resynced",
        "A resync: what the store has is queued again. The server is not asked.",
        "resync：把 store 里的内容再次入队，不问服务端。",
    ),
    ("synced", "The first list has been handed out in full.", "第一次 list 已全部取出。"),
    (
        "work_added",
        "A key went into the work queue: the key alone, not the object.",
        "一个 key 进入 work queue：只有 key，没有对象。",
    ),
    (
        "work_added when_done",
        "The key was added while a worker has it. It is queued again when that work is over, so no change is overlooked.",
        "worker 正在处理这个 key，它又被加入：这次处理完会重新入队，所以不会漏掉变化。",
    ),
    (
        "work_added nothing",
        "Nothing changes: the key is queued already, or will be when its worker is done. However often it is added, it is queued once.",
        "没有变化：这个 key 已经在排队，或者 worker 处理完就会重新入队。无论加入多少次，都只排一次队。",
    ),
    (
        "work_taken",
        "A worker took the key. No other worker gets this key until the work on it is over.",
        "一个 worker 取走了这个 key。处理完之前，别的 worker 拿不到它。",
    ),
    ("work_done", "The work on the key is over.", "这个 key 处理完了。"),
    (
        "work_done again",
        "The work on the key is over. The key was added meanwhile, so it is queued again.",
        "这个 key 处理完了。处理期间它又被加入过，所以重新入队。",
    ),
    ("work_delayed", "The key comes into the work queue later.", "这个 key 稍后才进入 work queue。"),
    (
        "work_delayed rate_limited",
        "The work on the key failed. It comes again, later after each failure.",
        "这个 key 处理失败。它还会再来，每失败一次就等得更久。",
    ),
];

/// Returns the sentence in English and Chinese; `None` for what the program itself printed or narrated.
pub fn meaning(what: &What) -> Option<(&'static str, &'static str)> {
    let name = match what {
        What::Committed { hidden: true, .. } => "committed hidden",
        What::Committed { change, .. } if change == "existing" => "committed existing",
        What::WorkAdded { effect, .. } if effect == "when_done" => "work_added when_done",
        What::WorkAdded { effect, .. } if effect == "nothing" => "work_added nothing",
        What::WorkDone { again: true, .. } => "work_done again",
        What::WorkDelayed { rate_limited: true, .. } => "work_delayed rate_limited",
        what => what.name(),
    };
    MEANINGS.iter().find(|(of, ..)| *of == name).map(|(_, en, zh)| (*en, *zh))
}
