//! Draws one frame of step mode, the screen at one event. The boxes that the event changed are marked.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Widget, Wrap};
use unicode_width::UnicodeWidthStr;

use super::box_content::BoxContent;
use super::fit::cut;
use super::frame_box::{FrameBox, ROWS};
use super::heading::title_line;
use super::ink::Ink;
use super::remarks::{key_line, remark_lines};
use super::session::Session;
use crate::trace::{Style as TraceStyle, hanging};

/// The height of the remarks, in lines, while no question is open.
const REMARK_LINES: u16 = 4;

/// The heights of the rows of boxes, in lines: enough for a border and three lines, and at most this.
const BOX_LINES: std::ops::RangeInclusive<u16> = 5..=12;

/// Draws the session's current event.
pub fn draw(session: &Session, area: Rect, buffer: &mut Buffer) {
    let Some(record) = session.record() else { return };
    let rows = rows(session);
    let box_lines = box_lines(area.height, rows.len());
    let heights = std::iter::once(1).chain(rows.iter().map(|_| box_lines)).map(Constraint::Length);
    let areas = Layout::vertical(heights.chain([Constraint::Min(0)])).split(area);
    let [title, row_areas @ .., rest] = &areas[..] else { return };
    Paragraph::new(title_line(session, record, title.width.into())).style(Modifier::BOLD).render(*title, buffer);
    for (row, area) in rows.iter().zip(row_areas) {
        draw_row(session, row, *area, buffer);
    }
    let remarks = remark_lines(session, rest.width.into(), rest.height.saturating_sub(2).max(REMARK_LINES).into());
    let remark_height = u16::try_from(remarks.len()).unwrap_or(u16::MAX).max(REMARK_LINES);
    let below = [Constraint::Min(1), Constraint::Length(remark_height), Constraint::Length(1)];
    let [trace, remark_area, keys] = Layout::vertical(below).areas(*rest);
    Paragraph::new(last_printed(session, trace)).render(trace, buffer);
    let remarks: Vec<Line<'_>> = remarks.into_iter().map(Line::from).collect();
    Paragraph::new(remarks).style(Modifier::BOLD).render(remark_area, buffer);
    Paragraph::new(key_line(session)).render(keys, buffer);
}

/// Returns the boxes of the parts that the run has, row by row.
fn rows(session: &Session) -> Vec<Vec<(FrameBox, u16)>> {
    let parts = session.run_parts();
    let rows = ROWS.iter().map(|row| row.iter().copied().filter(|(part, _)| part.is_in(&parts)).collect());
    rows.filter(|row: &Vec<_>| !row.is_empty()).collect()
}

/// Returns the height of each row of boxes. Two rows take a little more than half of the screen; a single row leaves
/// more room to the trace.
fn box_lines(screen: u16, rows: usize) -> u16 {
    let room = screen.saturating_sub(REMARK_LINES + 2); // the title and the keys take a line each
    let of_room = match rows {
        0 | 1 => room * 3 / 10,
        2 => room * 2 / 5,
        _ => room * 4 / 15,
    };
    of_room.clamp(*BOX_LINES.start(), *BOX_LINES.end())
}

fn draw_row(session: &Session, row: &[(FrameBox, u16)], area: Rect, buffer: &mut Buffer) {
    let shares = row.iter().map(|(_, share)| Constraint::Fill(*share));
    let areas = Layout::horizontal(shares).split(area);
    for ((part, _), area) in row.iter().zip(areas.iter()) {
        draw_box(session, *part, *area, buffer);
    }
}

