//! The checker behind `informer-lab check NAME`: runs one program of `exercises/` and prints whether it is right.
//!
//! The program runs in a cluster in memory, in virtual time. `informer-lab check` starts this binary as
//! `cargo run -p informer-lab-break -- NAME LANGUAGE WIDTH` and reads its exit code: 0 if the program is right, [`WRONG`] if it still has
//! its mistake, 101 (from Cargo) if it does not compile.

#[path = "../exercises/mod.rs"]
mod exercises;
mod outside;
mod setting;
mod settings;
#[cfg(test)]
#[path = "../solutions/mod.rs"]
mod solutions;
mod table;
mod trial;

use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use informer_lab::exercises::WRONG;
use informer_lab::exercises::judging::Verdict;
use informer_lab::trace::Lang;

/// The real time after which a trial is given up. A trial takes milliseconds, so a program that takes this long loops without
/// yielding to the other tasks.
const TIMEOUT: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let names = table::exercises().map(|exercise| exercise.name).join(", ");
    let exercise = arguments.first().and_then(|name| table::exercises().into_iter().find(|row| row.name == name));
    let (Some(exercise), 1..=3) = (exercise, arguments.len()) else {
        print(&format!("usage: informer-lab-break NAME [en|zh [WIDTH]]\n  NAME is one of {names}"));
        return ExitCode::from(2);
    };
    let lang = if arguments.get(1).is_some_and(|lang| lang == "zh") { Lang::Zh } else { Lang::En };

    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(exercise.judge()));
    let verdict = match receiver.recv_timeout(TIMEOUT) {
        Ok(verdict) => verdict,
        Err(RecvTimeoutError::Timeout) => Verdict::never_yields(),
        Err(RecvTimeoutError::Disconnected) => return ExitCode::from(3), // the checker itself panicked and has printed the panic
    };
    let width = arguments.get(2).and_then(|width| width.parse().ok()).unwrap_or(80);
    print(&verdict.text(lang, width));
    if verdict.is_right() { ExitCode::SUCCESS } else { ExitCode::from(WRONG) }
}

#[expect(clippy::print_stdout, reason = "the one place of this program that prints")]
fn print(text: &str) {
    println!("{text}");
}
