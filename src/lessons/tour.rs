//! `informer-lab tour`: runs every lesson in turn. A stop of the tour is a row of the catalog, in the order of the book.
//! On a terminal the tour pauses after each stop, obeys keys at any time, and remembers the stop at which the reader
//! left. In a pipe it shows the tutorials' runs one after the other.

mod bookmark;
mod command;
mod guide;

use std::io::{self, IsTerminal};

use anyhow::Result;

use self::bookmark::Bookmark;
use self::guide::Guide;
use super::catalog::{Origin, Row, rows_by_chapter};
use crate::console::{Console, Ended, show as show_page};
use crate::lab::Settings;
use crate::trace::{Failure, Printer, Speed};

/// The options of the tour.
#[derive(Clone, Copy, Debug)]
pub struct TourSettings {
    /// The stop to begin with; `None` for the first one.
    pub first: Option<FirstStop>,
    /// The stops of a tour without pauses.
    pub length: TourLength,
}

/// The stop to begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstStop {
    /// The stop at this place in [`learners_stops`].
    At(usize),
    /// The stop at which the reader left.
    Bookmark,
}

/// The stops of a tour without pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourLength {
    /// The tutorials' runs.
    Documents,
    /// All runs that end by themselves.
    All,
}

/// Returns the stops of a tour with pauses: all runs that end by themselves, in the order of the book. The number of a
/// stop is its place here, counted from 1.
pub fn learners_stops() -> Vec<&'static Row> {
    rows_by_chapter().into_iter().filter(|row| row.trace.is_some()).collect()
}

/// Returns the stops of a tour without pauses, in the same order.
pub fn stops(length: TourLength) -> Vec<&'static Row> {
    learners_stops().into_iter().filter(|row| is_in(row, length)).collect()
}

fn is_in(row: &Row, length: TourLength) -> bool {
    length == TourLength::All || row.is_of_the_tutorials()
}

/// Finds a stop by its number, its command, or the name of a lesson. Returns its place in [`learners_stops`].
///
/// # Errors
/// The name of a lesson that the user may have meant, if there is one.
pub fn find_stop(text: &str) -> Result<usize, Option<&'static str>> {
    let stops = learners_stops();
    let wanted = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if let Ok(number) = wanted.parse::<usize>() {
        return number.checked_sub(1).filter(|place| *place < stops.len()).ok_or(None);
    }
    let of_command = stops.iter().position(|row| row.command == wanted);
    let of_lesson = || stops.iter().position(|row| row.lesson_name() == wanted);
    of_command.or_else(of_lesson).ok_or_else(|| similar(&stops, &wanted))
}

