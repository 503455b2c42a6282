//! The command line. `main` passes its words to [`parse`], which returns one checked value, a [`Request`] with the
//! options on the output, or a [`UsageError`].

mod args;
mod board;
mod check;
mod chinese;
pub mod completion;
mod exercises;
mod explain;
mod help;
mod language;
mod lessons;
pub mod manual;
mod nested;
mod request;
mod values;

use std::ffi::OsString;
use std::io;

use clap::error::ErrorKind;
use informer_lab::trace::{ColorChoice, Lang, Look, Output, Printer};

pub use explain::UsageError;
pub use request::{Invocation, RecordSource, Request, parse};

/// Prints help, the version, or a usage error, and returns the exit code.
pub fn print(usage: &UsageError, args: &[OsString]) -> i32 {
    let (error, lang) = (&usage.error, language(args));
    let printed = match (error.kind(), lang) {
        (ErrorKind::DisplayHelp, _) => {
            let help = help::help(args, lang);
            let look = Look::new(Output::Text, ColorChoice::Auto, lang);
            Printer::new(look).page_styled(&help.to_string(), &help.ansi().to_string())
        }
        (ErrorKind::DisplayVersion, _) => error.print(),
        // clap prints its own error in colours, if its lines fit the terminal.
        (_, Lang::En) => {
            let (text, printer) = (error.to_string(), Printer::new(Look::new(Output::Text, ColorChoice::Auto, lang)));
            match printer.has_room(&text) {
                true => error.print(),
                false => {
                    printer.print_on_stderr(&text);
                    Ok(())
                }
            }
        }
        (_, Lang::Zh) => {
            let look = Look::new(Output::Text, ColorChoice::Auto, lang);
            Printer::new(look).print_on_stderr(&usage.in_chinese());
            Ok(())
        }
    };
    match printed {
        // A closed pipe is no error: the reader has seen enough.
        Err(failure) if failure.kind() != io::ErrorKind::BrokenPipe && error.exit_code() == 0 => {
            let failure = anyhow::Error::new(failure).context("cannot write the output");
            Printer::new(Look::new(Output::Text, ColorChoice::Auto, lang)).report(&failure);
            1
        }
        _ => error.exit_code(),
    }
}

/// Returns the language of `--lang`, or of the locale. Reads the raw words, because the rest of the command line may be
/// wrong.
fn language(args: &[OsString]) -> Lang {
    let args = args.iter().filter_map(|arg| arg.to_str());
    let after = args.clone().skip_while(|arg| *arg != "--lang").nth(1);
    let value = after.or_else(|| args.filter_map(|arg| arg.strip_prefix("--lang=")).next());
    match value {
        Some("zh") => Lang::Zh,
        Some("en") => Lang::En,
        _ => Lang::from_env(),
    }
}
