//! Draws one frame of step mode, the screen at one event. The box that the event changed is marked.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Widget, Wrap};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::run_parts::none_text;
use super::session::Session;
use crate::trace::Lang;
use crate::trace::{InWork, Pipeline, QueuedNotification, Record, WaitingDelta, What, Work, hanging, short};

/// Draws the session's current event.
pub fn draw(session: &Session, area: Rect, buffer: &mut Buffer) {
    let Some(record) = session.record() else { return };
    let picture = session.picture();
    let kind = shown_kind(session, record);
    let pipeline = picture.pipeline_of(kind.as_deref());
    let parts = session.parts(kind.as_deref());
    let boxes = box_height(area.height);
    let heights = [1, boxes, boxes, 1, REMARK_LINES, 1].map(Constraint::Length);
    let [title, upper, lower, _, _, _] = Layout::vertical(heights).areas(area);
    let rest = Rect { y: lower.bottom(), height: area.bottom().saturating_sub(lower.bottom()), ..area };
    let [trace, remarks, keys] =
        Layout::vertical([Constraint::Min(1), Constraint::Length(REMARK_LINES), Constraint::Length(1)]).areas(rest);
    Paragraph::new(title_line(session, record, title.width.into())).style(Modifier::BOLD).render(title, buffer);
    let [server, queue] = Layout::horizontal([Constraint::Percentage(35), Constraint::Percentage(65)]).areas(upper);
    let shares: &[u16] = if parts.work { &[34, 33, 33] } else { &[50, 50, 0] };
    let [store, handlers, work] = Layout::horizontal(shares.iter().copied().map(Constraint::Percentage)).areas(lower);
    let changed = FrameBox::of(&record.what);
    let about = record.what.key().map(short); // the object whose line must stay visible
    let inside = |area: Rect| usize::from(area.width.saturating_sub(2));
    let shown = |name, lines, there: bool, part, area, buffer: &mut Buffer| {
        let lines = match part {
            _ if there => lines,
            FrameBox::Handlers => parts.no_handlers(session.lang),
            _ => vec![none_text(session.lang)],
        };
        boxed(name, lines, about.filter(|_| changed == part), changed == part, area, buffer);
    };
    shown("API server", server_lines(pipeline, inside(server)), parts.server, FrameBox::Server, server, buffer);
    let name = parts.queue.as_deref().unwrap_or("queue");
    shown(name, queue_lines(pipeline, inside(queue)), parts.queue.is_some(), FrameBox::Queue, queue, buffer);
    shown("Indexer (store)", store_lines(pipeline, inside(store)), parts.has_store(), FrameBox::Store, store, buffer);
    let lines = handler_lines(pipeline, inside(handlers));
    shown("Processor (handlers)", lines, parts.handlers, FrameBox::Handlers, handlers, buffer);
    if parts.work {
        let lines = [worker_lines(&picture.work), work_lines(&picture.work)].concat();
        shown("work queue (workers)", lines, true, FrameBox::Work, work, buffer);
    }
    Paragraph::new(last_printed(session, trace)).render(trace, buffer);
    Paragraph::new(remark_lines(session)).style(Modifier::BOLD).wrap(Wrap { trim: true }).render(remarks, buffer);
    Paragraph::new(session.lang.pick(
        "Enter next  ? help  q quit  b back  n same  / find  g G ends",
        "回车 前进  ? 按键  q 退出  b 返回  n 同类  / 查找  g G 首尾",
    ))
    .render(keys, buffer);
}

const REMARK_LINES: u16 = 4;

/// Returns the height of each of the two rows of boxes, which take a little more than half of the screen.
fn box_height(screen: u16) -> u16 {
    (screen.saturating_sub(REMARK_LINES + 2) * 2 / 5).clamp(5, 12)
}

/// A box of the frame. `Nothing` stands for an event that changes no box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameBox {
    Server,
    Queue,
    Store,
    Handlers,
    Work,
    Nothing,
}

impl FrameBox {
    /// Returns the box that an event changes.
    fn of(what: &What) -> Self {
        match what {
            What::Committed { .. } => Self::Server,
            What::Queued { .. } | What::Merged { .. } | What::Dropped { .. } | What::Popped { .. } => Self::Queue,
            What::Stored { .. } | What::Removed { .. } | What::Replaced { .. } => Self::Store,
            What::Joined { .. }
            | What::Notified { .. }
            | What::Coalesced { .. }
            | What::Calling { .. }
            | What::Called { .. } => Self::Handlers,
            what if what.is_of_work() => Self::Work,
            _ => Self::Nothing,
        }
    }
}

