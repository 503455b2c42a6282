//! The narrator explains in a sentence what a decisive event of a run means, such as a dropped deletion or a
//! tombstone.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Pipeline;
use super::commentary::{Remark, Speaker};
use super::record::{Cause, Record, WaitingDelta, What};
use kube_informers::cache::observe::Versioned;

/// A handler with at least this many waiting notifications is called slow.
const SLOW: usize = 4;

/// Reads the events of one run in order, and remembers what was explained already.
#[derive(Debug, Default)]
pub struct Narrator {
    /// The subjects that were explained already and are not explained again.
    explained: BTreeSet<String>,
    /// The relist whose deltas are being queued, by kind of object.
    relists: BTreeMap<Option<String>, Relist>,
}

/// The deltas that a relist has queued so far.
#[derive(Debug, Default)]
struct Relist {
    tombstones: BTreeSet<String>,
    /// True if the list was queued as one delta. The consumer then compares the list with its store.
    as_one_delta: bool,
}

impl Narrator {
    /// Returns the sentences on an event. `before` is the pipeline's state before the event.
    pub fn remarks_on(&mut self, record: &Record, before: &Pipeline) -> Vec<Remark> {
        let mut sentences = self.objects_that_stay(record, before);
        sentences.extend(self.meaning(record, before));
        sentences.into_iter().map(|(en, zh)| Remark::new(Speaker::Narrator, en, zh)).collect()
    }

    /// Returns the sentence on a single event, if it has one.
    fn meaning(&mut self, record: &Record, before: &Pipeline) -> Option<(String, String)> {
        match &record.what {
            What::Dropped { key, known_objects } => Some(self.dropped(short(key), *known_objects)),
            What::Queued { queue, key, known_objects, delta } if delta.is_deletion() => {
                self.deletion(queue, key, *known_objects, delta, before)
            }
            What::Queued { delta, .. } => self.listed_or_synced(&delta.delta, record.cause),
            What::Merged { key } => Some(merged(short(key))),
            What::Replaced { objects, .. } => replaced(objects, before),
            What::Coalesced { listener, key, .. } => {
                self.unless_explained(&format!("coalesced {listener}"), coalesced(*listener, short(key)))
            }
            What::Notified { listener, pending, .. } if *pending >= SLOW => {
                let replays = before.listeners.get(listener).is_some_and(|listener| listener.replay > 0);
                let at_once = matches!(record.cause, Some(Cause::InitialList | Cause::Relist | Cause::Resync));
                if replays || at_once {
                    return None; // many notifications came at once, so the handler is not slow
                }
                self.unless_explained(&format!("slow {listener}"), slow(*listener, *pending))
            }
            What::Joined { listener, existing, .. } if *existing > 0 => Some(joined(*listener, *existing)),
            What::Committed { change, key, hidden: true, .. } => {
                let deleted = change == "deleted";
                let first = self.explained.insert(format!("hidden {key}"));
                (first || deleted).then(|| hidden(change, short(key)))
            }
            _ => None,
        }
    }

    /// Returns the sentence, unless this subject was explained before.
    fn unless_explained(&mut self, what: &str, sentence: (String, String)) -> Option<(String, String)> {
        self.explained.insert(what.to_owned()).then_some(sentence)
    }

    fn dropped(&mut self, name: &str, known_objects: bool) -> (String, String) {
        if known_objects {
            return (
                format!(
                    "Deleted of {name} is dropped: it is neither queued nor among the known objects, \
                     so it was reported before"
                ),
                format!("{name} 的 Deleted 被丢弃：它既不在队列里，也不在 known objects 里，说明之前已经报告过"),
            );
        }
        if !self.explained.insert("dropped".to_owned()) {
            return (format!("Deleted of {name} is dropped too"), format!("{name} 的 Deleted 同样被丢弃"));
        }
        (
            format!(
                "Deleted of {name} is dropped: nothing is queued for it, and this DeltaFIFO has no known objects. \
                 So the queue cannot know whether an earlier relist has already reported this deletion"
            ),
            format!(
                "{name} 的 Deleted 被丢弃：队列里没有它，这个 DeltaFIFO 也没有 known objects。\
                 队列分不清这次删除是不是之前 relist 时已经报告过的"
            ),
        )
    }

