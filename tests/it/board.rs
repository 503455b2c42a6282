//! Tests of `informer-lab board`: the tables that its page shares with `step`, the expected frames for the page's own
//! tests, and the page.
//!
//! `UPDATE_PLAYER=1 cargo test --test it board` rewrites the tables in `player/src`; then `.ci/player --build` builds
//! the page.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use informer_lab::board::{Recording, runs, words};
use informer_lab::lab::Era;
use informer_lab::step::{FrameContent, Key, Predict, Session, frame_content};
use informer_lab::trace::{Lang, Record};
use serde_json::json;

use crate::cli::{command, file, finish, run};
use crate::links::root;
use crate::runs::{era, finite, recorded};

#[test]
fn the_player_has_the_sentences_of_step_and_the_runs_of_the_catalog() {
    for (name, table) in [("words.json", words()), ("runs.json", runs())] {
        let path = root().join("player/src").join(name);
        let table = format!("{table:#}\n");
        if std::env::var_os("UPDATE_PLAYER").is_some() {
            fs::write(&path, &table).unwrap();
        }
        let fix = "UPDATE_PLAYER=1 cargo test --test it board, and then .ci/player --build";
        assert!(fs::read_to_string(&path).unwrap() == table, "{name}: {fix}");
    }
}

fn frames(records: &[Record], lang: Lang) -> Vec<FrameContent> {
    let mut session = Session::new(records.to_vec(), Predict::No, lang);
    let mut frames: Vec<FrameContent> = frame_content(&session).into_iter().collect();
    while session.press(Key::Forward) {
        frames.extend(frame_content(&session));
    }
    frames
}

/// Writes the expected frames of each run to a file in `target/tmp/board`, where `player/test` compares them with the page.
#[test]
fn the_frames_of_every_run_are_written_for_the_player() {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("board");
    let _ = fs::remove_dir_all(&folder); // files of runs that are no longer in the catalog
    fs::create_dir_all(&folder).unwrap();
    for row in finite() {
        for (of, name) in [(Era::Classic, "classic"), (Era::Modern, "modern")] {
            let records = recorded(row, &era(of));
            let (en, zh) = (frames(&records, Lang::En), frames(&records, Lang::Zh));
            assert!(en.len() == zh.len() && en.len() <= records.len(), "{}", row.command);
            let trace = match of {
                Era::Classic => row.trace,
                Era::Modern => row.modern.as_ref().and_then(|modern| modern.trace),
            };
            let run = json!({
                "command": row.command, "trace": trace, "record": Recording::new(&records).text(), "en": en, "zh": zh,
            });
            let name = format!("{}.{name}.json", row.command.replace([' ', '-'], "_"));
            fs::write(folder.join(name), run.to_string()).unwrap();
        }
    }
}

#[test]
fn a_page_is_written_with_the_record_in_it() {
    let path = file("board.html", "");
    let ran = run(&format!("board reflector --predict --out {}", path.display()));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    let page = fs::read_to_string(&path).unwrap();
    assert!(page.contains(r#""command":"reflector""#) && page.contains(r#""predict":true"#), "the record is missing");
    assert!(page.contains("What does the queue do with it"), "the questions are missing");
}

#[test]
fn a_page_has_the_title_of_its_runs() {
    let path = file("titled.html", "");
    let ran = finish(command("board reflector --beside").arg("reflector --known-objects").arg("--out").arg(&path));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let page = fs::read_to_string(&path).unwrap();
    assert!(
        page.contains("<title>reflector · classic · reflector --known-objects · classic · informer-lab board</title>"),
        "{:.400}",
        page
    );
}

#[test]
fn the_kinds_in_the_record_of_a_controller_are_pod_and_replica_set() {
    let row = finite().find(|row| row.command == "controller").unwrap();
    let records = recorded(row, &era(Era::Classic));
    let kinds: BTreeSet<&str> = records.iter().filter_map(|record| record.of.as_deref()).collect();
    assert_eq!(kinds, BTreeSet::from(["Pod", "ReplicaSet"]));
}

#[test]
fn a_record_written_by_board_contains_the_questions() {
    let path = file("board.ndjson", "");
    let ran = run(&format!("board reflector --out {}", path.display()));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    let record = fs::read_to_string(&path).unwrap();
    assert!(record.starts_with(r#"{"atMs":0"#) && record.contains("What does the queue do with it"), "{record}");
}