fn similar(stops: &[&'static Row], wanted: &str) -> Option<&'static str> {
    let likeness = |row: &Row| strsim::jaro_winkler(row.lesson_name(), wanted);
    let best = stops.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(best) > 0.75).then(|| best.lesson_name())
}

/// Runs the tour.
///
/// # Errors
/// The tour has no such stop in a pipe; the bookmark cannot be read; otherwise the same as [`Row::run`].
pub fn run(settings: &TourSettings, console: &Console) -> Result<Ended> {
    let first = match settings.first {
        None => None,
        Some(FirstStop::At(place)) => Some(place),
        Some(FirstStop::Bookmark) => Some(bookmarked(&console.printer)?),
    };
    // The tour pauses and asks only if the user can answer, and has not asked for full speed.
    let on_terminal = Printer::on_terminal() && io::stderr().is_terminal() && io::stdin().is_terminal();
    if console.speed != Speed::Max && on_terminal {
        return Guide::begin(console)?.lead(first);
    }
    without_pauses(first, settings.length, console)
}

/// Returns the stop at which the reader left, or the first one.
fn bookmarked(printer: &Printer) -> Result<usize> {
    if let Some(place) = Bookmark::open()?.place()? {
        return Ok(place);
    }
    printer.notice("there is no unfinished tour: this one begins at stop 1", "之前没有中途离开的 tour：从第 1 站开始");
    Ok(0)
}

fn without_pauses(first: Option<usize>, length: TourLength, console: &Console) -> Result<Ended> {
    let stops = learners_stops();
    if let Some(place) = first
        && !is_in(stops[place], length)
    {
        let (number, command) = (place + 1, stops[place].command);
        let sentence = (
            format!(
                "stop {number}, {command}, is beyond the tutorials, and a tour without pauses shows only the tutorials' lessons"
            ),
            format!("第 {number} 站 {command} 不在教程里，而不停顿的 tour 只有教程里的课程"),
        );
        let next = ("add --all, which includes the lessons beyond the tutorials", "加上 --all，包括教程之外的课程");
        return Err(Failure::new(sentence).next(next).into());
    }
    for (place, row) in stops.iter().enumerate().skip(first.unwrap_or_default()).filter(|(_, row)| is_in(row, length)) {
        announce(place, stops.len(), row, &console.printer);
        let ended = row.run(&Settings::default(), console)?;
        if ended != Ended::Done {
            return Ok(ended);
        }
    }
    Ok(Ended::Done)
}

/// Prints the heading of a stop: its number, its chapter, its command, and the tutorials' command.
fn announce(place: usize, count: usize, row: &Row, printer: &Printer) {
    let go = match row.origin {
        Origin::Program(go) => format!("  ({go})"),
        Origin::Step | Origin::Beyond => String::new(),
    };
    let (number, chapter) = (place + 1, row.chapter_number());
    let chapter = printer.pick(&format!("chapter {chapter}"), &format!("第 {chapter} 章")).to_owned();
    printer.heading(&format!("{number}/{count} · {chapter} · informer-lab {}{go}", row.command));
    printer.notice(row.en, row.zh);
}

/// Prints the list of stops, with a mark at the one where the reader left.
///
/// # Errors
/// Standard output cannot be written.
pub fn list(console: &Console) -> Result<Ended> {
    let printer = &console.printer;
    let here = Bookmark::open().and_then(|bookmark| bookmark.place()).ok().flatten();
    let mut text = printer.labelled(
        "",
        printer.pick(
            "The stops of the tour: number, chapter, lesson. informer-lab tour NUMBER or\n\
             informer-lab tour LESSON begins there. informer-lab tour resume goes on at\n\
             the mark >.",
            "tour 的各站：编号、章、课程。用 informer-lab tour 编号 或 informer-lab tour 课程 从那一站开始，\n\
             informer-lab tour resume 从标有 > 的一站继续。",
        ),
    );
    text.push('\n');
    let stops = learners_stops();
    let width = stops.iter().map(|row| row.command.len()).max().unwrap_or_default();
    for (place, row) in stops.into_iter().enumerate() {
        let mark = if here == Some(place) { '>' } else { ' ' };
        let (number, chapter) = (place + 1, row.chapter_number());
        let label = format!("{mark} {number:2}  {chapter}  {:width$}  ", row.command);
        text += &printer.labelled(&label, printer.pick(row.en, row.zh));
    }
    show_page(&text, console)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_has_a_number_a_command_and_the_name_of_its_lesson() {
        let stops = learners_stops();
        assert_eq!(find_stop("1"), Ok(0));
        assert_eq!(find_stop(&stops.len().to_string()), Ok(stops.len() - 1));
        for text in ["loop", "Loop", "reflector", "reflector  --known-objects"] {
            let place = find_stop(text).unwrap();
            let wanted = text.to_lowercase().replace("  ", " ");
            assert_eq!(stops[place].command, wanted, "{text}");
        }
        assert_eq!(find_stop("reflektor"), Err(Some("reflector")));
        assert_eq!(find_stop("indexer --serve"), Err(Some("indexer")), "a server does not end by itself");
        for text in ["0", "999", "-1", "xyz", ""] {
            assert_eq!(find_stop(text), Err(None), "{text}");
        }
    }
}