    /// Explains why a deletion was queued: as a tombstone, because RealFIFO queues every change, or because DeltaFIFO
    /// knows the object.
    fn deletion(
        &mut self,
        queue: &str,
        key: &str,
        known_objects: bool,
        delta: &WaitingDelta,
        before: &Pipeline,
    ) -> Option<(String, String)> {
        let name = short(key);
        let waiting = before.queued(key).last().map(|delta| delta.delta.clone());
        if delta.tombstone {
            return Some(tombstone(name, waiting.is_some(), delta.resource_version.as_deref()));
        }
        if queue == "RealFIFO" {
            let sentence = (
                "RealFIFO queues every deletion, known or not: each change has a slot of its own".to_owned(),
                "RealFIFO 把每个删除都放进队列，不论是否已知：每个变化各占一个槽位".to_owned(),
            );
            return self.unless_explained("RealFIFO", sentence);
        }
        match (waiting, known_objects) {
            (Some(waiting), false) => Some((
                format!(
                    "Deleted of {name} comes out although there are no known objects: its {waiting} was still queued. \
                     Had the consumer been quicker, the deletion would have been dropped"
                ),
                format!(
                    "没有 known objects，{name} 的 Deleted 却没有被丢弃：它的 {waiting} 还在队列里。\
                     如果删除到来之前它已被取走，这次删除就会被丢弃"
                ),
            )),
            (None, true) => self.unless_explained(
                "known",
                (
                    format!(
                        "Deleted of {name} is queued: {name} is among the known objects, so this deletion was not \
                         reported before"
                    ),
                    format!("{name} 的 Deleted 入队：known objects 里有 {name}，所以这次删除是新事件"),
                ),
            ),
            (_, _) => None,
        }
    }

    /// Explains the first delta of each kind that a list or a resync queues.
    fn listed_or_synced(&mut self, delta: &str, cause: Option<Cause>) -> Option<(String, String)> {
        let (en, zh) = match (delta, cause?) {
            ("Sync", Cause::InitialList) => (
                "this Sync comes from the first list: the object existed before the watch began",
                "这个 Sync 来自首次 list：watch 开始之前就有这个对象",
            ),
            ("Sync", Cause::Relist) => (
                "this Sync comes from a relist: every object of the list gets one, changed or not",
                "这个 Sync 来自 relist：list 里的每个对象都有，不论有没有变化",
            ),
            ("Sync", Cause::Resync) => (
                "this Sync comes from a resync: the objects of the store are delivered again. \
                 No request goes to the API server, so a resync does not recover a lost event",
                "这个 Sync 来自 resync：把 store 里的对象再派发一遍。不向 API server 发请求，所以丢失的事件不会因此找回来",
            ),
            ("ReplacedAll", _) => (
                "the list is queued whole, as one ReplacedAll: the consumer compares it with its own store",
                "list 整个入队，是一个 ReplacedAll：由消费者拿它和自己的 store 比较",
            ),
            ("SyncAll", _) => (
                "the resync is queued as one SyncAll. The consumer pops it, and delivers all objects of its own \
                 store again. No request goes to the API server",
                "resync 只是一个 SyncAll：轮到它出队时，消费者把自己 store 里的对象再派发一遍。不向 API server 发请求",
            ),
            _ => return None,
        };
        self.unless_explained(&format!("{delta} {cause:?}"), (en.to_owned(), zh.to_owned()))
    }

    /// Collects the deltas of a relist. After the last one, returns a sentence on each object that stays in the store
    /// for ever, because the list lacks it and no tombstone deletes it.
    fn objects_that_stay(&mut self, record: &Record, before: &Pipeline) -> Vec<(String, String)> {
        if record.what.is_program_text() {
            return Vec::new();
        }
        let of = record.of.clone();
        match &record.what {
            What::Listed { .. } => {
                if before.lists > 0 {
                    self.relists.insert(of, Relist::default());
                }
                return Vec::new();
            }
            What::Queued { key, delta, .. } => {
                if let Some(relist) = self.relists.get_mut(&of) {
                    if delta.tombstone {
                        relist.tombstones.insert(key.clone());
                    }
                    relist.as_one_delta |= delta.delta == "ReplacedAll";
                }
                return Vec::new();
            }
            What::Merged { .. } | What::Committed { .. } => return Vec::new(),
            _ => {}
        }
        let Some(relist) = self.relists.remove(&of) else { return Vec::new() };
        if relist.as_one_delta || matches!(record.what, What::Replaced { .. }) {
            return Vec::new();
        }
        let gone = before.store.keys().filter(|key| {
            let deleted = || before.queued(key).last().is_some_and(|delta| delta.is_deletion());
            !before.listed.contains_key(*key) && !relist.tombstones.contains(*key) && !deleted()
        });
        gone.map(|key| stays_in_store(short(key))).collect()
    }
}

/// Returns the sentence on an object that stays in the store although it was deleted.
fn stays_in_store(name: &str) -> (String, String) {
    (
        format!(
            "{name} stays in the store, though the list lacks it: without known objects the queue cannot compare the \
             list with the store"
        ),
        format!("{name} 留在 store 里，尽管 list 里没有它：没有 known objects，队列就无法拿 list 和 store 比较"),
    )
}

