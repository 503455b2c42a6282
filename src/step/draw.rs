//! Draws one frame of step mode, the screen at one event. The box that the event changed is marked.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Widget, Wrap};
use unicode_width::UnicodeWidthStr;

use super::box_content::BoxContent;
use super::fit::cut;
use super::run_parts::none_text;
use super::session::Session;
use crate::trace::Lang;
use crate::trace::{Record, What, hanging, short};

/// Draws the session's current event.
pub fn draw(session: &Session, area: Rect, buffer: &mut Buffer) {
    let Some(record) = session.record() else { return };
    let picture = session.picture();
    let kind = session.kind();
    let pipeline = picture.pipeline_of(kind);
    let parts = session.parts(kind);
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
    let about = record.what.key(); // the object whose line must stay visible
    let shown = |name, part, content: BoxContent<'_>, there: bool, area: Rect, buffer: &mut Buffer| {
        let lines = match part {
            _ if there => content.lines(about.filter(|_| changed == part), inside(area)),
            FrameBox::Handlers => parts.no_handlers(session.lang),
            _ => vec![none_text(session.lang)],
        };
        boxed(name, lines, changed == part, area, buffer);
    };
    shown("API server", FrameBox::Server, BoxContent::Server(pipeline), parts.server, server, buffer);
    let name = parts.queue.as_deref().unwrap_or("queue");
    shown(name, FrameBox::Queue, BoxContent::Queue(pipeline), parts.queue.is_some(), queue, buffer);
    shown("Indexer (store)", FrameBox::Store, BoxContent::Store(pipeline), parts.has_store(), store, buffer);
    shown("Processor (handlers)", FrameBox::Handlers, BoxContent::Handlers(pipeline), parts.handlers, handlers, buffer);
    if parts.work {
        shown("work queue (workers)", FrameBox::Work, BoxContent::Work(&picture.work), true, work, buffer);
    }
    Paragraph::new(last_printed(session, trace)).render(trace, buffer);
    let remark_room = usize::from(remarks.width) * usize::from(remarks.height);
    Paragraph::new(remark_lines(session, remark_room))
        .style(Modifier::BOLD)
        .wrap(Wrap { trim: true })
        .render(remarks, buffer);
    Paragraph::new(session.lang.pick(
        "Enter next  ? help  q quit  b back  n same  / find  g G ends",
        "回车 前进  ? 按键  q 退出  b 返回  n 同类  / 查找  g G 首尾",
    ))
    .render(keys, buffer);
}

/// The height of the remarks, in lines.
const REMARK_LINES: u16 = 4;

/// Returns the height of each of the two rows of boxes, which take a little more than half of the screen.
fn box_height(screen: u16) -> u16 {
    (screen.saturating_sub(REMARK_LINES + 2) * 2 / 5).clamp(5, 12)
}

/// A box of the frame. `Nothing` is the box of an event that changes none.
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

/// Returns the columns and lines inside the border of a box.
fn inside(area: Rect) -> (usize, usize) {
    (usize::from(area.width.saturating_sub(2)), usize::from(area.height.saturating_sub(2)))
}

/// Draws a box with these lines.
fn boxed(name: &str, lines: Vec<String>, changed: bool, area: Rect, buffer: &mut Buffer) {
    let name = cut(name, area.width.into());
    let fits = name.width() + 4 <= usize::from(area.width);
    let name = if fits { name.as_str() } else { name.split(" (").next().unwrap_or(&name) };
    let title = if changed { format!("*{name}*") } else { name.to_owned() };
    let style = if changed { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    let lines: Vec<Line<'_>> = lines.into_iter().map(Line::from).collect();
    Paragraph::new(lines).block(Block::bordered().title(title).border_style(style)).render(area, buffer);
}

/// Returns as many of the newest trace lines as fit. Of a line that is longer than all the room, the beginning is shown.
fn last_printed(session: &Session, area: Rect) -> Vec<Line<'static>> {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let printed = session.printed_so_far().rev().flat_map(|text| {
        let mut lines = hanging(&cut(text, width * height), width);
        lines.truncate(height);
        lines.into_iter().rev()
    });
    let mut lines: Vec<_> = printed.take(height).map(Line::from).collect();
    lines.reverse();
    lines
}

/// Returns the lines below the trace: the help of the keys, or the open question, or the remarks on the event. Together
/// they take about as many columns as there is `room` for.
fn remark_lines(session: &Session, room: usize) -> Vec<Line<'static>> {
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
    let lines = lines.iter().flat_map(|text| text.split('\n')).take(REMARK_LINES.into());
    lines.map(|line| Line::from(cut(line, room))).collect()
}
