//! Parses the command line, dispatches in one match, and sets the exit code.

mod cli;
mod run_settings;
mod usage;
mod values;

use std::process::ExitCode;

use anyhow::{Context, Result};
use informer_lab::lab::{Console, Ended, Interrupt, cluster};
use informer_lab::lessons::{eras, listing, tour};
use informer_lab::trace::{Lang, Look, Output, Printer, Speed, log_to_stderr};

use cli::{Cli, Lesson, LookArgs};

fn main() -> ExitCode {
    let cli = match usage::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are printed to standard output and are not errors. A reader that has gone is not an
            // error either.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    if cli.look.verbose {
        log_to_stderr();
    }
    let printer = printer(&cli);
    match console(&cli, &printer).and_then(|console| run(cli, &console)) {
        Ok(Ended::Done | Ended::ReaderGone) => ExitCode::SUCCESS,
        Ok(Ended::Interrupted(code) | Ended::Command(code)) => ExitCode::from(code),
        Err(error) => {
            printer.report(&error);
            ExitCode::FAILURE
        }
    }
}

fn printer(cli: &Cli) -> Printer {
    let LookArgs { color, lang, .. } = cli.look;
    let output = cli.lesson.as_ref().and_then(Lesson::print).map_or(Output::Text, |print| print.output);
    Printer::new(Look { output, color, lang: lang.unwrap_or_else(Lang::from_env) })
}

fn console(cli: &Cli, printer: &Printer) -> Result<Console> {
    let usual = if Printer::on_terminal() { Speed::Documents } else { Speed::Max };
    let speed = cli.lesson.as_ref().and_then(Lesson::print).and_then(|print| print.speed).unwrap_or(usual);
    let interrupt = Interrupt::default();
    if speed != Speed::Max {
        interrupt.listen().context("cannot listen for Ctrl-C")?;
    }
    Ok(Console { printer: printer.clone(), speed, interrupt })
}

fn run(cli: Cli, console: &Console) -> Result<Ended> {
    match cli.lesson {
        None => listing::print(&console.printer),
        Some(Lesson::Tour(_)) => tour::play(console),
        Some(Lesson::Cluster(args)) => cluster::run(&args.settings(), console),
        Some(Lesson::Eras(args)) => {
            let (modern, settings) = args.run().map_err(anyhow::Error::msg)?;
            eras::play(modern, &settings, console)
        }
        Some(lesson) => {
            let (run, settings) = lesson.run().expect("every other lesson is one run");
            run.play(&settings, console)
        }
    }
}
