//! Replays traffic that was recorded from a real API server against the one of this crate, in process and in virtual time.
//!
//! `WIRE_DIR=… cargo test --test wire` replays another directory of recordings of the same form; with `WIRE_COMPLETE=1`, one
//! whose recorder did nothing that is no record.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "the report of what was compared")]

#[path = "wire/apply.rs"]
mod apply;
#[path = "wire/client.rs"]
mod client;
#[path = "wire/compare.rs"]
mod compare;
#[path = "wire/differences.rs"]
mod differences;
#[path = "wire/hidden.rs"]
mod hidden;
#[path = "wire/kubectl.rs"]
mod kubectl;
#[path = "wire/placeholders.rs"]
mod placeholders;
#[path = "wire/recording.rs"]
mod recording;
#[path = "wire/replay.rs"]
mod replay;
#[path = "wire/sightings.rs"]
mod sightings;

use crate::differences::Differences;
use crate::recording::{commands, recordings};

#[test]
fn the_server_answers_as_the_recorded_one_did() {
    let files = recordings();
    assert!(!files.is_empty(), "there are recordings");
    let mut differences = Differences::default();
    let mut wrong = Vec::new();
    for file in &files {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let problems = runtime.block_on(replay::replay(file, &mut differences));
        let equal = problems.iter().filter(|(_, problems)| problems.is_empty()).count();
        println!("{}: {} replayed, {equal} equal", file.name, problems.len());
        assert_eq!(problems.len(), file.records.len(), "{}: every record is replayed", file.name);
        for (record, problems) in problems {
            wrong.extend(problems.into_iter().map(|problem| format!("{} / {record}: {problem}", file.name)));
        }
    }
    let unused = if std::env::var_os("WIRE_DIR").is_none() { differences.unused() } else { Vec::new() };
    wrong.extend(unused.into_iter().map(|row| format!("the difference {row:?} matches nothing")));
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn kubectl_gets_the_answers_that_it_got() {
    let Some(commands) = commands() else {
        assert!(std::env::var_os("WIRE_DIR").is_some(), "the log of kubectl is here");
        return;
    };
    let (compared, wrong) = kubectl::replay(&commands).await;
    println!("kubectl-requests.json: {compared} replayed, {} equal", compared - wrong.len());
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
