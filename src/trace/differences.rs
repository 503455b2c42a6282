//! Explains the differences between the two runs of `informer-lab eras`, only from facts that are in the records.

use std::collections::BTreeSet;

use super::narrator::short;
use super::record::{Cause, Record, What};
use super::{Picture, Pipeline};

/// A sentence in English and Chinese.
pub type Sentence = (String, String);

/// Returns sentences on why the modern trace differs from the classic one; for equal traces, one sentence on the
/// differences inside.
pub fn differences(classic: &[Record], modern: &[Record]) -> Vec<Sentence> {
    let (classic, modern) = (Facts::of(classic), Facts::of(modern));
    if classic.lines == modern.lines {
        return vec![nothing(&classic, &modern)];
    }
    let sentences: Vec<Sentence> = [
        merged(&classic, &modern),
        dropped(&classic, &modern),
        lists(&classic, &modern),
        resyncs(&classic, &modern),
        tombstones(&classic, &modern),
        stays_in_store(&classic, &modern),
        order(&classic, &modern),
    ]
    .into_iter()
    .flatten()
    .collect();
    if sentences.is_empty() { vec![unknown()] } else { sentences }
}

/// The facts of one run from which the sentences are made.
#[derive(Debug, Default)]
struct Facts<'a> {
    lines: Vec<&'a str>,
    /// The keys of each LIST response, in its order.
    lists: Vec<Vec<&'a str>>,
    /// The keys whose deletion DeltaFIFO dropped.
    dropped: BTreeSet<&'a str>,
    /// The keys whose deletion was queued.
    deleted: BTreeSet<&'a str>,
    /// The names of the deltas that lists queued.
    of_lists: BTreeSet<&'a str>,
    /// The names of the deltas that resyncs queued.
    of_resyncs: BTreeSet<&'a str>,
    /// True if a tombstone was queued before the other deltas of its list.
    tombstone_first: bool,
    /// True if a tombstone was queued after other deltas of its list.
    tombstone_last: bool,
    /// True if a slot of the queue held several changes at once.
    merged: bool,
    /// True if the first list was a streaming list, which arrives as events of a watch.
    streamed: bool,
    /// The queue's name: `DeltaFIFO` or `RealFIFO`.
    queue: Option<&'a str>,
    /// The picture after the last event.
    end: Picture,
}

