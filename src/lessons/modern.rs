//! The runs that differ with today's client-go and API server: their golden traces, the differences and the reasons.

use super::Run;
use super::deltafifo::DeltaFifoStep;
use super::reflector::KnownObjects;
use super::shared::SharedStep;

/// A run with `--era modern`.
#[derive(Debug)]
pub struct Modern {
    /// The run.
    pub run: Run,
    /// The golden trace in `fixtures/traces`; `None` for a live run.
    pub trace: Option<&'static str>,
    /// The differences and the reasons, in English.
    pub en: &'static str,
    /// The same in Chinese.
    pub zh: &'static str,
}

const fn of(run: Run, trace: &'static str, [en, zh]: [&'static str; 2]) -> Modern {
    Modern { run, trace: Some(trace), en, zh }
}

const ONE_CHANGE: [&str; 2] = [
    "DeltaFIFO has one slot per key and pops all changes of it together; RealFIFO (client-go 0.33) has one slot per\n\
     change and keeps the order across keys: nothing is merged, and pod2 comes before pod1's update",
    "DeltaFIFO 每个 key 一个槽位，一次取出它的全部变化；RealFIFO（client-go 0.33 起）每个变化一个槽位，\n\
     跨 key 保持顺序：什么都不合并，pod2 排在 pod1 的更新之前",
];

const IN_KEY_ORDER: [&str; 2] = [
    "up to 1.26 the watch cache was an unordered map; since then it is a tree ordered by key. And since client-go\n\
     0.35 what exists comes by a streaming list (WATCH with sendInitialEvents), not by a LIST",
    "1.26 及以前 watch cache 是无序的 map，之后是按 key 排序的树。另外从 client-go 0.35 起，\n\
     已有对象来自 streaming list（带 sendInitialEvents 的 WATCH），而不是 LIST",
];

