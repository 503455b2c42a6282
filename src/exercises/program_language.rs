//! The language of the programs to fix: `break --in go`. The language of the texts is another choice, `--lang`.

use clap::ValueEnum;

/// The language of the programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ProgramLanguage {
    /// Rust, on this project's informers
    /// Rust，用本项目的 informer
    #[value(verbatim_doc_comment)]
    #[default]
    Rust,
    /// Go, on client-go
    /// Go，用 client-go
    #[value(verbatim_doc_comment)]
    Go,
}

impl ProgramLanguage {
    /// Returns the words that choose this language at the end of a command.
    pub(super) fn option(self) -> &'static str {
        match self {
            Self::Rust => "",
            Self::Go => " --in go",
        }
    }

    /// Returns the folder of the programs to fix, from the root of the clone.
    pub(super) fn exercises(self) -> &'static str {
        match self {
            Self::Rust => "lessons/break/exercises",
            Self::Go => "lessons/break/go/exercises",
        }
    }

    /// Returns the folder of the fixed programs, from the root of the clone.
    pub(super) fn solutions(self) -> &'static str {
        match self {
            Self::Rust => "lessons/break/solutions",
            Self::Go => "lessons/break/go/solutions",
        }
    }

    /// Returns the path of a program in its folder. In Go, each program is a package.
    pub(super) fn file(self, folder: &str, name: &str) -> String {
        match self {
            Self::Rust => format!("{folder}/{name}.rs"),
            Self::Go => format!("{folder}/{name}/main.go"),
        }
    }
}
