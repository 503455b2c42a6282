//! What is printed, and how: the choices, and what is done by default on a terminal and elsewhere.

use clap::ValueEnum;

use super::{ColorChoice, Lang};

/// What standard output holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// The trace's lines
    #[default]
    Text,
    /// The record of the run: a header, then an event a line, as JSON objects
    Json,
}

/// Whether something is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// It depends on where the output goes.
    #[default]
    Auto,
    /// Always.
    Yes,
    /// Never.
    No,
}

/// The format of a run's output.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// What standard output contains.
    pub output: Output,
    /// When to colour.
    pub color: ColorChoice,
    /// The language of the narration.
    pub lang: Lang,
    /// The narration. By default it is left out if only the trace goes somewhere else, as in `| less`: the two would be
    /// out of order.
    pub narrate: Show,
    /// The steps between the lines of the trace. By default they are shown on a terminal.
    pub explain: Show,
}

impl Look {
    /// With everything else as by default.
    pub fn new(output: Output, color: ColorChoice, lang: Lang) -> Self {
        Self { output, color, lang, narrate: Show::Auto, explain: Show::Auto }
    }
}

/// Which of the two streams is a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terminals {
    pub(super) out: bool,
    pub(super) err: bool,
}

impl Terminals {
    pub(super) fn narrates(self, narrate: Show) -> bool {
        match narrate {
            Show::Auto => self.out || !self.err,
            Show::Yes => true,
            Show::No => false,
        }
    }

    pub(super) fn explains(self, explain: Show) -> bool {
        match explain {
            Show::Auto => self.out && self.err,
            Show::Yes => true,
            Show::No => false,
        }
    }
}
