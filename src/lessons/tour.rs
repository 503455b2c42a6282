//! `informer-lab tour`: all programs in turn. On a terminal it stops after each and asks where to go; in a pipe it is the
//! documents' runs one after the other.

use std::io::{self, BufRead, IsTerminal};

use anyhow::Result;

use super::catalog::{Origin, Row, rows};
use crate::console::{Console, Ended};
use crate::lab::Settings;
use crate::trace::{Failure, Lang, Printer, Speed};

/// What the tour shows.
#[derive(Clone, Copy, Debug)]
pub struct TourSettings {
    /// The stop to begin with, counted from 1.
    pub first: Option<usize>,
    /// How many stops it has without pauses.
    pub length: TourLength,
}

/// The stops of a tour without pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourLength {
    /// The documents' runs.
    Documents,
    /// All runs that end by themselves.
    All,
}

/// The runs of the tour, in the documents' order: those that end by themselves.
pub fn stops(length: TourLength) -> Vec<Row> {
    let ends = rows().filter(|row| row.trace.is_some());
    ends.filter(|row| length == TourLength::All || row.is_of_the_documents()).collect()
}

/// The stops of a tour with pauses: all, in the order of the book's chapters.
pub fn learners_stops() -> Vec<Row> {
    let mut stops = stops(TourLength::All);
    stops.sort_by_key(|row| row.chapter); // stable: the runs of a chapter stay in their order
    stops
}

/// Plays the tour.
///
/// # Errors
/// A stop that does not exist, or as [`Run::play`](super::Run::play).
pub fn play(settings: &TourSettings, console: &Console) -> Result<Ended> {
    let asks = console.speed != Speed::Max && Printer::on_terminal() && io::stdin().is_terminal();
    let stops = if asks { learners_stops() } else { stops(settings.length) };
    let first = settings.first.unwrap_or(1);
    if first == 0 || first > stops.len() {
        let failure = Failure::new((format!("the tour has no stop {first}"), format!("tour 没有第 {first} 站")));
        return Err(failure
            .next((format!("name one from 1 to {}", stops.len()), format!("请写 1 到 {} 的编号", stops.len())))
            .into());
    }
    let mut next = Some(first - 1);
    while let Some(stop) = next {
        let ended = show(&stops, stop, console)?;
        if ended != Ended::Done {
            return Ok(ended);
        }
        let following = (stop + 1 < stops.len()).then_some(stop + 1);
        next = if asks { ask(&stops, stop, following, console) } else { following };
    }
    Ok(Ended::Done)
}

fn show(stops: &[Row], stop: usize, console: &Console) -> Result<Ended> {
    let row = &stops[stop];
    let go = match row.origin {
        Origin::Program(go) => format!("  ({go})"),
        Origin::Step | Origin::Beyond => String::new(),
    };
    console.printer.heading(&format!("{}/{}  informer-lab {}{go}", stop + 1, stops.len(), row.command));
    console.printer.tell(row.en, row.zh);
    row.run.play(&Settings::default(), console)
}

/// What is asked after a stop. A command has a line of its own, so that it is in one piece on a narrow terminal, too.
fn question(printer: &Printer, chapter: &str, next: Option<&str>) -> String {
    let [read, onward, keys] = match printer.lang() {
        Lang::En => ["its chapter: ", "next: ", "Enter goes on; r again, b back, q quit, a number, then Enter: "],
        Lang::Zh => ["本站的章节：", "下一站：", "按回车继续；r 重来、b 返回、q 退出、编号，再按回车："],
    };
    let next = next.unwrap_or(printer.pick("the end", "结束"));
    format!("\n{read}informer-lab read {chapter}\n{onward}{next}\n{keys}")
}

/// Asks where to go. `None` ends the tour.
fn ask(stops: &[Row], stop: usize, following: Option<usize>, console: &Console) -> Option<usize> {
    let chapter = stops[stop].chapter.split_once('-').map_or("", |(_, name)| name);
    loop {
        console.printer.ask(&question(&console.printer, chapter, following.map(|next| stops[next].command)));
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer);
        match (read, answer.trim()) {
            (Ok(0) | Err(_), _) | (_, "q") => return None,
            (_, "") => return following,
            (_, "r") => return Some(stop),
            (_, "b") => return Some(stop.saturating_sub(1)),
            (_, number) => match number.parse::<usize>() {
                Ok(number) if (1..=stops.len()).contains(&number) => return Some(number - 1),
                _ => console.printer.tell(
                    &format!("expected Enter, r, b, q, or a number from 1 to {}", stops.len()),
                    &format!("请输入回车、r、b、q，或 1 到 {} 的编号", stops.len()),
                ),
            },
        }
    }
}