fn tombstone(name: &str, was_queued: bool, version: Option<&str>) -> (String, String) {
    let (why, why_zh) = match was_queued {
        true => ("it is still queued", "它还在队列里"),
        false => ("the known objects have it", " known objects 里有它"),
    };
    let (last, last_zh) = match version {
        Some(version) => {
            let version = short_version(version);
            (format!("the last known one has version {version}"), format!("最后见过的是版本 {version}"))
        }
        None => ("no earlier one is known".to_owned(), "之前的状态也不知道".to_owned()),
    };
    (
        format!(
            "{name} is not in the list, but {why}, so the watch missed its deletion. \
             The queue adds a tombstone (DeletedFinalStateUnknown): the final state is unknown, {last}"
        ),
        format!(
            "list 里没有 {name}，而{why_zh}，说明 watch 漏掉了它的删除。\
             队列补上一个 tombstone（DeletedFinalStateUnknown）：最终状态未知，{last_zh}"
        ),
    )
}

fn replaced(objects: &[Versioned], before: &Pipeline) -> Option<(String, String)> {
    let listed: BTreeSet<&str> = objects.iter().map(|object| object.key.as_str()).collect();
    let gone: Vec<&str> =
        before.store.keys().map(String::as_str).filter(|key| !listed.contains(key)).map(short).collect();
    if gone.is_empty() {
        return None;
    }
    let names = gone.join(", ");
    let (are_not, are, state) = match gone.len() {
        1 => ("is not", "is", "Its final state is"),
        _ => ("are not", "are", "Their final states are"),
    };
    Some((
        format!(
            "the consumer compared the whole list with its store: {names} {are_not} in it any more, and {are} deleted. \
             {state} unknown"
        ),
        format!("消费者拿整个 list 和自己的 store 比较：其中已经没有 {names}，于是删除。最终状态未知"),
    ))
}

fn merged(name: &str) -> (String, String) {
    (
        format!("two deletions of {name} in a row became one: the one that has the final state is kept"),
        format!("{name} 的两次连续删除合并成一次：保留有最终状态的那一次"),
    )
}

fn coalesced(listener: usize, name: &str) -> (String, String) {
    (
        format!(
            "handler {listener} is busy and its buffer coalesces: the waiting notifications of {name} become one, \
             with the newest state"
        ),
        format!("handler {listener} 正忙，它的缓冲会合并：{name} 的多个通知合成一个，只留最新状态"),
    )
}

fn slow(listener: usize, pending: usize) -> (String, String) {
    (
        format!(
            "{pending} notifications wait for handler {listener}. No other handler waits for it, because each handler has \
             its own buffer, at the price of memory"
        ),
        format!(
            "有 {pending} 个通知在等 handler {listener}。它不会耽误其他 handler：每个 handler 有自己的缓冲，代价是内存"
        ),
    )
}

fn joined(listener: usize, existing: usize) -> (String, String) {
    (
        format!(
            "handler {listener} joins while the informer runs: it first gets the {existing} objects in the store, as \
             its initial list"
        ),
        format!(
            "handler {listener} 中途加入：先收到 store 里的 {existing} 个对象，这些通知的 isInInitialList 都是 true"
        ),
    )
}

fn hidden(change: &str, name: &str) -> (String, String) {
    let zh = match change {
        "created" => "创建",
        "deleted" => "删除",
        _ => "修改",
    };
    (
        format!("{name} is {change} on the API server, and a fault hides that from the watch"),
        format!("API server 上 {name} 已{zh}，但故障注入让 watch 收不到"),
    )
}

/// Returns a resourceVersion in a form that fits a sentence: of a long one only the last digits, in which the versions of
/// one run differ. A cluster that listens begins with a version of 16 digits, because it counts from its clock.
pub(crate) fn short_version(version: &str) -> Cow<'_, str> {
    const LONGEST: usize = 8;
    const KEPT: usize = 4;
    match version.len().checked_sub(KEPT).and_then(|at| version.get(at..)) {
        Some(last) if version.len() > LONGEST => format!("…{last}").into(),
        _ => version.into(),
    }
}

/// Returns the name in a key, without the namespace.
pub(crate) fn short(key: &str) -> &str {
    key.rsplit('/').next().unwrap_or(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_version_is_cut() {
        assert_eq!(short_version("15"), "15");
        assert_eq!(short_version("12345678"), "12345678");
        assert_eq!(short_version("1795753912959204"), "…9204");
        assert_eq!(short_version(""), "");
    }
}