impl<'a> Facts<'a> {
    fn of(records: &'a [Record]) -> Self {
        let mut facts = Self::default();
        let mut listing = false; // true once a delta of the current list was queued
        for record in records {
            facts.end.apply(record);
            match &record.what {
                What::Line { text, .. } => facts.lines.push(text),
                What::Listed { objects, .. } => {
                    facts.lists.push(objects.iter().map(|object| object.key.as_str()).collect());
                    listing = false;
                }
                What::Watched { .. } => facts.streamed |= record.cause == Some(Cause::InitialList),
                What::Dropped { key, .. } => drop(facts.dropped.insert(key)),
                What::Queued { queue, key, delta, .. } => {
                    facts.queue = Some(queue);
                    let queue = &facts.end.pipeline_of(record.of.as_deref()).queue;
                    facts.merged |= queue.of(key).any(|slot| slot.deltas.len() > 1);
                    if delta.is_deletion() {
                        facts.deleted.insert(key);
                        facts.tombstone_first |= delta.tombstone && !listing;
                        facts.tombstone_last |= delta.tombstone && listing;
                    }
                    match record.cause {
                        Some(Cause::InitialList | Cause::Relist) if !delta.is_deletion() => {
                            listing = true;
                            facts.of_lists.insert(&delta.delta);
                        }
                        Some(Cause::Resync) => drop(facts.of_resyncs.insert(&delta.delta)),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        facts
    }

    fn prints(&self, word: &str) -> bool {
        self.lines.iter().any(|line| line.split(|c: char| !c.is_alphanumeric()).any(|part| part == word))
    }

    /// Returns the keys of the stores at the end of the run.
    fn stored(&self) -> BTreeSet<&str> {
        self.end.pipelines.values().flat_map(|pipeline: &Pipeline| pipeline.store.keys().map(String::as_str)).collect()
    }
}

/// Returns the sentence for equal traces.
fn nothing(classic: &Facts<'_>, modern: &Facts<'_>) -> Sentence {
    let mut inside = Vec::new();
    let mut inside_zh = Vec::new();
    if modern.streamed && !classic.streamed {
        inside.push("the existing objects came from a streaming list instead of a LIST");
        inside_zh.push("已有对象来自 streaming list，而不是 LIST");
    }
    if classic.queue == Some("DeltaFIFO") && modern.queue == Some("RealFIFO") {
        inside.push("the queue was a RealFIFO instead of a DeltaFIFO");
        inside_zh.push("队列是 RealFIFO，而不是 DeltaFIFO");
    }
    if inside.is_empty() {
        return ("nothing differs: both print the same".to_owned(), "没有区别：两边的输出一样".to_owned());
    }
    (
        format!("nothing differs in the output. Inside, {}", inside.join(", and ")),
        format!("输出没有区别。区别在内部：{}", inside_zh.join("；")),
    )
}

fn sentence(en: &str, zh: &str) -> Option<Sentence> {
    Some((en.to_owned(), zh.to_owned()))
}

// Each function from here to `order` returns a sentence if its difference is in the records.

/// DeltaFIFO merges the changes of one key into one slot.
fn merged(classic: &Facts<'_>, modern: &Facts<'_>) -> Option<Sentence> {
    if !classic.merged || modern.queue != Some("RealFIFO") {
        return None;
    }
    sentence(
        "DeltaFIFO has one slot per key, and pops all changes of the key together. RealFIFO (client-go 0.33) has one slot \
         per change and keeps the order across keys",
        "DeltaFIFO 每个 key 一个槽位，一次取出这个 key 的全部变化。RealFIFO（client-go 0.33 起）每个变化一个槽位，\
         跨 key 保持顺序",
    )
}

/// DeltaFIFO drops a deletion of an unknown object.
fn dropped(classic: &Facts<'_>, modern: &Facts<'_>) -> Option<Sentence> {
    let only_dropped = classic.dropped.iter().find(|key| modern.deleted.contains(*key))?;
    let name = short(only_dropped);
    Some((
        format!(
            "DeltaFIFO dropped the deletion of {name}, which was neither queued nor known. RealFIFO queues every deletion, \
             known or not"
        ),
        format!(
            "{name} 既不在队列里，也不在 known objects 里，所以 DeltaFIFO 丢弃了它的删除。RealFIFO 把每个删除都放进队列"
        ),
    ))
}

/// The two queues have different deltas for the objects of a list.
fn lists(classic: &Facts<'_>, modern: &Facts<'_>) -> Option<Sentence> {
    if modern.of_lists.contains("ReplacedAll") && (modern.prints("ReplacedAll") || classic.prints("Sync")) {
        return sentence(
            "RealFIFO queues a whole list as one ReplacedAll (client-go 0.36), and the consumer compares it with its \
             store. DeltaFIFO queues a Sync for each object of the list",
            "RealFIFO 把整个 list 放进队列，是一个 ReplacedAll（client-go 0.36 起），由消费者拿它和自己的 store 比较。\
             DeltaFIFO 为其中每个对象放一个 Sync",
        );
    }
    if modern.of_lists.contains("Replaced") && classic.of_lists.contains("Sync") && modern.prints("Replaced") {
        return sentence(
            "For each listed object RealFIFO queues a Replaced. DeltaFIFO queues a Sync, as for a resync",
            "list 里的每个对象，RealFIFO 放一个 Replaced；DeltaFIFO 放一个 Sync，和 resync 一样",
        );
    }
    None
}

/// The two queues have different deltas for a resync.
fn resyncs(classic: &Facts<'_>, modern: &Facts<'_>) -> Option<Sentence> {
    if !modern.of_resyncs.contains("SyncAll") || !(modern.prints("SyncAll") || classic.prints("Sync")) {
        return None;
    }
    sentence(
        "at a resync RealFIFO queues one SyncAll. The consumer pops it, and delivers all objects of its own store \
         again. DeltaFIFO queues a Sync for each known object that has no queued change",
        "resync 时 RealFIFO 只放一个 SyncAll，轮到它出队时，消费者把自己 store 里的对象再派发一遍。DeltaFIFO 为每个没有排队的已知对象放一个 Sync",
    )
}

/// The two queues order the tombstones of a relist differently.
fn tombstones(classic: &Facts<'_>, modern: &Facts<'_>) -> Option<Sentence> {
    if !classic.tombstone_last || !modern.tombstone_first {
        return None;
    }
    sentence(
        "DeltaFIFO first queues the objects of the list, and then a tombstone for each missing object. RealFIFO queues the \
         tombstones first",
        "DeltaFIFO 先放 list 里的对象，再放缺少对象的 tombstone；RealFIFO 先放 tombstone",
    )
}

/// An object that was deleted stays in one of the stores.
fn stays_in_store(classic: &Facts<'_>, modern: &Facts<'_>) -> Option<Sentence> {
    let (classic, modern) = (classic.stored(), modern.stored());
    let only: Vec<&str> = classic.difference(&modern).copied().map(short).collect();
    if only.is_empty() || modern.is_empty() {
        return None;
    }
    let names = only.join(", ");
    let are = if only.len() == 1 { "is" } else { "are" };
    Some((
        format!("{names} stayed in the store of the classic run, and {are} gone from the modern one"),
        format!("在 classic 的 store 里，{names} 一直留着；在 modern 的 store 里已经没有了"),
    ))
}

/// The watch caches of the two servers order a list differently.
fn order(classic: &Facts<'_>, modern: &Facts<'_>) -> Option<Sentence> {
    let listed = classic.lists.iter().zip(&modern.lists).any(|(classic, modern)| is_reordered(classic, modern));
    let printed = classic.lists.is_empty() && is_reordered(&classic.lines, &modern.lines);
    if !listed && !printed {
        return None;
    }
    sentence(
        "in 2023 the watch cache was a map and returned objects in no particular order (here the seed decides). Today it is \
         a tree, ordered by key",
        "教程的年代，watch cache 是 map，它给出的对象没有固定顺序（这里由 seed 决定）；今天它是树，按 key 排序",
    )
}

fn is_reordered(one: &[&str], other: &[&str]) -> bool {
    let sorted = |list: &[&str]| {
        let mut list: Vec<String> = list.iter().map(ToString::to_string).collect();
        list.sort_unstable();
        list
    };
    one != other && sorted(one) == sorted(other)
}

fn unknown() -> Sentence {
    (
        "the traces differ, and the records do not show why: --output json has both in full".to_owned(),
        "两边输出不同，但从记录里看不出原因：--output json 有完整的记录".to_owned(),
    )
}