/// Returns the kind of object that the frame shows: the event's, or that of the last event with a kind; at the
/// beginning, that of the next.
pub(super) fn shown_kind(session: &Session, record: &Record) -> Option<String> {
    let earlier = || session.records.iter().take(session.at).rev().find_map(|record| record.of.clone());
    let later = || session.records.iter().skip(session.at).find_map(|record| record.of.clone());
    record.of.clone().or_else(earlier).or_else(later)
}

/// Returns the heading, with the score at the right end. If both do not fit, the heading is cut.
fn title_line(session: &Session, record: &Record, width: usize) -> String {
    let score = match session.score {
        (_, 0) => String::new(),
        (right, all) => format!("  {right}/{all}"),
    };
    let room = width.saturating_sub(score.width());
    let full_heading = heading(session, record);
    let heading = match record.what.key() {
        Some(key) if full_heading.width() > room => full_heading.replacen(key, short(key), 1),
        _ => full_heading,
    };
    let heading = cut(&heading, room);
    let space = room.saturating_sub(heading.width());
    format!("{heading}{:space$}{score}", "")
}

pub(super) fn heading(session: &Session, record: &Record) -> String {
    let position = format!("{}/{}", session.at + 1, session.records.len());
    let what = match &record.what {
        What::Watched { kind, resource_version, .. } => {
            format!("{} {kind} {resource_version}", session.lang.pick("watched", "收到"))
        }
        What::Queued { delta, .. } => {
            let tombstone = if delta.tombstone { session.lang.pick(" (tombstone)", "（tombstone）") } else { "" };
            format!("{} {}{tombstone}", session.lang.pick("queued", "入队"), delta.delta)
        }
        what => event_name(what, session.lang).to_owned(),
    };
    let key = record.what.key().map(|key| format!(" {key}")).unwrap_or_default();
    let cause = record.cause.map(|cause| {
        let (en, zh) = cause.words();
        format!("  [{}]", session.lang.pick(en, zh))
    });
    format!("{position}  {} ms  {what}{key}{}", record.at.as_millis(), cause.unwrap_or_default())
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

fn event_name(what: &What, lang: Lang) -> &'static str {
    let name = what.name();
    NAMES.iter().find(|(of, ..)| *of == name).map_or(name, |(_, en, zh)| lang.pick(en, zh))
}

/// Draws a box with as many lines as fit, and the line of the event's object among them.
fn boxed(name: &str, lines: Vec<String>, about: Option<&str>, changed: bool, area: Rect, buffer: &mut Buffer) {
    let fits = name.width() + 4 <= usize::from(area.width);
    let name = if fits { name } else { name.split(" (").next().unwrap_or(name) };
    let title = if changed { format!("*{name}*") } else { name.to_owned() };
    let style = if changed { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    let room = usize::from(area.height.saturating_sub(2));
    let mut shown = lines;
    if shown.len() > room {
        let fits = room.saturating_sub(1);
        let left_out = shown.len() - fits;
        let hidden = shown.iter().skip(fits).find(|line| about.is_some_and(|about| line_names(line, about))).cloned();
        shown.truncate(fits);
        if let (Some(line), Some(last)) = (hidden, shown.last_mut()) {
            *last = line;
        }
        shown.push(format!("… +{left_out}"));
    }
    let lines: Vec<Line<'_>> = shown.into_iter().map(Line::from).collect();
    Paragraph::new(lines).block(Block::bordered().title(title).border_style(style)).render(area, buffer);
}

/// Returns true if a line of a box begins with this object's name, or with its cut form.
fn line_names(line: &str, name: &str) -> bool {
    let cut = line.split_once('…').map(|(begins, _)| begins).filter(|begins| !begins.is_empty());
    cut.is_some_and(|begins| name.starts_with(begins))
        || line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', ':']))
}

pub(super) fn server_lines(pipeline: &Pipeline, width: usize) -> Vec<String> {
    pipeline.server.iter().map(|(key, version)| object(key, version, width)).collect()
}

/// Formats an object with its version. A long name is cut, because the version is the part that changes.
fn object(key: &str, version: &str, width: usize) -> String {
    format!("{} {version}", cut(short(key), width.saturating_sub(version.width() + 1)))
}

fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let fits = |c: &char| {
        let left = room.checked_sub(c.width().unwrap_or_default());
        room = left.unwrap_or_default();
        left.is_some()
    };
    let begins: String = text.chars().take_while(fits).collect();
    format!("{begins}…")
}

