//! Replays traffic that was recorded from a real API server against the one of this crate, in process and in virtual time.
//!
//! `WIRE_COMPLETE=1 WIRE_DIR=… cargo test --test wire` replays another directory of the form of `fixtures/wire`: every write is
//! a record, so nothing is inferred and nothing is prepared. `WIRE_DIR` alone is for a directory whose recorder also wrote what is no
//! record: the requests are those of `fixtures/wire`, and the answers are compared with those of the directory.

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
fn the_server_answers_as_the_recorded_one_did() {
    let files = recordings();
    assert!(!files.is_empty(), "there are recordings");
    let mut differences = Differences::default();
    let (mut wrong, mut all) = (Vec::new(), 0);
    for file in &files {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let replayed = runtime.block_on(replay::replay(file, &mut differences));
        let equal = replayed.iter().filter(|record| record.problems.is_empty()).count();
        println!("{}: {} replayed, {equal} equal", file.name, replayed.len());
        let records = file.answers.as_ref().unwrap_or(&file.records);
        assert_eq!(replayed.len(), records.len(), "{}: every record is replayed", file.name);
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
async fn kubectl_gets_the_answers_that_it_got() {
    let Some(commands) = commands() else {
        assert!(std::env::var_os("WIRE_DIR").is_some(), "the log of kubectl is here");
        return;
    };
    let (compared, wrong) = kubectl::replay(&commands).await;
    println!("kubectl-requests.json: {compared} replayed, {} equal", compared - wrong.len());
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}
