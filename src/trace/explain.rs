//! The explainer: describes each change's way through the informer as one line of steps.
//!
//! `watch MODIFIED nettool 15 → queued Updated (1 waiting) → popped → stored → 2 notifications for handlers 0, 1 (1, 1
//! waiting)`

use std::collections::{BTreeMap, BTreeSet};

use super::Pipeline;
use super::commentary::{Remark, Speaker};
use super::narrator::{short, short_version};
use super::record::{Cause, Record, WaitingDelta, What};

/// Collects the steps of one change (an event of the watch, a list or a resync) into a line, which ends when another
/// change begins or a trace line is printed.
#[derive(Debug, Default)]
pub struct Explainer {
    steps: Vec<Step>,
    /// The keys of the objects in these steps.
    keys: BTreeSet<String>,
    /// The informer that these steps are about.
    of: Option<String>,
    /// The ways of the changes so far: the verbs of each line, without the names and numbers.
    ways: BTreeSet<Vec<String>>,
}

/// One step of the line, such as `stored`. Equal steps of several objects are one step.
#[derive(Debug)]
struct Step {
    /// The verb that is shown, and its group, such as `notified`. Neighbouring steps with the same verb and group
    /// become one.
    verb: (String, &'static str),
    verb_zh: String,
    keys: Vec<String>,
    /// The text after the verb and the objects, in English and Chinese.
    note: (String, String),
    /// True if the step names its objects: the first step of a line does, and a step about other objects.
    named: bool,
    /// True if the note is a part of the way: with another note, the change takes another way.
    decides: bool,
    /// The handlers that are notified, with the number of notifications that wait for each.
    handlers: BTreeMap<usize, usize>,
}

impl Explainer {
    /// Takes the next event, with the pipeline's state after it. Returns the lines that are complete.
    pub fn next(&mut self, record: &Record, after: &Pipeline) -> Vec<Remark> {
        if record.what.is_program_text() {
            return self.end().into_iter().collect();
        }
        let Some(mut step) = step(record, after) else { return Vec::new() };
        let mut ended = Vec::new();
        if self.begins(&record.what, &step) || self.of != record.of {
            ended.extend(self.end());
            self.of.clone_from(&record.of);
        }
        let is_of_these = step.keys.iter().all(|key| self.keys.contains(key));
        step.named = self.steps.is_empty() || self.keys.len() > 1 || !is_of_these;
        self.keys.extend(step.keys.iter().cloned());
        match self.steps.last_mut() {
            Some(last) if last.verb == step.verb => {
                last.keys.extend(step.keys.into_iter().filter(|key| !key.is_empty()));
                last.note = step.note;
                last.handlers.extend(step.handlers);
                last.named |= step.named;
            }
            _ => self.steps.push(step),
        }
        if is_last(&record.what, after) {
            ended.extend(self.end());
        }
        ended
    }

    /// Ends the current line and returns it.
    pub fn end(&mut self) -> Option<Remark> {
        self.keys.clear();
        let steps = std::mem::take(&mut self.steps);
        if steps.is_empty() {
            return None;
        }
        let line = |text: &dyn Fn(&Step) -> String| steps.iter().map(text).collect::<Vec<_>>().join(" → ");
        let again = !self.ways.insert(steps.iter().map(Step::kind).collect());
        Some(Remark { again, ..Remark::new(Speaker::Explainer, line(&Step::en), line(&Step::zh)) })
    }

