//! Exercises: ten small controllers with one mistake each, in Rust and in Go, which the learner fixes in a clone of the
//! repository.
//!
//! The folder `lessons/break` has the programs, and runs those in Rust. This module has the texts about them, the judges,
//! the runner of those in Go, the learner's progress, and the subcommands `break` and `check`.

mod check;
mod checkout;
mod diff;
#[cfg_attr(target_family = "wasm", path = "go_wasm.rs")]
mod go;
pub mod judging;
mod list;
mod program_language;
mod progress;
mod rust;
mod show;
mod texts;
mod watch;

pub use check::{CheckSettings, WatchProgram, check};
pub use list::{list, reset};
pub use program_language::ProgramLanguage;
pub use rust::WRONG;
pub use show::{ExerciseView, show};
pub use texts::ALL;

use std::io;

use crate::book::{page, paper};
use crate::trace::{Both, Printer};

/// A program to fix, with the texts about it: Markdown, each paragraph on one line.
#[derive(Debug)]
pub struct Exercise {
    /// The name that the learner types.
    pub name: &'static str,
    /// The file name of its program and of its solution, without the ending.
    pub file: &'static str,
    /// The chapter to read, without its language and ending.
    pub chapter: &'static str,
    /// The problem in a few words that do not reveal its cause.
    pub title: Both,
    /// The problem as a user of the program saw it.
    pub symptom: Both,
    /// Two hints for the program in Rust. The second says more than the first.
    pub hints: [Both; 2],
    /// The cause of the problem, shown once the program in Rust is right.
    pub explanation: Both,
    /// The texts that differ for the program in Go.
    pub go: InGo,
}

/// The texts about a program in Go.
#[derive(Debug)]
pub struct InGo {
    /// Two hints. The second says more than the first.
    pub hints: [Both; 2],
    /// The cause of the problem, if the text about the program in Rust names parts of this project's library.
    pub explanation: Option<Both>,
}

impl Exercise {
    /// Finds an exercise by its name, its number or its file's name.
    pub fn find(name: &str) -> Option<&'static Self> {
        let number = |exercise: &Self| exercise.file.split('_').next().and_then(|number| number.parse::<u8>().ok());
        let wanted = name.parse::<u8>().ok();
        ALL.into_iter().find(|exercise| {
            exercise.name == name || exercise.file == name || (wanted.is_some() && number(exercise) == wanted)
        })
    }

    /// Prints a Markdown text on standard output, wrapped to its width.
    fn prose(text: Both, printer: &Printer) -> io::Result<()> {
        let page = page(printer.pick(text.en, text.zh), paper(printer));
        let page = format!("{}\n", page.trim_end());
        printer.page_styled(&page, &page)
    }

    /// Returns the hints about the program in this language.
    fn hints(&self, language: ProgramLanguage) -> [Both; 2] {
        match language {
            ProgramLanguage::Rust => self.hints,
            ProgramLanguage::Go => self.go.hints,
        }
    }

    /// Returns the cause of the problem, for the program in this language.
    fn explanation(&self, language: ProgramLanguage) -> Both {
        match language {
            ProgramLanguage::Rust => self.explanation,
            ProgramLanguage::Go => self.go.explanation.unwrap_or(self.explanation),
        }
    }

    /// Returns the command that shows (`break`) or judges (`check`) this exercise.
    fn command(&self, subcommand: &str, language: ProgramLanguage) -> String {
        format!("informer-lab {subcommand} {}{}", self.name, language.option())
    }

    /// Returns the path of the program that the learner edits, from the root of the clone.
    fn program(&self, language: ProgramLanguage) -> String {
        language.file(language.exercises(), self.file)
    }

    /// Returns the path of the fixed program, from the root of the clone.
    fn solution(&self, language: ProgramLanguage) -> String {
        language.file(language.solutions(), self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exercise_has_a_name_a_number_and_a_file() {
        for name in ["slow", "3", "03", "03_slow"] {
            assert_eq!(Exercise::find(name).map(|exercise| exercise.name), Some("slow"), "{name}");
        }
        for name in ["", "0", "11", "slo", "slow.rs"] {
            assert!(Exercise::find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn the_files_are_numbered_in_order() {
        for (n, exercise) in ALL.into_iter().enumerate() {
            assert_eq!(exercise.file, format!("{:02}_{}", n + 1, exercise.name));
        }
    }
}
