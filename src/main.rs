//! The front door: parse, one match, one call per arm, an exit code.

mod cli;
mod usage;
mod values;

use std::process::ExitCode;

use anyhow::{Context, Result};
use informer_lab::lab::Interrupt;
use informer_lab::lab::Settings;
use informer_lab::lab::{Ended, Stage};
use informer_lab::lessons::reflector::KnownObjects;
use informer_lab::lessons::{Run, listing, tour};
use informer_lab::trace::{Lang, Look, Output, Printer, Speed, log_to_stderr};

use cli::{Cli, Lesson, LookArgs};

fn main() -> ExitCode {
    let cli = match usage::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output and are no error; a reader that has gone is none either.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    if cli.look.verbose {
        log_to_stderr();
    }
    let printer = printer(&cli);
    match stage(&cli, &printer).and_then(|stage| run(cli, &stage)) {
        Ok(Ended::Done | Ended::ReaderGone) => ExitCode::SUCCESS,
        Ok(Ended::Interrupted(code)) => ExitCode::from(code),
        Err(error) => {
            printer.report(&error);
            ExitCode::FAILURE
        }
    }
}

fn printer(cli: &Cli) -> Printer {
    let LookArgs { color, lang, .. } = cli.look;
    let output = cli.lesson.as_ref().map_or(Output::Text, |lesson| lesson.print().output);
    Printer::new(Look { output, color, lang: lang.unwrap_or_else(Lang::from_env) })
}

fn stage(cli: &Cli, printer: &Printer) -> Result<Stage> {
    let usual = if Printer::on_terminal() { Speed::Documents } else { Speed::Max };
    let speed = cli.lesson.as_ref().and_then(|lesson| lesson.print().speed).unwrap_or(usual);
    let interrupt = Interrupt::install().context("cannot listen for Ctrl-C")?;
    Ok(Stage { printer: printer.clone(), speed, interrupt })
}

fn run(cli: Cli, stage: &Stage) -> Result<Ended> {
    match cli.lesson {
        None => listing::print(&stage.printer),
        Some(Lesson::Deltafifo(args)) => Run::DeltaFifo(args.step).play(&usage::alone(&args.era), stage),
        Some(Lesson::Listwatch(args)) => Run::ListWatch.play(&usage::settings(&args), stage),
        Some(Lesson::Reflector(args)) => {
            let known = if args.known_objects { KnownObjects::Yes } else { KnownObjects::No };
            Run::Reflector(known).play(&usage::settings(&args.watch), stage)
        }
        Some(Lesson::Indexer(args)) => {
            let run = if args.serve.is_some() { Run::IndexerServe } else { Run::Indexer(args.by) };
            run.play(&Settings { serve: args.serve, ..usage::settings(&args.watch) }, stage)
        }
        Some(Lesson::Myinformer(args)) => Run::MyInformer.play(&usage::settings(&args), stage),
        Some(Lesson::Shared(args)) => Run::Shared(args.step).play(&usage::settings(&args.watch), stage),
        Some(Lesson::Factory(args)) => {
            let run = if args.serve.is_some() { Run::FactoryServe } else { Run::Factory };
            run.play(&Settings { serve: args.serve, ..usage::settings(&args.watch) }, stage)
        }
        Some(Lesson::Queue(args)) => Run::Queue.play(&usage::alone(&args.era), stage),
        Some(Lesson::Workqueue(args)) => Run::WorkQueue(args.act).play(&Settings::default(), stage),
        Some(Lesson::Synced(args)) => Run::Synced.play(&usage::settings(&args), stage),
        Some(Lesson::Resync(args)) => Run::Resync.play(&usage::settings(&args), stage),
        Some(Lesson::Late(args)) => Run::Late.play(&usage::settings(&args), stage),
        Some(Lesson::Mutate(_)) => Run::Mutate.play(&Settings::default(), stage),
        Some(Lesson::Tour(_)) => tour::play(stage),
    }
}