    /// Returns true if this event begins another change, and so another line.
    fn begins(&self, what: &What, step: &Step) -> bool {
        let Some(last) = self.steps.last() else { return false };
        match what {
            What::Queued { .. }
            | What::Merged { .. }
            | What::Dropped { .. }
            | What::Notified { .. }
            | What::Coalesced { .. }
            | What::Replaced { .. } => false,
            What::Popped { .. } => {
                !matches!(last.verb.1, "queued" | "merged") || !step.keys.iter().all(|key| self.keys.contains(key))
            }
            What::Stored { .. } | What::Removed { .. } => last.verb.1 == "notified",
            _ => true,
        }
    }
}

/// Returns true if the change has no further steps. Its line is then shown at once, which matters in a live run.
fn is_last(what: &What, after: &Pipeline) -> bool {
    match what {
        What::Stored { .. } | What::Removed { .. } | What::Replaced { .. } => {
            after.listeners.is_empty() && after.in_hand.len() <= 1
        }
        What::Dropped { .. } | What::Watching { .. } | What::WatchFailed { .. } | What::ListFailed { .. } => true,
        _ => false,
    }
}

impl Step {
    fn new(group: &'static str, en: impl Into<String>, zh: impl Into<String>) -> Self {
        let note = (String::new(), String::new());
        Self {
            verb: (en.into(), group),
            verb_zh: zh.into(),
            keys: Vec::new(),
            note,
            named: true,
            decides: false,
            handlers: BTreeMap::new(),
        }
    }

    fn of(mut self, key: &str) -> Self {
        self.keys = vec![key.to_owned()];
        self
    }

    fn note(mut self, en: String, zh: String) -> Self {
        self.note = (en, zh);
        self
    }

    fn decisive_note(self, en: String, zh: String) -> Self {
        Self { decides: true, ..self.note(en, zh) }
    }

    /// Returns the kind of the step, which is the same for every object.
    fn kind(&self) -> String {
        if self.decides { format!("{}{}", self.verb.0, self.note.0) } else { self.verb.0.clone() }
    }

    fn en(&self) -> String {
        match self.counts() {
            Some(count) => {
                let (notifications, handlers) = (plural("notification", count), plural("handler", self.handlers.len()));
                let [numbers, waiting] = self.handlers(", ");
                format!("{count} {notifications} for {handlers} {numbers} ({waiting} waiting)")
            }
            None => format!("{}{}{}", self.verb.0, self.objects(", "), self.note.0),
        }
    }

    fn zh(&self) -> String {
        match self.counts() {
            Some(count) => {
                let [numbers, waiting] = self.handlers("、");
                format!("给 handler {numbers} 的 {count} 个通知（在等：{waiting}）")
            }
            None => format!("{}{}{}", self.verb_zh, self.objects("、"), self.note.1),
        }
    }

    /// Returns the number of notifications, if the step is about notifications.
    fn counts(&self) -> Option<usize> {
        (self.verb.1 == "notified").then_some(self.keys.len())
    }

    /// Returns the numbers of the notified handlers, and how many notifications wait for each.
    fn handlers(&self, between: &str) -> [String; 2] {
        let joined = |numbers: Vec<String>| numbers.join(between);
        [
            joined(self.handlers.keys().map(ToString::to_string).collect()),
            joined(self.handlers.values().map(ToString::to_string).collect()),
        ]
    }

