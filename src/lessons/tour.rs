//! `informer-lab tour`: runs every lesson in turn. A stop of the tour is a row of the catalog. On a terminal the tour
//! pauses after each stop; in a pipe it shows the tutorials' runs one after the other.

use std::io::{self, IsTerminal};

use anyhow::Result;

use super::catalog::{Origin, Row, rows};
use crate::console::{Console, Ended, KeyPress, Keys};
use crate::lab::Settings;
use crate::trace::{Failure, Lang, Printer, Speed};

/// The options of the tour.
#[derive(Clone, Copy, Debug)]
pub struct TourSettings {
    /// The stop to begin with, counted from 1.
    pub first: Option<usize>,
    /// The stops of a tour without pauses.
    pub length: TourLength,
}

/// The stops of a tour without pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourLength {
    /// The tutorials' runs.
    Documents,
    /// All runs that end by themselves.
    All,
}

/// Returns the stops of a tour without pauses, in the tutorials' order. Only runs that end by themselves are stops.
pub fn stops(length: TourLength) -> Vec<&'static Row> {
    let ends = rows().filter(|row| row.trace.is_some());
    ends.filter(|row| length == TourLength::All || row.is_of_the_tutorials()).collect()
}

/// Returns the stops of a tour with pauses: all of them, in the order of the book's chapters.
pub fn learners_stops() -> Vec<&'static Row> {
    let mut stops = stops(TourLength::All);
    stops.sort_by_key(|row| row.chapter); // stable: the runs of a chapter stay in their order
    stops
}

/// Runs the tour.
///
/// # Errors
/// The first stop does not exist; otherwise the same as [`Row::run`].
pub fn run(settings: &TourSettings, console: &Console) -> Result<Ended> {
    // The tour pauses and asks only if the user can answer, and has not asked for full speed.
    let asks = console.speed != Speed::Max && Printer::on_terminal() && io::stdin().is_terminal();
    let stops = if asks { learners_stops() } else { stops(settings.length) };
    let first = settings.first.unwrap_or(1);
    if first == 0 || first > stops.len() {
        let failure = Failure::new((format!("the tour has no stop {first}"), format!("tour 没有第 {first} 站")));
        let count = stops.len();
        let is_part = !asks && settings.length == TourLength::Documents;
        let next = match is_part {
            false => (format!("name one from 1 to {count}"), format!("请写 1 到 {count} 的编号")),
            true => {
                let all = learners_stops().len();
                (
                    format!("without pauses the tour has {count} stops, with --all {all}: name one of these"),
                    format!("不停顿时只有 {count} 站，加 --all 是 {all} 站：请写其中的编号"),
                )
            }
        };
        return Err(failure.next(next).into());
    }
    let keys = asks.then(Keys::begin);
    let mut next = Some(first - 1);
    while let Some(stop) = next {
        let ended = show(&stops, stop, console)?;
        if ended != Ended::Done {
            return Ok(ended);
        }
        next = match &keys {
            Some(keys) => ask(&stops, stop, keys, console),
            None => (stop + 1 < stops.len()).then_some(stop + 1),
        };
    }
    Ok(Ended::Done)
}

fn show(stops: &[&Row], stop: usize, console: &Console) -> Result<Ended> {
    let row = stops[stop];
    let go = match row.origin {
        Origin::Program(go) => format!("  ({go})"),
        Origin::Step | Origin::Beyond => String::new(),
    };
    console.printer.heading(&format!("{}/{}  informer-lab {}{go}", stop + 1, stops.len(), row.command));
    console.printer.notice(row.en, row.zh);
    row.run(&Settings::default(), console)
}

