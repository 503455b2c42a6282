//! Does one piece of work on kube-runtime's reflector and watcher, and prints figures like `benches/work`.
//!
//! `peer-kube-runtime sync|watch [--key value…]`

mod memory;
mod sync;
mod watch;

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// The allocator of the project's benchmarks.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// A measured figure: the part of the work, the value, its unit, and the amount of work, which must be the same for every
/// contender.
type Figure = (&'static str, f64, &'static str, u64);

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let figures = match words.first().map(String::as_str) {
        Some("sync") => sync::list_to_handler(&words[1..]).await,
        Some("watch") => watch::changes_to_handlers(&words[1..]).await,
        _ => {
            eprintln!("name one work: sync, watch");
            return ExitCode::from(2);
        }
    };
    for (part, value, unit, did) in figures {
        println!(r#"{{"work":"{}","part":"{part}","value":{value:.3},"unit":"{unit}","did":{did}}}"#, words[0]);
    }
    ExitCode::SUCCESS
}

/// Returns the value after `--key`, or `usual` if the option is not given.
fn option<'a>(words: &'a [String], key: &str, usual: &'a str) -> &'a str {
    let at = words.iter().position(|word| word.strip_prefix("--") == Some(key));
    at.map_or(usual, |at| &words[at + 1])
}

fn client(words: &[String]) -> kube::Client {
    let url = option(words, "url", "http://127.0.0.1:18080").parse().expect("--url is a URL");
    kube::Client::try_from(kube::Config::new(url)).expect("plain HTTP needs no keys")
}
