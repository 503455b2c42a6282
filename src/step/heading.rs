//! The heading of a frame: its number, the time, the event with its object and cause, and the score.

use unicode_width::UnicodeWidthStr;

use super::fit::cut;
use super::session::Session;
use crate::trace::{Lang, Record, What, short};

/// Returns the heading, with the score at the right end. If both do not fit, the heading is cut.
pub(super) fn title_line(session: &Session, record: &Record, width: usize) -> String {
    let score = match session.score {
        (_, 0) => String::new(),
        (right, all) => format!("  {right}/{all}"),
    };
    let room = width.saturating_sub(score.width());
    let (number, frames) = session.position();
    let full_heading = format!("{number}/{frames}  {}", heading(record, session.lang));
    let heading = match record.what.key() {
        Some(key) if full_heading.width() > room => full_heading.replacen(key, short(key), 1),
        _ => full_heading,
    };
    let heading = cut(&heading, room);
    let space = room.saturating_sub(heading.width());
    format!("{heading}{:space$}{score}", "")
}

/// Returns the heading without the number of the frame. The player has the same.
pub(super) fn heading(record: &Record, lang: Lang) -> String {
    let what = match &record.what {
        What::Watched { kind, resource_version, .. } => {
            format!("{} {kind} {resource_version}", lang.pick("watched", "收到"))
        }
        What::Queued { delta, .. } => {
            let tombstone = if delta.tombstone { lang.pick(" (tombstone)", "（tombstone）") } else { "" };
            format!("{} {}{tombstone}", lang.pick("queued", "入队"), delta.delta)
        }
        what => event_name(what, lang).to_owned(),
    };
    let key = record.what.key().map(|key| format!(" {key}")).unwrap_or_default();
    let cause = record.cause.map(|cause| {
        let (en, zh) = cause.words();
        format!("  [{}]", lang.pick(en, zh))
    });
    format!("{} ms  {what}{key}{}", record.at.as_millis(), cause.unwrap_or_default())
}

/// The names of events in headings, by the event's name in a record. The player has the same table.
pub const NAMES: [(&str, &str, &str); 29] = [
    ("run", "start", "开始"),
    ("printed", "printed", "打印"),
    ("narrated", "narration", "旁白"),
    ("committed", "committed", "写入"),
    ("listed", "listed", "list 返回"),
    ("list_failed", "list failed", "list 失败"),
    ("watching", "watch opened", "打开 watch"),
    ("watched", "watched", "收到"),
    ("watch_failed", "watch broken", "watch 中断"),
    ("relisting", "relist", "relist"),
    ("queued", "queued", "入队"),
    ("merged", "merged", "合并重复的删除"),
    ("dropped", "dropped", "丢弃"),
    ("popped", "popped", "pop"),
    ("stored", "stored", "存入 store"),
    ("removed", "removed from the store", "从 store 移除"),
    ("replaced", "store replaced", "替换 store"),
    ("joined", "handler joins", "加入 handler"),
    ("notified", "notified", "通知 handler"),
    ("coalesced", "coalesced", "合并通知"),
    ("calling", "calling the handler", "调用 handler"),
    ("called", "handler returned", "handler 返回"),
    ("resynced", "resync", "resync"),
    ("synced", "HasSynced", "HasSynced"),
    ("work_added", "added to the work queue", "加入 work queue"),
    ("work_taken", "worker took", "worker 取走"),
    ("work_done", "worker is done with", "worker 完成"),
    ("work_delayed", "delayed", "延后加入"),
    ("unknown", "unknown event", "未知事件"),
];

/// Returns the name of an event in headings.
pub(super) fn event_name(what: &What, lang: Lang) -> &'static str {
    let name = what.name();
    NAMES.iter().find(|(of, ..)| *of == name).map_or(name, |(_, en, zh)| lang.pick(en, zh))
}
