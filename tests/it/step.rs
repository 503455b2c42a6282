//! Tests of step mode without a terminal: frames of each event, forward and back, and the questions, whose answers come from the record.

use std::collections::BTreeSet;

use informer_lab::lab::{Era, Settings};
use informer_lab::step::{Key, Predict, Session, frame, questions};
use informer_lab::trace::{Cause, Lang, Record, What};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::cli::{file, run};
use crate::runs::{era, finite, recorded};

fn records(command: &str) -> Vec<Record> {
    let row = finite().find(|row| row.command == command).unwrap();
    recorded(row, &Settings::default())
}

#[test]
fn a_frame_shows_the_queue_the_store_the_trace_and_the_cause() {
    let mut session = Session::new(records("reflector"), Predict::No, Lang::En);
    while session.record().unwrap().what.name() != "queued" {
        assert!(session.press(Key::Forward));
    }
    let shown = frame(&session, 80, 24).join("\n");
    for part in [
        "queued Added default/nettool",
        "[watch]",
        "*DeltaFIFO*",
        "nettool: [Added 6]",
        "API server",
        "nettool 6",
        "A delta went",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    session.press(Key::Last);
    session.press(Key::Back);
    session.press(Key::First);
    session.press(Key::Search("nettool".to_owned()));
    assert_eq!(session.record().unwrap().what.key(), Some("default/nettool"));
}

#[test]
fn stepping_back_shows_the_same_frames_again() {
    let mut session = Session::new(records("relist --known-objects"), Predict::No, Lang::En);
    let mut frames = vec![frame(&session, 80, 24)];
    while session.press(Key::Forward) {
        frames.push(frame(&session, 80, 24));
    }
    for shown in frames.iter().rev().skip(1) {
        assert!(session.press(Key::Back));
        assert_eq!(frame(&session, 80, 24), *shown);
    }
}

#[test]
fn every_frame_of_every_run_fits_and_none_panics() {
    for row in finite() {
        for (width, height, lang) in [(80, 24, Lang::En), (60, 20, Lang::Zh), (20, 5, Lang::En), (1, 1, Lang::Zh)] {
            let mut session = Session::new(recorded(row, &Settings::default()), Predict::No, lang);
            for _ in 0..60 {
                let shown = frame(&session, width, height);
                assert!(shown.iter().all(|line| line.width() <= usize::from(width)), "{}: {shown:#?}", row.command);
                if !session.press(Key::Forward) {
                    break;
                }
            }
        }
    }
}

#[test]
fn a_question_is_asked_before_a_deletion_and_judged_by_what_happens() {
    for (command, right, why) in [
        ("reflector", false, "this queue has no known objects to ask"),
        ("reflector --known-objects", true, "the known objects have it"),
    ] {
        let mut session = Session::new(records(command), Predict::Yes, Lang::En);
        while session.question().is_none_or(|question| !question.text.0.contains("will Deleted come out")) {
            assert!(session.press(Key::Forward), "{command}: nothing was asked");
        }
        session.press(Key::Answer(right));
        let shown = frame(&session, 80, 24).join("\n");
        assert!(shown.contains("Right") && shown.contains(why) && shown.contains("1/1"), "{command}: {shown}");
        let mut skipped = 0;
        while session.press(Key::Forward) {
            skipped += 1;
        }
        assert!(skipped > 0, "the session goes on after the answer");
    }
}

#[test]
fn every_run_with_a_queue_has_questions_and_shows_their_number() {
    for row in finite() {
        for of in [Era::Classic, Era::Modern] {
            let records = recorded(row, &era(of));
            let popped = records.iter().filter(|record| record.what.name() == "popped").count();
            let mut session = Session::new(records, Predict::Yes, Lang::En);
            let first = frame(&session, 80, 24).join(" ");
            let (mut asked, mut texts) = (0, BTreeSet::new());
            while session.press(Key::Forward) {
                if let Some(question) = session.question().cloned() {
                    asked += 1;
                    texts.insert(question.text.0.clone());
                    session.press(Key::Answer(question.answer));
                    assert!(frame(&session, 80, 24).join(" ").contains("Right"), "{}: {question:?}", row.command);
                }
            }
            let said = match asked {
                0 => "nothing to predict".to_owned(),
                1 => "One question will come".to_owned(),
                n => format!("{n} questions will come"),
            };
            assert!(first.contains(&said), "{} {of:?}: {asked}: {first}", row.command);
            assert!(asked > 0 || popped < 2, "{} {of:?}: {popped} pops, and no question", row.command);
        }
    }
}

#[test]
fn a_key_that_leads_nowhere_shows_the_reason() {
    let mut session = Session::new(records("reflector"), Predict::No, Lang::En);
    for (key, said) in [
        (Key::NextOfKind, "No event run comes after this one."),
        (Key::Search("nobody".to_owned()), "No event after this one is about a key with nobody."),
    ] {
        session.press(key);
        assert!(frame(&session, 80, 24).join("\n").contains(said));
        session.press(Key::Forward);
        session.press(Key::First);
        assert!(!frame(&session, 80, 24).join("\n").contains(said), "the reason is shown once");
    }
}

#[test]
fn the_box_of_a_part_that_the_run_lacks_keeps_its_title() {
    let mut session = Session::new(records("deltafifo"), Predict::No, Lang::En);
    loop {
        let shown = frame(&session, 80, 24).join("\n");
        assert!(shown.contains("DeltaFIFO") && !shown.contains("─queue"), "{shown}");
        assert_eq!(shown.matches("none in this run").count(), 3, "{shown}");
        if !session.press(Key::Forward) {
            break;
        }
    }
    let informer = frame(&Session::new(records("relist --known-objects"), Predict::No, Lang::En), 80, 24).join("\n");
    let row =
        |text: &str| informer.lines().skip_while(|line| !line.contains("Processor")).any(|line| line.contains(text));
    assert!(
        row("none in this run") && row("the pop loop does their work"),
        "this run prints OnDelete without a Processor: {informer}"
    );
    let handlers = frame(&Session::new(records("shared"), Predict::No, Lang::Zh), 80, 24).join("\n");
    assert!(handlers.contains("这次运行没有"), "this run has no store: {handlers}");
}

#[test]
fn the_box_that_changed_shows_the_events_object() {
    let mut session = Session::new(records("relist --known-objects"), Predict::No, Lang::En);
    while session.press(Key::Forward) {
        let record = session.record().unwrap();
        if matches!(record.what.name(), "stored" | "committed") {
            let key = record.what.key().unwrap().trim_start_matches("default/").to_owned();
            let still =
                session.picture().pipeline_of(record.of.as_deref()).server.contains_key(&format!("default/{key}"));
            let name = &key[..key.len().min(20)];
            for height in [24, 18] {
                let shown = frame(&session, 80, height);
                let boxes = shown[1..].iter().filter(|line| line.contains(&format!("│{name}"))).count();
                assert!(boxes > 0 || !still, "{name}: {shown:#?}");
            }
        }
    }
}

#[test]
fn a_narrow_box_shows_how_many_notifications_wait_and_the_current_one() {
    let mut session = Session::new(records("late"), Predict::No, Lang::En);
    let mut seen = false;
    while session.press(Key::Forward) {
        let shown = frame(&session, 60, 24).join("\n");
        seen |= shown.contains(": [… ") && shown.contains("▶ add");
    }
    assert!(seen, "three handlers with long names");
}

#[test]
fn the_score_is_visible_on_sixty_columns_for_every_event() {
    let mut session = Session::new(records("relist --known-objects"), Predict::Yes, Lang::En);
    let mut answered = 0;
    while session.press(Key::Forward) {
        if let Some(question) = session.question().cloned() {
            session.press(Key::Answer(question.answer));
            answered += 1;
        }
        let title = &frame(&session, 60, 24)[0];
        assert!(answered == 0 || title.ends_with(&format!(" {answered}/{answered}")), "{title}");
    }
    assert!(answered > 2, "{answered}");
}

#[test]
fn all_keys_fit_on_sixty_columns_and_the_quit_key_on_forty() {
    for (lang, last, quit) in [(Lang::En, "g G ends", "? help  q quit"), (Lang::Zh, "g G 首尾", "? 按键  q 退出")]
    {
        let session = Session::new(records("reflector"), Predict::No, lang);
        assert!(frame(&session, 60, 20).last().unwrap().ends_with(last));
        assert!(frame(&session, 40, 20).last().unwrap().contains(quit));
    }
}

#[test]
fn the_next_key_closes_the_help() {
    let mut session = Session::new(records("reflector"), Predict::No, Lang::En);
    let shows_help = |session: &Session| frame(session, 80, 24).iter().any(|line| line.contains("y/n answer"));
    session.press(Key::Help);
    assert!(shows_help(&session));
    assert!(session.press(Key::Forward) && !shows_help(&session));
    session.press(Key::Help);
    assert!(session.press(Key::Help) && !shows_help(&session));
}

#[test]
fn a_question_disappears_when_the_reader_moves_to_another_event() {
    for key in [Key::First, Key::Last, Key::Back, Key::NextOfKind, Key::Search("nettool".to_owned())] {
        let mut session = Session::new(records("reflector"), Predict::Yes, Lang::En);
        while session.question().is_none() {
            assert!(session.press(Key::Forward), "nothing was asked");
        }
        session.press(key.clone());
        assert_eq!(session.question(), None, "{key:?}");
    }
}

#[test]
fn a_question_that_the_record_cannot_answer_is_not_asked() {
    let whole = records("relist --known-objects");
    let relist = |record: &Record| record.what.name() == "listed" && record.cause == Some(Cause::Relist);
    let at = whole.iter().position(relist).unwrap();
    let cut_off = whole[..=at].to_vec();
    let mut session = Session::new(cut_off, Predict::Yes, Lang::En);
    while session.press(Key::Forward) {
        let asks = session.question().map(|question| question.text.0.as_str()).unwrap_or_default();
        assert!(!asks.contains("will it leave the store"), "{asks}");
    }
}

#[test]
fn without_a_terminal_the_frames_are_printed() {
    let path = file("stepped.ndjson", "");
    run(&format!("deltafifo --record {}", path.display()));
    let of_file = run(&format!("step {}", path.display()));
    let of_lesson = run("step deltafifo");
    assert_eq!((of_file.code, &of_file.out), (Some(0), &of_lesson.out));
    assert!(of_lesson.out.contains("DeltaFIFO"), "{}", of_lesson.out);
    assert_eq!(run("step reflector --follow").code, Some(2));
    assert_eq!(run("step no-such.ndjson").code, Some(1));
}

#[test]
fn a_verdict_mentions_known_objects_only_if_the_queue_has_some() {
    for row in finite() {
        for of in [Era::Classic, Era::Modern] {
            let records = recorded(row, &era(of));
            let has_some = |record: &Record| {
                matches!(
                    record.what,
                    What::Queued { known_objects: true, .. } | What::Dropped { known_objects: true, .. }
                )
            };
            if records.iter().any(has_some) {
                continue;
            }
            for question in questions(&records).into_values() {
                let (en, zh) = &question.reason;
                assert!(!en.contains("nor known") && !zh.contains("也不在 known"), "{} {of:?}: {en} {zh}", row.command);
            }
        }
    }
}

/// Returns a record whose texts are this long: a line of the trace, a narration, and the key and versions of an object
/// that goes through all boxes.
fn long_texts(length: usize) -> Vec<Record> {
    let long = |piece: &str| piece.repeat(length / piece.len());
    let (key, version) = (long("key-"), long("7"));
    let line = |text: String| json!({"event": "printed", "style": "plain", "line": text});
    let queued = json!({"event": "queued", "of": "Pod", "queue": long("DeltaFIFO "), "key": &key, "knownObjects": true,
        "delta": long("Added"), "resourceVersion": &version});
    let notified = json!({"event": "notified", "of": "Pod", "listener": 0, "notification": long("add "), "key": &key,
        "resourceVersion": &version, "tombstone": false, "pending": 1});
    let index = json!([{"index": long("app "), "values": [long("value ")], "left": []}]);
    let mut events = vec![
        json!({"event": "run", "schema": 1, "program": "1", "command": "listwatch", "seed": 0, "client": "classic", "source": "none"}),
        line(long("word ")),
        line(long("x")),
        line(long("执行")),
        json!({"event": "narrated", "en": long("a b "), "zh": long("旁白")}),
        json!({"event": "committed", "of": "Pod", "change": "created", "key": &key, "resourceVersion": &version, "hidden": true}),
        json!({"event": "list_failed", "of": "Pod", "error": long("error ")}),
        queued.clone(),
        queued,
        json!({"event": "stored", "of": "Pod", "key": &key, "resourceVersion": &version, "old": &version, "indices": index}),
        notified.clone(),
        notified,
        json!({"event": "dropped", "of": "Pod", "key": &key, "knownObjects": false}),
        json!({"event": "work_added", "key": &key, "effect": "queued"}),
        json!({"event": "work_taken", "key": &key}),
        json!({"event": "work_delayed", "key": &key, "delayMs": 5, "rateLimited": true}),
    ];
    events.extend((0..40).map(|number| line(format!("line {number}"))));
    events.iter_mut().for_each(|event| event["atMs"] = json!(0));
    events.into_iter().map(|event| serde_json::from_value(event).unwrap()).collect()
}

#[test]
fn long_texts_are_cut_to_the_frame() {
    for lang in [Lang::En, Lang::Zh] {
        let mut session = Session::new(long_texts(64 << 10), Predict::Yes, lang);
        loop {
            let shown = frame(&session, 80, 24);
            assert!(shown.iter().all(|line| line.width() <= 80), "{shown:?}");
            if !session.press(Key::Forward) {
                break;
            }
        }
    }
}
