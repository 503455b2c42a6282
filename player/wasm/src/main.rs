//! informer-lab for the playground: the program's whole command line, but only the runs that end by themselves can be
//! started. The rest is left out, to keep the download small.

#[allow(dead_code, reason = "the rest of the command line")]
#[path = "../../../src/cli/mod.rs"]
mod cli;

use std::process::ExitCode;

use anyhow::Result;
use informer_lab::console::{Console, Ended, Interrupt};
use informer_lab::lessons::eras;
use informer_lab::trace::{Failure, Printer, Record, RecordFile, Speed, read_record};
use informer_lab::{board, replay};

use cli::{Invocation, RecordSource, Request};

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    let Invocation { look, record, request, .. } = match cli::parse(&args) {
        Ok(invocation) => invocation,
        Err(error) => return ExitCode::from(u8::try_from(cli::print(&error, &args)).unwrap_or(2)),
    };
    let printer = Printer::new(look);
    let record = record.as_deref().map(RecordFile::create).transpose();
    let console = |record| Console {
        printer: printer.clone(),
        speed: Speed::Max,
        interrupt: Interrupt::default(),
        record,
        followers: None,
    };
    match record.map_err(Into::into).and_then(|record| carry_out(request, &console(record))) {
        Ok(Ended::Done | Ended::ReaderGone) => ExitCode::SUCCESS,
        Ok(Ended::Interrupted(code) | Ended::Command(code)) => ExitCode::from(code),
        Err(error) => {
            printer.report(&error);
            ExitCode::FAILURE
        }
    }
}

fn carry_out(request: Request, console: &Console) -> Result<Ended> {
    match request {
        Request::Lesson(run, settings) => run.run(&settings, console),
        Request::Eras(run, settings) => eras::compare(run, &settings, console),
        Request::Replay(file) => replay::run(&file, console),
        Request::Board(sources, settings) => {
            let runs = sources.into_iter().map(|source| records(source, console)).collect::<Result<_>>()?;
            board::run(runs, &settings, console)
        }
        _ => Err(Failure::not_in_a_page().into()),
    }
}

/// Reads the record from the file, or makes one of a run.
fn records(source: RecordSource, console: &Console) -> Result<Vec<Record>> {
    match source {
        RecordSource::File(file) => Ok(read_record(&file)?),
        RecordSource::Lesson(run, settings) => run.record(&settings, console),
    }
}
