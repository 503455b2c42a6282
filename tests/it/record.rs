//! Tests of records of runs: they match the schema, replay byte for byte, and a broken record is refused with the number of its line.

use std::fs;

use informer_lab::lab::Era;
use informer_lab::trace::{Commentary, Picture, Record, What, read_record};
use serde_json::{Value, json};

use crate::cli::{file, run};
use crate::runs::{era, finite, recorded};

fn schema() -> Value {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/record.schema.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn every_line() -> impl Iterator<Item = (&'static str, Record)> {
    let eras = [Era::Classic, Era::Modern];
    let runs = finite().flat_map(move |row| eras.map(|of| (row.command, recorded(row, &era(of)))));
    runs.flat_map(|(command, records)| records.into_iter().map(move |record| (command, record)))
}

#[test]
fn the_record_of_every_run_matches_the_schema() {
    let mut strict = schema();
    strict["unevaluatedProperties"] = json!(false); // the schema must describe every field that we write
    let schema = jsonschema::validator_for(&strict).unwrap();
    for (command, record) in every_line() {
        let line = serde_json::to_value(&record).unwrap();
        let faults: Vec<String> = schema.iter_errors(&line).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{command}: {line}: {faults:?}");
    }
}

#[test]
fn every_line_of_a_record_survives_reading_and_writing() {
    for (command, record) in every_line() {
        let line = serde_json::to_string(&record).unwrap();
        let read: Record = serde_json::from_str(&line).expect(&line);
        assert_eq!(serde_json::to_string(&read).unwrap(), line, "{command}");
    }
}

#[test]
fn the_picture_agrees_with_the_events() {
    let mut pictures = Picture::default();
    for (command, record) in every_line() {
        pictures.apply(&record);
        let pipeline = pictures.pipeline_of(record.of.as_deref());
        match &record.what {
            What::Notified { listener, pending, .. }
            | What::Coalesced { listener, pending, .. }
            | What::Calling { listener, pending, .. }
            | What::Called { listener, pending, .. } => {
                assert_eq!(pipeline.listeners[listener].pending.len(), *pending, "{command}: {record:?}");
            }
            What::Stored { key, resource_version, .. } => {
                assert_eq!(pipeline.store.get(key), Some(resource_version), "{command}");
            }
            What::WorkTaken { key } => {
                let works = pictures.work.processing.iter().filter(|work| work.key == *key).count();
                assert_eq!(works, 1, "{command}: one worker has the key: {record:?}");
            }
            What::WorkDone { key, again } => {
                assert!(pictures.work.processing.iter().all(|work| work.key != *key), "{command}: {record:?}");
                assert_eq!(pictures.work.queued.contains(key), *again, "{command}: {record:?}");
            }
            _ => {}
        }
    }
}

#[test]
fn replay_prints_the_trace_again_byte_for_byte() {
    for row in finite() {
        let path = file(&format!("replayed-{}.ndjson", row.command.replace(' ', "")), "");
        for colors in ["never", "always"] {
            let ran = run(&format!("{} --record {} --color {colors}", row.command, path.display()));
            let again = run(&format!("replay {} --color {colors}", path.display()));
            assert_eq!((again.code, again.out, again.err), (Some(0), ran.out, ran.err), "{}", row.command);
        }
    }
}

#[test]
fn the_tour_is_one_record_of_many_runs() {
    let path = file("tour.ndjson", "");
    let ran = run(&format!("tour --record {}", path.display()));
    assert_eq!(run(&format!("replay {}", path.display())).out, ran.out);
}

#[test]
fn json_on_standard_output_is_the_same_stream() {
    let path = file("json.ndjson", "");
    let ran = run(&format!("late --output json --record {}", path.display()));
    assert_eq!(ran.out, fs::read_to_string(&path).unwrap());
}

#[test]
fn a_torn_or_broken_record_is_refused_with_the_number_of_its_line() {
    let path = file("whole.ndjson", "");
    run(&format!("reflector --record {}", path.display()));
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let torn = format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..20]);
    let broken = format!("{}\nno json\n{}\n", lines[0], lines[1]);
    let later = whole.replacen("\"schema\":1", "\"schema\":2", 1);
    let joined = format!("{}\n{later}", lines[0]);
    for (name, content, said) in [
        ("torn", torn, "line 3 ends in the middle"),
        ("broken", broken, "line 2 is not an event of a record"),
        ("headless", lines[1].to_owned(), "line 1: a record begins with an event \"run\""),
        ("other", "{}".to_owned(), "line 1: a record begins with an event \"run\""),
        ("empty", String::new(), "is empty"),
        ("joined", joined, "line 2: the record has schema 2; this program reads up to 1"),
        ("later", later, "line 1: the record has schema 2; this program reads up to 1"),
    ] {
        let path = file(&format!("{name}.ndjson"), content);
        let ran = run(&format!("replay {}", path.display()));
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{name}");
        assert!(ran.err.contains(said) && ran.err.contains("next: "), "{name}: {}", ran.err);
    }
}

#[test]
fn events_and_fields_of_later_versions_are_ignored() {
    let header = r#"{"atMs":0,"event":"run","schema":1,"program":"9.9.9","command":"reflector","seed":1,"client":"classic","source":"none","new":[1]}"#;
    let unknown = r#"{"atMs":1,"event":"teleported","to":{"a":1},"cause":"magic"}"#;
    let line = r#"{"atMs":2,"event":"printed","style":"sparkling","line":"Added : nettool","extra":true}"#;
    let path = file("future.ndjson", format!("{header}\n{unknown}\n\n{line}\n"));
    let records = read_record(&path).unwrap();
    assert_eq!(records.len(), 3);
    assert_eq!(records[1].what, What::Unknown);
    assert_eq!(run(&format!("replay {}", path.display())).out, "Added : nettool\n");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let ran = run("reflector --record /no/such/folder/run.ndjson");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("cannot write the record"), "{}", ran.err);
}

#[test]
fn the_picture_and_the_commentary_accept_events_in_any_order() {
    let all: Vec<Record> = every_line().map(|(_, record)| record).collect();
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..200 {
        let (mut picture, mut commentary) = (Picture::default(), Commentary::default());
        for _ in 0..100 {
            let mut record = all[random.usize(0..all.len())].clone();
            if random.bool() {
                record.of = Some("Pod".to_owned());
            }
            commentary.remarks_before(&record);
            picture.apply(&record);
            let _ = picture.state_after(&record);
        }
    }
}