/// Returns the question after a stop. Each command has a line of its own, so it stays in one piece on a narrow
/// terminal.
fn question(printer: &Printer, chapter: &str, next: Option<&str>) -> String {
    let [read, onward, keys] = match printer.lang() {
        Lang::En => ["its chapter: ", "next: ", "Enter next · r again · b back · q quit · NUMBER Enter "],
        Lang::Zh => ["对应章节：", "下一站：", "回车 下一站 · r 再来一遍 · b 上一站 · q 退出 · 编号 回车 "],
    };
    let next = next.unwrap_or(printer.pick("the end", "到此结束"));
    format!("\n{read}informer-lab read {chapter}\n{onward}{next}\n{keys}")
}

/// Asks for the next stop. `None` ends the tour.
fn ask(stops: &[&Row], stop: usize, keys: &Keys, console: &Console) -> Option<usize> {
    let (printer, count) = (&console.printer, stops.len());
    let chapter = stops[stop].chapter.split_once('-').map_or("", |(_, name)| name);
    keys.forget(); // keys pressed during the run were not meant as answers
    printer.ask(&question(printer, chapter, stops.get(stop + 1).map(|next| next.command)));
    let mut number = String::new();
    loop {
        for key in keys.next()? {
            match answer(key, &mut number, stop, count) {
                Answer::Go(to) => {
                    printer.echo("\n");
                    return to.filter(|to| *to < count);
                }
                Answer::NoStop => printer.echo(&format!(
                    "\n{} ",
                    printer.pick(&format!("a stop from 1 to {count}:"), &format!("请输入 1 到 {count} 的编号："))
                )),
                Answer::Typed(digit) => printer.echo(&digit.to_string()),
                Answer::Erased => printer.echo("\u{8} \u{8}"),
                Answer::Nothing => {}
            }
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    /// Go to this stop, or end the tour.
    Go(Option<usize>),
    /// The typed number is not a stop.
    NoStop,
    Typed(char),
    Erased,
    /// The key means nothing here.
    Nothing,
}

/// Returns the meaning of a key at this stop. Digits are collected in `number` until Enter.
fn answer(key: KeyPress, number: &mut String, stop: usize, count: usize) -> Answer {
    match key {
        KeyPress::Enter if !number.is_empty() => match std::mem::take(number).parse::<usize>() {
            Ok(number) if (1..=count).contains(&number) => Answer::Go(Some(number - 1)),
            _ => Answer::NoStop,
        },
        KeyPress::Enter | KeyPress::Right | KeyPress::Letter(' ') => Answer::Go(Some(stop + 1)),
        KeyPress::Left | KeyPress::Letter('b') => Answer::Go(Some(stop.saturating_sub(1))),
        KeyPress::Letter('r') => Answer::Go(Some(stop)),
        KeyPress::Letter('q') => Answer::Go(None),
        KeyPress::Letter(digit @ '0'..='9') if number.len() < 3 => {
            number.push(digit);
            Answer::Typed(digit)
        }
        KeyPress::Backspace => number.pop().map_or(Answer::Nothing, |_| Answer::Erased),
        KeyPress::Letter(_) => Answer::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_leads_on_back_or_out_and_a_number_waits_for_enter() {
        let typed = |keys: &[KeyPress]| {
            let mut number = String::new();
            keys.iter().map(|key| answer(*key, &mut number, 3, 20)).last().unwrap()
        };
        use KeyPress::{Backspace, Enter, Left, Letter};
        assert_eq!(typed(&[Enter]), Answer::Go(Some(4)));
        assert_eq!(typed(&[Left]), Answer::Go(Some(2)));
        assert_eq!(typed(&[Letter('r')]), Answer::Go(Some(3)));
        assert_eq!(typed(&[Letter('q')]), Answer::Go(None));
        assert_eq!(typed(&[Letter('x')]), Answer::Nothing);
        assert_eq!(typed(&[Letter('1'), Letter('5')]), Answer::Typed('5'));
        assert_eq!(typed(&[Letter('1'), Letter('5'), Backspace, Enter]), Answer::Go(Some(0)));
        assert_eq!(typed(&[Letter('2'), Letter('1'), Enter]), Answer::NoStop);
    }
}