fn draw_box(session: &Session, part: FrameBox, area: Rect, buffer: &mut Buffer) {
    let changed = session.record().is_some_and(|record| FrameBox::changed_by(record).contains(&part));
    let title = box_title(&part.title(&session.run_parts(), session.lang), changed, area.width.into());
    let border = if changed { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    let block = Block::bordered().title(title).border_style(border);
    box_text(session, part, changed, inside(area)).block(block).render(area, buffer);
}

/// Returns the content of a box, or a text if it is empty, or if its part is there only for other kinds of objects.
fn box_text(session: &Session, part: FrameBox, changed: bool, room: (usize, usize)) -> Paragraph<'static> {
    let text = |text: String| Paragraph::new(text).wrap(Wrap { trim: true });
    match session.kind() {
        Some(kind) if !part.is_in(&session.parts(Some(kind))) => {
            let kind = cut(kind, room.0);
            return text(session.lang.pick("none of ", "没有 ").to_owned() + &kind);
        }
        _ => {}
    }
    // The object whose line must stay visible.
    let about = session.record().and_then(|record| record.what.key()).filter(|_| changed);
    let lines = BoxContent::of(part, session).lines(about, room);
    if lines.is_empty() {
        return text(part.empty_text(session.lang).to_owned());
    }
    Paragraph::new(lines.into_iter().map(|line| inked(session.ink, part, line)).collect::<Vec<_>>())
}

/// Colours a line of a box: deltas as the trace does, and each handler in its own colour.
fn inked(ink: Ink, part: FrameBox, line: String) -> Line<'static> {
    match part {
        FrameBox::Queue => ink.deltas(line),
        FrameBox::Handlers => match line.split(':').next().map(str::parse) {
            Some(Ok(listener)) => Line::from(line).style(ink.of(TraceStyle::Handler(listener))),
            _ => Line::from(line),
        },
        _ => Line::from(line),
    }
}

/// Marks the title of a changed box. A narrow box has only the first word of its title.
fn box_title(title: &str, changed: bool, width: usize) -> String {
    let title = cut(title, width);
    let fits = title.width() + 4 <= width; // two marks, and two corners of the box
    let title = if fits { title.as_str() } else { title.split([' ', '（']).next().unwrap_or_default() };
    if changed { format!("*{title}*") } else { title.to_owned() }
}

/// Returns the columns and lines inside the border of a box.
fn inside(area: Rect) -> (usize, usize) {
    (usize::from(area.width.saturating_sub(2)), usize::from(area.height.saturating_sub(2)))
}

/// Returns as many of the newest trace lines as fit, in their colours. Of a line that is longer than all the room, the
/// beginning is shown.
fn last_printed(session: &Session, area: Rect) -> Vec<Line<'static>> {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let printed = session.printed_so_far().rev().flat_map(|(style, text)| {
        let mut lines = hanging(&cut(text, width * height), width);
        lines.truncate(height);
        let style = session.ink.of(style);
        lines.into_iter().rev().map(move |line| Line::from(line).style(style))
    });
    let mut lines: Vec<_> = printed.take(height).collect();
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::step::Predict;
    use crate::trace::{Header, Lang, Record, Recorder, What};

    #[test]
    fn a_printed_line_has_the_colour_of_the_trace_if_the_output_has_colours() {
        let mut recorder = Recorder::default();
        let line = What::Line { style: TraceStyle::Added, text: "Added : nettool".to_owned() };
        let texts = [What::Run(Header::new("reflector")), line];
        let records: Vec<Record> = texts.map(|what| recorder.program_text(Duration::ZERO, what)).to_vec();
        let area = Rect::new(0, 0, 80, 24);
        for (ink, colored) in [(Ink::Colors, true), (Ink::Plain, false)] {
            let mut session = Session::new(records.clone(), Predict::No, Lang::En);
            session.ink = ink;
            session.press(crate::step::Key::Forward);
            let mut buffer = Buffer::empty(area);
            draw(&session, area, &mut buffer);
            let cell = area.positions().map(|place| &buffer[place]).find(|cell| cell.symbol() == "A").unwrap();
            let expected = Ink::Colors.of(TraceStyle::Added).fg.unwrap();
            assert_eq!(cell.fg == expected, colored, "{ink:?}: {cell:?}");
        }
    }

    #[test]
    fn a_narrow_title_has_its_first_word() {
        assert_eq!(box_title("Processor ([waiting] ▶ in hand)", true, 40), "*Processor ([waiting] ▶ in hand)*");
        assert_eq!(box_title("Processor ([waiting] ▶ in hand)", false, 20), "Processor");
        assert_eq!(box_title("Processor（[等待] ▶ 处理中）", false, 20), "Processor");
    }
}
