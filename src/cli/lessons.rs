//! The lessons on the command line. clap's subcommands and options are made from the rows of the catalog. After
//! parsing, the subcommand and its options choose one of the rows.

use std::net::SocketAddr;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches, Subcommand};
use informer_lab::lessons::catalog::{Choice, CommonOptions, Serve, Values, rows_by_chapter};
use informer_lab::lessons::{Row, lessons, rows};

use super::args::{ClientArgs, PrintArgs, RunArgs, SourceArgs};
use super::language::paragraphs;
use super::values;

/// The row that a lesson's arguments choose, and its options, in the same form for every lesson.
#[derive(Debug)]
pub struct LessonArgs {
    pub run: &'static Row,
    /// The value of the option that chooses the row.
    pub value: Option<String>,
    /// The address of `--serve`.
    pub serve: Option<SocketAddr>,
    /// `None` if the lesson is the same in both eras.
    pub client: Option<ClientArgs>,
    /// `None` for a lesson that cannot watch a cluster of the user's.
    pub watch: Option<WatchArgs>,
    pub print: PrintArgs,
}

#[derive(Debug, Args)]
pub struct WatchArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

impl Subcommand for LessonArgs {
    fn augment_subcommands(command: Command) -> Command {
        let lesson = |lesson: &Row| Command::new(lesson.command).about(lesson.en).defer(with_options);
        command.subcommands(rows_by_chapter().into_iter().filter(|row| row.is_main()).map(lesson))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        find(name).is_some()
    }
}

impl FromArgMatches for LessonArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let (name, matches) = matches.subcommand().ok_or_else(|| Error::new(ErrorKind::MissingSubcommand))?;
        let lesson = find(name).ok_or_else(|| Error::new(ErrorKind::InvalidSubcommand))?;
        let serve = lesson.options.serve.as_ref().and_then(|_| matches.get_one(SERVE).copied());
        let (value, option) = match &lesson.options.choice {
            None => (None, None),
            Some(Choice { name, values: Values::Flag, .. }) => {
                (None, matches.get_flag(name).then(|| format!("--{name}")))
            }
            Some(Choice { name, values: Values::OneOf { usual, .. }, .. }) => {
                let value = matches.get_one::<String>(name).cloned();
                // The main row's value is left out of a row's command.
                let unusual = value.as_ref().filter(|value| Some(value.as_str()) != *usual);
                let option = unusual.map(|value| format!("--{name} {value}"));
                (value, option)
            }
        };
        // The command of a row with `--serve` names no other option, because `--serve` allows only the main row's
        // value.
        let option = if serve.is_some() { Some(format!("--{SERVE}")) } else { option };
        let command = option.map_or_else(|| name.to_owned(), |option| format!("{name} {option}"));
        let run = rows().find(|row| row.command == command).expect("every value of a lesson's option has a row");
        let (client, watch) = match lesson.options.common {
            CommonOptions::Print => (None, None),
            CommonOptions::Client => (Some(ClientArgs::from_arg_matches(matches)?), None),
            CommonOptions::Watch => {
                let watch = WatchArgs::from_arg_matches(matches)?;
                (Some(watch.source.client), Some(watch))
            }
        };
        Ok(Self { run, value, serve, client, watch, print: PrintArgs::from_arg_matches(matches)? })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The option `--serve` without its hyphens.
const SERVE: &str = "serve";

/// Returns the main row of a lesson.
fn find(name: &str) -> Option<&'static Row> {
    lessons().find(|lesson| lesson.command == name)
}

fn with_options(command: Command) -> Command {
    let Some(Row { options, .. }) = find(command.get_name()) else { return command };
    let choice = options.choice.as_ref().map(|choice| match options.serve {
        Some(Serve { allows: None, .. }) => choice_arg(choice).conflicts_with(SERVE),
        _ => choice_arg(choice),
    });
    let command = command.args(choice).args(options.serve.as_ref().map(serve_arg));
    match options.common {
        CommonOptions::Print => PrintArgs::augment_args(command),
        CommonOptions::Client => PrintArgs::augment_args(ClientArgs::augment_args(command)),
        CommonOptions::Watch => PrintArgs::augment_args(WatchArgs::augment_args(command)),
    }
}

fn choice_arg(choice: &'static Choice) -> Arg {
    let arg = Arg::new(choice.name).long(choice.name).help(paragraphs(choice.help));
    match &choice.values {
        Values::Flag => arg.action(ArgAction::SetTrue),
        Values::OneOf { name, usual, all } => {
            let values = all.iter().map(|(value, help)| PossibleValue::new(*value).help(paragraphs(*help)));
            arg.value_name(*name).default_value(*usual).value_parser(PossibleValuesParser::new(values))
        }
    }
}

fn serve_arg(serve: &'static Serve) -> Arg {
    let arg = Arg::new(SERVE).long(SERVE).help(paragraphs(serve.help)).value_name("ADDR").num_args(0..=1);
    arg.default_missing_value(serve.address).value_parser(values::loopback)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Request, parse};

    fn chosen(command: &str) -> &'static Row {
        let words: Vec<_> = format!("informer-lab {command}").split(' ').map(Into::into).collect();
        match parse(&words).expect(command).request {
            Request::Lesson(run, _) => run,
            other => panic!("{command}: {other:?}"),
        }
    }

    #[test]
    fn every_run_is_chosen_by_its_command() {
        for row in rows() {
            assert_eq!(chosen(row.command).command, row.command);
        }
    }

    #[test]
    fn every_value_of_a_lessons_option_has_a_run() {
        for lesson in lessons() {
            let Some(Choice { name, values, .. }) = &lesson.options.choice else { continue };
            match values {
                Values::Flag => drop(chosen(&format!("{} --{name}", lesson.command))),
                Values::OneOf { all, .. } => all.iter().for_each(|(value, _)| {
                    chosen(&format!("{} --{name} {value}", lesson.command));
                }),
            }
        }
    }
}
