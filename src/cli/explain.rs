//! Usage errors: of clap, with what it cannot know, and our own.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};

use super::args::Cli;

/// An error in how options fit together, with the usage of this subcommand.
pub fn conflict(subcommand: &str, message: impl std::fmt::Display) -> Error {
    let mut command = Cli::command();
    command.build();
    let of_subcommand = command.find_subcommand_mut(subcommand).expect("there is such a subcommand");
    of_subcommand.error(ErrorKind::ArgumentConflict, message)
}

/// Explains an option that stands in the wrong place, instead of clap's "unexpected argument".
pub fn explain(error: Error, args: &[OsString]) -> Error {
    let Some(ContextValue::String(argument)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let mut command = Cli::command();
    command.build();
    let elsewhere = command.get_subcommands().any(|lesson| takes(lesson, argument));
    let Some(name) =
        args.iter().skip(1).find_map(|arg| command.find_subcommand(arg)).map(|lesson| lesson.get_name().to_owned())
    else {
        return error;
    };
    let Some(lesson) = command.find_subcommand_mut(&name) else { return error };
    let message = match argument.strip_prefix("--") {
        None if takes(lesson, &format!("--{argument}")) => format!("{argument} is an option: write --{argument}"),
        Some(_) if takes(lesson, argument) => {
            format!("{argument} goes after the lesson: informer-lab {name} {argument}")
        }
        Some(_) if elsewhere => format!("{name} has no use for {argument}"),
        _ => return error,
    };
    lesson.error(ErrorKind::UnknownArgument, message)
}

/// Whether a subcommand takes this long option.
fn takes(subcommand: &Command, option: &str) -> bool {
    option.strip_prefix("--").is_some_and(|long| subcommand.get_arguments().any(|arg| arg.get_long() == Some(long)))
}
