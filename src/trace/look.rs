//! The options on output, with their defaults on a terminal and in a pipe.

use clap::ValueEnum;

use super::{ColorChoice, Lang};

/// The format of standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// The trace's lines
    /// trace 的各行
    #[value(verbatim_doc_comment)]
    #[default]
    Text,
    /// The record of the run: a header, then an event a line, as JSON objects
    /// 这次运行的记录：先是 header，然后每个事件一行，都是 JSON 对象
    #[value(verbatim_doc_comment)]
    Json,
}

/// A choice to show a part of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Decide by whether the streams are terminals.
    #[default]
    Auto,
    /// Always.
    Yes,
    /// Never.
    No,
}

/// The form of everything that is printed, as the user chose it on the command line.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// The format of standard output.
    pub output: Output,
    /// The choice of `--color`.
    pub color: ColorChoice,
    /// The language of the narration.
    pub lang: Lang,
    /// The choice for the narration. By default it is left out if only standard output is redirected, as in `| less`,
    /// because trace and narration would appear out of order.
    pub narrate: Show,
    /// The choice for the explainer's steps. By default, a terminal shows each way of a change once.
    pub explain: Show,
}

impl Look {
    /// Creates a look with the defaults for narration and steps.
    pub fn new(output: Output, color: ColorChoice, lang: Lang) -> Self {
        Self { output, color, lang, narrate: Show::Auto, explain: Show::Auto }
    }
}

/// Two flags: standard output is a terminal, and standard error is one.
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

    pub(super) fn explains(self, explain: Show) -> Steps {
        match explain {
            Show::Auto if self.out && self.err => Steps::New,
            Show::Yes => Steps::All,
            Show::Auto | Show::No => Steps::None,
        }
    }
}

/// The explainer's steps that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Steps {
    None,
    /// Those that no earlier change of the run has taken.
    New,
    All,
}
