//! Runs one program of `exercises/` in a cluster in memory and in virtual time, and says whether it does what it should.
//!
//! `informer-lab check NAME` runs this as `cargo run -p informer-lab-break -- NAME LANGUAGE WIDTH`. Its exit code says how the program did:
//! 0 for a right one, [`WRONG`] for one that is still wrong. Cargo's own is 101, when it does not compile.

#[path = "../exercises/mod.rs"]
mod exercises;
mod journal;
mod judges;
mod outside;
mod say;
mod seen;
mod setting;
#[cfg(test)]
#[path = "../solutions/mod.rs"]
mod solutions;
mod table;
mod trial;
mod verdict;

use std::process::ExitCode;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use informer_lab::exercises::WRONG;
use say::Lang;
use verdict::Verdict;

/// A trial takes milliseconds. A program that takes this long in real time never gives the others their turn.
const PATIENCE: Duration = Duration::from_secs(30);

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
    let verdict = match receiver.recv_timeout(PATIENCE) {
        Ok(verdict) => verdict,
        Err(RecvTimeoutError::Timeout) => Verdict::spins(),
        Err(RecvTimeoutError::Disconnected) => return ExitCode::from(3), // a panic of ours, and it was printed
    };
    let width = arguments.get(2).and_then(|width| width.parse().ok()).unwrap_or(80);
    print(&verdict.text(lang, width));
    if verdict.is_right() { ExitCode::SUCCESS } else { ExitCode::from(WRONG) }
}

#[expect(clippy::print_stdout, reason = "the one place of this program that prints")]
fn print(text: &str) {
    println!("{text}");
}
