//! Replays recorded traffic of a real API server against this crate's server and compares the answers. Runs in process
//! and in virtual time.
//!
//! `WIRE_DIR` names another directory of recordings, in the form of `fixtures/wire`. With `WIRE_COMPLETE=1`, its
//! requests are replayed. Without it, its recordings may lack some writes, so the requests of `fixtures/wire` are
//! replayed, and their answers are compared with those in the other directory. `WIRE_ONLY` chooses files by a part of
//! their path.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::print_stdout, reason = "the report of what was compared")]

#[path = "wire/actions.rs"]
mod actions;
#[path = "wire/client.rs"]
mod client;
#[path = "wire/compare.rs"]
mod compare;
#[path = "wire/differences.rs"]
mod differences;
#[path = "wire/kubectl.rs"]
mod kubectl;
#[path = "wire/placeholders.rs"]
mod placeholders;
#[path = "wire/recording.rs"]
mod recording;
#[path = "wire/replay.rs"]
mod replay;

use crate::differences::Differences;
use crate::recording::{commands, recordings};
use crate::replay::Replayed;

#[test]
fn the_server_gives_the_recorded_answers() {
    let files = recordings();
    assert!(!files.is_empty(), "no recordings were found");
    let mut differences = Differences::default();
    let (mut wrong, mut all) = (Vec::new(), 0);
    for file in &files {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let replayed = runtime.block_on(replay::replay(file, &mut differences));
        let equal = replayed.iter().filter(|record| record.problems.is_empty()).count();
        println!("{}: {} replayed, {equal} equal", file.name, replayed.len());
        let records = file.answers.as_ref().unwrap_or(&file.records);
        assert_eq!(replayed.len(), records.len(), "{}: not every record was replayed", file.name);
        all += replayed.len();
        for Replayed { name, problems } in replayed {
            wrong.extend(problems.into_iter().map(|problem| format!("{} / {name}: {problem}", file.name)));
        }
    }
    println!("{all} records were replayed");
    let unused = if std::env::var_os("WIRE_DIR").is_none() { differences.unused() } else { Vec::new() };
    wrong.extend(unused.into_iter().map(|row| format!("the difference {row:?} matches nothing")));
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test(start_paused = true)]
async fn kubectl_requests_get_the_recorded_answers() {
    let Some(commands) = commands() else {
        assert!(std::env::var_os("WIRE_DIR").is_some(), "fixtures/wire has no log of kubectl");
        return;
    };
    let (compared, wrong) = kubectl::replay(&commands).await;
    println!("kubectl-requests.json: {compared} replayed, {} equal", compared - wrong.len());
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
