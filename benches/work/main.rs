//! The benchmarks of the libraries. A run with a name measures that benchmark alone, so that no other disturbs it:
//! `cargo run --release -p informer-lab-benches -- NAME [--key value…]`. A run without a name does a little work of
//! each benchmark that needs no server, to check that they still run.
//!
//! Prints one JSON object per figure: the benchmark, the value, its unit, and the amount of work done, which
//! peers/compare compares with client-go's.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a program, not a library")]

mod fifo;
mod indexer;
mod informer;
mod listener;
mod lister;
mod memory;
mod options;
mod pods;
mod projected;
mod source;
mod sync;
mod timing;
mod watch;
mod workqueue;

use std::process::ExitCode;

use mimalloc::MiMalloc;
use options::Options;
use timing::Figure;

/// With the allocator of glibc, decoding takes a fifth more CPU time and the same memory. The libraries leave the choice to the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// A function that runs a benchmark and returns its results.
type Work = fn(&Options) -> Vec<Figure>;

/// All benchmarks with their names on the command line.
const WORKS: [(&str, Work); 15] = [
    ("indexer-same", indexer::same),
    ("indexer-moving", indexer::moving),
    ("delta-fifo", fifo::delta),
    ("real-fifo", fifo::real),
    ("listener", listener::one_notification),
    ("workqueue", workqueue::alone),
    ("workqueue-workers", workqueue::workers),
    ("delaying-queue", workqueue::delaying),
    ("shared-informer", informer::readers_and_a_writer),
    ("source", source::list_to_handlers),
    ("lister-scan", lister::scan),
    ("lister-index", lister::by_index),
    ("sync", sync::pods_to_handlers),
    ("sync-projected", sync::projected_to_handlers),
    ("watch", watch::changes_to_handlers),
];

fn main() -> ExitCode {
    // `cargo bench` adds --bench.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let chosen = words.next();
    let options = match Options::parse(words) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let run = |name: &str, work: Work, options: &Options| {
        for figure in work(options) {
            println!("{}", figure.json(name));
        }
    };
    match chosen {
        None => {
            let smallest = options.smallest();
            // These three need a server, which only peers/compare starts.
            for (name, work) in WORKS.iter().filter(|(name, _)| !["sync", "sync-projected", "watch"].contains(name)) {
                run(name, *work, &smallest);
            }
            ExitCode::SUCCESS
        }
        Some(name) => match WORKS.iter().find(|(known, _)| *known == name) {
            Some((name, work)) => {
                run(name, *work, &options);
                ExitCode::SUCCESS
            }
            None => {
                let known: Vec<_> = WORKS.iter().map(|(name, _)| *name).collect();
                eprintln!("no work {name}; there are {}", known.join(", "));
                ExitCode::from(2)
            }
        },
    }
}