/// In the order of the table.
pub static MODERN: &[Modern] = &[
    of(Run::DeltaFifo(DeltaFifoStep::Values), "deltafifo-modern.txt", ONE_CHANGE),
    of(
        Run::DeltaFifo(DeltaFifoStep::List),
        "deltafifo-list-modern.txt",
        [
            "three keys or three changes: the same list. client-go's RealFIFO has no List any more",
            "三个 key 或三个变化：列出来一样。client-go 的 RealFIFO 已经没有 List",
        ],
    ),
    of(
        Run::DeltaFifo(DeltaFifoStep::Pop),
        "deltafifo-pop-modern.txt",
        [
            "the first key has one change, so both queues give the same",
            "第一个 key 只有一个变化，所以两种队列取出的一样",
        ],
    ),
    of(Run::DeltaFifo(DeltaFifoStep::Events), "deltafifo-events-modern.txt", ONE_CHANGE),
    of(Run::DeltaFifo(DeltaFifoStep::Callbacks), "deltafifo-callbacks-modern.txt", ONE_CHANGE),
    of(
        Run::ListWatch,
        "listwatch-modern.txt",
        [
            "up to 1.26 the watch cache was an unordered map, so a WATCH began with the pods in any order, here by the\n\
             seed; today's is ordered by key, as a LIST from storage always was",
            "1.26 及以前 watch cache 是无序的 map，WATCH 开头的 Pod 没有顺序（这里由种子决定）；\n\
             现在的按 key 排序，和从存储 LIST 一直以来的顺序一样",
        ],
    ),
    of(
        Run::Reflector(KnownObjects::No),
        "reflector-modern.txt",
        [
            "DeltaFIFO drops a deletion of a key that is neither queued nor known; RealFIFO queues every deletion.\n\
             And the first list is one ReplacedAll, which the consumer compares with its store",
            "DeltaFIFO 丢弃既不在队列里也不为人知的 key 的删除；RealFIFO 把每个删除都放进队列。\n\
             另外第一次 list 是一个 ReplacedAll，由消费者和自己的 store 比较",
        ],
    ),
    of(
        Run::Reflector(KnownObjects::Yes),
        "reflector-known-objects-modern.txt",
        [
            "the same changes in the same order: there is one pod, and the consumer keeps up. What differs is below:\n\
             a streaming list instead of a LIST, and RealFIFO, which does not merge what waits",
            "同样的变化，同样的顺序：只有一个 Pod，消费者也跟得上。不同在底层：\n\
             streaming list 代替 LIST，RealFIFO 不合并排队的变化",
        ],
    ),
    of(
        Run::MyInformer,
        "myinformer-modern.txt",
        [
            "a handler cannot tell them apart here. What differs is below: a streaming list instead of a LIST, and RealFIFO\n\
             with known objects as queue",
            "在这里 handler 看不出区别。不同在底层：streaming list 代替 LIST，队列是带 KnownObjects 的 RealFIFO",
        ],
    ),
    of(Run::Shared(SharedStep::ListWatch), "shared-list-watch-modern.txt", IN_KEY_ORDER),
    Modern { run: Run::IndexerServe, trace: None, en: IN_KEY_ORDER[0], zh: IN_KEY_ORDER[1] },
    of(Run::Factory, "factory-modern.txt", IN_KEY_ORDER),
    Modern { run: Run::FactoryServe, trace: None, en: IN_KEY_ORDER[0], zh: IN_KEY_ORDER[1] },
    of(
        Run::Queue,
        "queue-modern.txt",
        [
            "DeltaFIFO: a queue of keys, and the deltas of each. RealFIFO: one log of changes. So Delete(Obj2) is queued\n\
             whether Obj2 is known or not, a resync is one SyncAll, and a pop takes one change",
            "DeltaFIFO：一个 key 的队列，以及每个 key 的 Deltas。RealFIFO：一份变化的日志。所以不论 Obj2 是否已知，\n\
             Delete(Obj2) 都进队列；Resync 只是一个 SyncAll；一次 Pop 取出一个变化",
        ],
    ),
    of(Run::Synced, "synced-modern.txt", IN_KEY_ORDER),
    of(
        Run::Relist(KnownObjects::No),
        "relist-modern.txt",
        [
            "DeltaFIFO without known objects only tells what is in the list, so the pod stays in the store for ever.\n\
             RealFIFO hands the list over whole (client-go 0.36), and whoever keeps the store finds what is missing",
            "没有 KnownObjects 的 DeltaFIFO 只说 list 里有什么，所以那个 Pod 永远留在 store 里。\n\
             RealFIFO 把 list 整个交付（client-go 0.36 起），由维护 store 的一方找出缺少的对象",
        ],
    ),
    of(
        Run::Relist(KnownObjects::Yes),
        "relist-known-objects-modern.txt",
        [
            "both queues compare the list with the known objects. DeltaFIFO tells the list first and then what is\n\
             missing; RealFIFO first what is missing, and what is listed as Replaced, not as Sync",
            "两种队列都把 list 和 KnownObjects 比较。DeltaFIFO 先说 list 里的对象，再说缺少的；\n\
             RealFIFO 先说缺少的，而 list 里的对象叫 Replaced，不叫 Sync",
        ],
    ),
    of(
        Run::Resync,
        "resync-modern.txt",
        [
            "DeltaFIFO queues a Sync of each known object that has nothing queued; RealFIFO queues one SyncAll, and the\n\
             consumer repeats its store when its turn comes; the first list, too, is one ReplacedAll. The handler is told the same",
            "DeltaFIFO 为每个没有排队的已知对象放一个 Sync；RealFIFO 只放一个 SyncAll，\n\
             轮到它时由消费者重复自己的 store；第一次 list 也是一个 ReplacedAll。handler 收到的一样",
        ],
    ),
    of(Run::Late, "late-modern.txt", IN_KEY_ORDER),
    of(
        Run::Controller,
        "controller-modern.txt",
        [
            "a controller that counts pods, and not events, cannot tell one queue from the other: a level-triggered\n\
             controller does not care whether changes were merged on the way",
            "控制器数的是 Pod，不是事件，所以分不出是哪种队列：\n\
             level-triggered 的控制器不在乎变化在路上有没有被合并",
        ],
    ),
];