/// Formats the slots of the queue. `†` marks a tombstone.
pub(super) fn queue_lines(pipeline: &Pipeline, width: usize) -> Vec<String> {
    let delta = |delta: &WaitingDelta| {
        let version = delta.resource_version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        let mark = if delta.tombstone { "†" } else { "" };
        format!("{}{mark}{version}", delta.delta)
    };
    let slots = pipeline.queue.iter().map(|slot| {
        let deltas: Vec<String> = slot.deltas.iter().map(delta).collect();
        let deltas = format!(": [{}]", deltas.join(", "));
        format!("{}{deltas}", cut(short(&slot.key), width.saturating_sub(deltas.width()).max(8)))
    });
    slots.collect()
}

/// Formats the objects of the store, and then the keys of each indexed value.
pub(super) fn store_lines(pipeline: &Pipeline, width: usize) -> Vec<String> {
    let objects = pipeline.store.iter().map(|(key, version)| object(key, version, width));
    let sets = pipeline.indices.iter().flat_map(|(index, sets)| {
        sets.iter().map(move |(value, keys)| {
            let keys: Vec<&str> = keys.iter().map(|key| short(key)).collect();
            format!("{index}/{value}: {}", keys.join(" "))
        })
    });
    objects.chain(sets).collect()
}

/// Formats the handlers: the notifications that wait in the buffer, and behind `▶` the one that is being handled.
pub(super) fn handler_lines(pipeline: &Pipeline, width: usize) -> Vec<String> {
    let line = |queued: &QueuedNotification| format!("{} {}", queued.notification, short(&queued.key));
    let handlers = pipeline.listeners.iter().map(|(id, listener)| {
        let pending: Vec<String> = listener.pending.iter().map(line).collect();
        let in_hand = listener.in_hand.as_ref().map(|hand| format!(" ▶ {}", line(hand))).unwrap_or_default();
        let line = format!("{id}: [{}]{in_hand}", pending.join(", "));
        match line.width() <= width {
            true => line,
            // Too long: show the number of waiting notifications instead, and keep the one in hand visible.
            false => cut(&format!("{id}: [… {}]{in_hand}", pending.len()), width),
        }
    });
    handlers.collect()
}

/// Formats the queued keys, and the delayed keys with the time of the run at which they are added.
pub(super) fn work_lines(work: &Work) -> Vec<String> {
    let queued = work.queued.iter().map(|key| short(key).to_owned());
    let delayed = work.delayed.iter().map(|(due, key)| format!("{} @{} ms", short(key), due.as_millis()));
    queued.chain(delayed).collect()
}

/// Formats the keys that workers are processing. A key that was added again meanwhile is marked, because it will be
/// queued again.
pub(super) fn worker_lines(work: &Work) -> Vec<String> {
    let line = |InWork { key, again }: &InWork| format!("▶ {}{}", short(key), if *again { " ↻" } else { "" });
    work.processing.iter().map(line).collect()
}

fn last_printed(session: &Session, area: Rect) -> Vec<Line<'static>> {
    let until_now = session.records.iter().take(session.at + 1);
    let printed = until_now.rev().filter_map(|record| match &record.what {
        What::Line { text, .. } => Some(hanging(text, usize::from(area.width)).into_iter().rev()),
        _ => None,
    });
    let mut lines: Vec<_> = printed.flatten().take(usize::from(area.height)).map(Line::from).collect();
    lines.reverse();
    lines
}

/// Returns the help of the keys, or the open question, or the remarks on the event.
fn remark_lines(session: &Session) -> Vec<Line<'static>> {
    if session.helps {
        let text = session.lang.pick("Enter or → the next event · b or ← back · n the next event of this kind · / search a key · g first, G last · y/n answer · q quit",
            "回车或 → 下一个事件 · b 或 ← 返回 · n 下一个同类事件\n/ 按 key 查找 · g 第一个 · G 最后一个 · y/n 回答 · q 退出",
        );
        return text.lines().map(|line| Line::from(line.to_owned())).collect();
    }
    let mut lines: Vec<String> = Vec::new();
    if let Some(question) = session.question() {
        lines.push(format!("? {}", session.lang.pick(&question.text.0, &question.text.1)));
    } else {
        lines.extend(session.verdict.clone());
        lines.extend(session.narration());
        if lines.is_empty() && session.record().is_some_and(|record| matches!(record.what, What::Line { .. })) {
            let last = session
                .lang
                .pick("The lesson prints a line: the last one above.", "本课打印了一行，就是上面最后一行。");
            lines.push(last.to_owned());
        }
    }
    lines.into_iter().map(Line::from).collect()
}
