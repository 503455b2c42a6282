//! What is different with today's machinery.

use crate::lab::LessonFn;

/// The counterpart of a run with today's client and server.
#[derive(Debug)]
pub struct Modern {
    /// The golden trace in `fixtures/traces`; `None` for a live run.
    pub trace: Option<&'static str>,
    /// The function that plays it; `None` if it is the same, and only what the lab gives it is different.
    pub lesson: Option<LessonFn>,
    /// The differences and the reasons, in English and in Chinese.
    pub why: [&'static str; 2],
}

pub(super) const ONE_CHANGE: [&str; 2] = [
    "DeltaFIFO has one slot per key and pops all changes of it together; RealFIFO (client-go 0.33) has one slot per\n\
     change and keeps the order across keys: nothing is merged, and pod2 comes before pod1's update",
    "DeltaFIFO 每个 key 一个槽位，一次取出它的全部变化；RealFIFO（client-go 0.33 起）每个变化一个槽位，\n\
     跨 key 保持顺序：什么都不合并，pod2 排在 pod1 的更新之前",
];

pub(super) const IN_KEY_ORDER: [&str; 2] = [
    "up to 1.26 the watch cache was an unordered map; since then it is a tree ordered by key. And since client-go\n\
     0.35 what exists comes by a streaming list (WATCH with sendInitialEvents), not by a LIST",
    "1.26 及以前 watch cache 是无序的 map，之后是按 key 排序的树。另外从 client-go 0.35 起，\n\
     已有对象来自 streaming list（带 sendInitialEvents 的 WATCH），而不是 LIST",
];