    fn objects(&self, between: &str) -> String {
        match &self.keys[..] {
            [] => String::new(),
            [key] if self.named && !key.is_empty() => format!(" {}", short(key)),
            [_] => String::new(),
            keys if keys.len() <= 3 && self.named => {
                format!(" {}", keys.iter().map(|key| short(key)).collect::<Vec<_>>().join(between))
            }
            keys => format!(" ×{}", keys.len()),
        }
    }
}

/// Returns the step that describes an event, or `None` for an event that the explainer leaves out.
fn step(record: &Record, after: &Pipeline) -> Option<Step> {
    let waiting = || (format!(" ({} waiting)", after.queue.len()), format!("（{} 个在等）", after.queue.len()));
    Some(match &record.what {
        What::Watched { kind, key, resource_version } => {
            Step::new("watch", format!("watch {kind}"), format!("watch {kind}"))
                .of(key)
                .note(format!(" {}", short_version(resource_version)), format!(" {}", short_version(resource_version)))
        }
        What::Listed { resource_version, objects } => {
            let verb = if record.cause == Some(Cause::Relist) { "relist" } else { "list" };
            let (number, version) = (objects.len(), short_version(resource_version));
            Step::new("list", verb, verb)
                .note(format!(" at {version}: {number} objects"), format!("（版本 {version}）：{number} 个对象"))
        }
        What::ListFailed { .. } => Step::new("list", "list failed", "list 失败"),
        What::Watching { resource_version } => {
            let (from, from_zh) = match resource_version.as_str() {
                // A streaming list sends the existing objects first.
                "" => (", which sends first what there is".to_owned(), "，先送来已有的对象".to_owned()),
                version => {
                    let version = short_version(version);
                    (format!(" from {version}"), format!("，从 {version} 开始"))
                }
            };
            Step::new("watch", "watch opened", "打开 watch").note(from, from_zh)
        }
        What::WatchFailed { .. } => Step::new("watch", "watch broken", "watch 中断"),
        What::Relisting { reason } => Step::new("list", "relist", "relist")
            .decisive_note(format!(", because {}", reason_en(reason)), format!("，原因：{}", reason_zh(reason))),
        What::Queued { key, delta, .. } => {
            let (mark, mark_zh) = if delta.tombstone { (" (tombstone)", "（tombstone）") } else { ("", "") };
            let (en, zh) = waiting();
            let name = &delta.delta;
            Step::new("queued", format!("queued {name}{mark}"), format!("入队 {name}{mark_zh}")).of(key).note(en, zh)
        }
        What::Merged { key } => Step::new("merged", "deduped", "合并重复的删除").of(key),
        What::Dropped { key, .. } => Step::new("dropped", "DROPPED", "被丢弃").of(key),
        What::Popped { key, deltas, .. } => {
            let several = if deltas.len() > 1 { names(deltas) } else { String::new() };
            let several_zh = several.clone();
            Step::new("popped", "popped", "pop").of(key).decisive_note(several, several_zh)
        }
        What::Stored { key, old, resource_version, .. } => match old {
            Some(old) if old == resource_version => {
                Step::new("stored", "stored, unchanged", "存入 store（与原来相同）").of(key)
            }
            _ => Step::new("stored", "stored", "存入 store").of(key),
        },
        What::Removed { key, old: Some(_), .. } => {
            Step::new("removed", "removed from the store", "从 store 移除").of(key)
        }
        What::Removed { key, old: None, .. } => Step::new("removed", "not in the store", "store 里没有").of(key),
        What::Replaced { objects, .. } => {
            let number = objects.len();
            Step::new("stored", "store replaced", "替换 store")
                .note(format!(": {number} objects"), format!("：{number} 个对象"))
        }
        What::Joined { listener, existing: 0, .. } => {
            Step::new("joined", format!("handler {listener} joins"), format!("加入 handler {listener}"))
        }
        What::Joined { listener, existing, .. } => {
            Step::new("joined", format!("handler {listener} joins"), format!("加入 handler {listener}"))
                .note(format!(", {existing} objects first"), format!("，先给 {existing} 个对象"))
        }
        What::Notified { listener, key, pending, .. } | What::Coalesced { listener, key, pending, .. } => {
            let handlers = BTreeMap::from([(*listener, *pending)]);
            Step { handlers, ..Step::new("notified", "notified", "通知").of(key) }
        }
        What::Resynced {} => {
            let at = record.at.as_secs_f64();
            Step::new("resync", "resync", "resync").note(format!(" at {at:.1} s"), format!("，第 {at:.1} 秒"))
        }
        _ => return None,
    })
}

/// Describes the reason for a relist. The reason is the text of an error, which begins with the request that failed.
pub(super) fn reason_en(reason: &str) -> String {
    match reason.split_whitespace().take(2).collect::<Vec<_>>()[..] {
        ["cannot", "list"] => "the LIST failed".to_owned(),
        ["cannot", "watch"] => "the WATCH failed".to_owned(),
        _ => format!("the server says: {reason}"),
    }
}

pub(super) fn reason_zh(reason: &str) -> &str {
    match reason.split_whitespace().take(2).collect::<Vec<_>>()[..] {
        ["cannot", "list"] => "LIST 失败",
        ["cannot", "watch"] => "WATCH 失败",
        ["very", "short"] => "watch 不到一秒就结束，没有一个事件",
        _ => reason,
    }
}

fn plural(noun: &str, count: usize) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}

fn names(deltas: &[WaitingDelta]) -> String {
    format!(" [{}]", deltas.iter().map(|delta| delta.delta.as_str()).collect::<Vec<_>>().join(", "))
}
