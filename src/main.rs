//! The program: parses the command line, carries out the request, and turns its result into the exit code.

mod cli;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use informer_lab::console::{Console, Ended, Interrupt};
use informer_lab::envtest::{self, Binary};
use informer_lab::exercises;
use informer_lab::lessons::{eras, listing, tour};
use informer_lab::trace::{Printer, Record, RecordFile, Speed, read_record};
use informer_lab::{board, book, cluster, doctor, replay, step};

use cli::{Invocation, RecordSource, Request, completion, manual};

/// The cluster works on trees of JSON, which are many small allocations. With the system's allocator, a pod takes one
/// and a half times the processor time, and far more in the static release, because musl's allocator has a single lock.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    // The program acts as kube-apiserver, etcd or kubectl if it was started under that name.
    if let Some(binary) = Binary::from_args(&args) {
        return binary.run(&args);
    }
    #[cfg(unix)]
    if let Some(guarding) = cluster::Guarding::from_args(&args) {
        return guarding.run();
    }
    // Before anything prints, because a shell takes each line for a candidate.
    match completion::answered(&args) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => error.exit(),
    }
    let invocation = match cli::parse(&args) {
        Ok(invocation) => invocation,
        Err(error) => return ExitCode::from(u8::try_from(cli::print(&error, &args)).unwrap_or(2)),
    };
    let Invocation { look, verbosity, speed, record, transcript, request } = invocation;
    verbosity.log_to_stderr();
    let printer = Printer::new(look);
    match console(printer.clone(), speed, record, transcript).and_then(|console| carry_out(request, &console)) {
        Ok(Ended::Done | Ended::ReaderGone) => ExitCode::SUCCESS,
        Ok(Ended::Interrupted(code) | Ended::Command(code)) => ExitCode::from(code),
        Err(error) => {
            printer.report(&error);
            ExitCode::FAILURE
        }
    }
}

/// Opens the transcript and the record file, and chooses the speed: the tutorials' pace on a terminal, no pauses in a
/// pipe.
fn console(
    printer: Printer,
    speed: Option<Speed>,
    record: Option<PathBuf>,
    transcript: Option<PathBuf>,
) -> Result<Console> {
    transcript.iter().try_for_each(|path| printer.transcript(path))?;
    let record = record.as_deref().map(RecordFile::create).transpose()?;
    let default_speed = if Printer::on_terminal() { Speed::Documents } else { Speed::Max };
    let speed = speed.unwrap_or(default_speed);
    let interrupt = Interrupt::default();
    // At full speed nothing pauses, so Ctrl-C may simply end the process.
    if speed != Speed::Max {
        interrupt.listen().context("cannot listen for Ctrl-C")?;
    }
    Ok(Console { printer, speed, interrupt, record, followers: None })
}

fn carry_out(request: Request, console: &Console) -> Result<Ended> {
    match request {
        Request::Menu => listing::menu(console),
        Request::Lessons => listing::all(console),
        Request::BoardLive(run, settings, at) => board::follow(run, &settings, at, console),
        Request::Tour(settings) => tour::run(&settings, console),
        Request::TourStops => tour::list(console),
        Request::Lesson(run, settings) => run.run(&settings, console),
        Request::Eras(run, settings) => eras::compare(run, &settings, console),
        Request::Read(name) => book::read(&name, console),
        Request::Step(source, predict) => step::run(records(source, console)?, predict, console),
        Request::Board(sources, settings) => {
            let runs = sources.into_iter().map(|source| records(source, console)).collect::<Result<_>>()?;
            board::run(runs, &settings, console)
        }
        Request::Replay(file) => replay::run(&file, console),
        Request::Cluster(settings) => cluster::run(&settings, console),
        Request::Envtest => envtest::run(console),
        Request::Doctor(target, namespace) => doctor::run(target.as_ref(), &namespace, console),
        Request::Completions(shell) => completion::script(shell, &console.printer),
        Request::Man(folder) => manual::man(folder.as_deref(), &console.printer),
        Request::Exercises(language) => exercises::list(language, &console.printer),
        Request::Exercise(exercise, language, view) => exercises::show(exercise, language, view, &console.printer),
        Request::Check(settings) => exercises::check(&settings, &console.printer),
        Request::ResetExercises => exercises::reset(&console.printer),
    }
}

fn records(source: RecordSource, console: &Console) -> Result<Vec<Record>> {
    match source {
        RecordSource::File(file) => Ok(read_record(&file)?),
        RecordSource::Lesson(run, settings) => run.record(&settings, console),
    }
}
