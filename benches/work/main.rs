//! Measures one benchmark per run: `cargo run --profile libraries -p informer-lab-benches -- WORK [--key value…]`.
//!
//! Prints one JSON object per line: the benchmark, the figure, its unit, and how much was done, for the comparison with
//! another program. Without an argument, every benchmark is run once with little work, to check that it still runs.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr, reason = "a program of its own")]

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

/// A program chooses its allocator. With that of glibc, decoding takes a fifth more processor time and the same memory.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Runs a benchmark.
type Work = fn(&Options) -> Vec<Figure>;

/// The benchmarks.
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
    // Cargo adds --bench.
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
            // A benchmark that needs a server is run by the program that starts the server.
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
