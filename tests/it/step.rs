//! Tests of step mode without a terminal: frames of each event, forward and back, and the questions, whose answers come from the record.

use std::collections::BTreeSet;

use informer_lab::lab::{Era, Settings};
use informer_lab::step::{Key, Predict, Question, Session, frame, questions};
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
        "nettool (version 6): Added queued, one waiting.",
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

/// Returns the frames of a whole run, without questions.
fn frames(command: &str, lang: Lang) -> Vec<String> {
    let mut session = Session::new(records(command), Predict::No, lang);
    let mut frames = vec![frame(&session, 80, 24).join("\n")];
    while session.press(Key::Forward) {
        frames.push(frame(&session, 80, 24).join("\n"));
    }
    frames
}

/// Goes on to the next event with this name.
fn go_to(session: &mut Session, name: &str) {
    while session.press(Key::Forward) {
        if session.record().unwrap().what.name() == name {
            return;
        }
    }
    panic!("no event {name} follows");
}

/// Returns the index of the choice that contains this text.
fn choice(question: &Question, part: &str) -> usize {
    let found = question.choices.iter().position(|(en, _)| en.contains(part));
    found.unwrap_or_else(|| panic!("no choice has {part}: {question:?}"))
}

#[test]
fn every_event_has_a_sentence_that_names_its_object_in_both_languages() {
    for row in finite() {
        for of in [Era::Classic, Era::Modern] {
            for record in recorded(row, &era(of)).iter().filter(|record| !record.what.is_program_text()) {
                let sentences = record.said.iter().chain(&record.caption);
                let name = record.what.key().map(|key| key.rsplit('/').next().unwrap()).unwrap_or_default();
                let (en, zh): (Vec<_>, Vec<_>) = sentences.map(|said| (said.en.as_str(), said.zh.as_str())).unzip();
                let context = || format!("{} {of:?}: {record:?}", row.command);
                assert!(en.iter().any(|said| said.contains(name)), "{}", context());
                assert!(zh.iter().any(|said| said.contains(name)), "{}", context());
                assert!(zh.iter().all(|said| said.chars().any(|c| c > '\u{4e00}')), "{}", context());
                let Some(caption) = &record.caption else { continue };
                let parts: Vec<String> = match &record.what {
                    What::Queued { delta, .. } => vec![delta.delta.clone(), "waiting".to_owned()],
                    What::Popped { deltas, .. } => deltas.iter().map(|delta| delta.delta.clone()).collect(),
                    What::Notified { listener, notification, .. } | What::Called { listener, notification, .. } => {
                        vec![format!("handler {listener}"), notification.clone(), "waiting".to_owned()]
                    }
                    What::Stored { resource_version, .. } => vec![resource_version.clone(), "store".to_owned()],
                    _ => Vec::new(),
                };
                let says = |part: &String| caption.en.to_lowercase().contains(&part.to_lowercase());
                assert!(parts.iter().all(says), "{parts:?}: {}", context());
            }
        }
    }
}

#[test]
fn a_question_about_a_deletion_is_judged_by_what_happens() {
    for (command, right, why) in [
        ("reflector", "It drops the deletion", "this queue has no known objects"),
        ("reflector --known-objects", "because the known objects have it", "the store behind the queue has it"),
    ] {
        let mut session = Session::new(records(command), Predict::Yes, Lang::En);
        while session.question().is_none_or(|question| !question.text.0.contains("What does the queue do with it")) {
            assert!(session.press(Key::Forward), "{command}: nothing was asked");
        }
        let answer = choice(session.question().unwrap(), right);
        session.press(Key::Answer(answer));
        let shown = frame(&session, 80, 24).join("\n");
        assert!(shown.contains("Right: ") && shown.contains(why) && shown.contains("1/1"), "{command}: {shown}");
        let mut skipped = 0;
        while session.press(Key::Forward) {
            skipped += 1;
        }
        assert!(skipped > 0, "the session goes on after the answer");
    }
}

#[test]
fn a_wrong_answer_is_shown_the_right_one_and_a_number_without_a_choice_does_nothing() {
    for (lang, verdict) in
        [(Lang::En, "Not quite. The right answer is \u{201c}It drops the deletion"), (Lang::Zh, "不对。正确的是“丢弃")]
    {
        let mut session = Session::new(records("reflector"), Predict::Yes, lang);
        while session.question().is_none_or(|question| !question.text.0.contains("What does the queue do with it")) {
            assert!(session.press(Key::Forward), "nothing was asked");
        }
        let question = session.question().cloned().unwrap();
        assert!(!session.press(Key::Answer(question.choices.len())), "there is no such choice");
        assert_eq!(session.question(), Some(&question));
        session.press(Key::Answer((question.answer + 1) % question.choices.len()));
        let shown = frame(&session, 80, 24).join("\n");
        assert!(shown.contains(verdict) && shown.contains("0/1"), "{shown}");
    }
}

#[test]
fn an_open_question_shows_all_its_choices_on_eighty_columns() {
    for row in finite() {
        for lang in [Lang::En, Lang::Zh] {
            let mut session = Session::new(recorded(row, &Settings::default()), Predict::Yes, lang);
            while session.press(Key::Forward) {
                let Some(question) = session.question() else { continue };
                let shown = frame(&session, 80, 24);
                let without_breaks = |text: &str| text.split_whitespace().collect::<String>();
                let all = without_breaks(&shown.join(""));
                for (number, (en, zh)) in (1..).zip(&question.choices) {
                    let choice = without_breaks(&format!("{number}  {}", lang.pick(en, zh)));
                    assert!(all.contains(&choice), "{}: {choice}: {shown:#?}", row.command);
                }
                assert!(shown.last().unwrap().starts_with(&format!("1-{} ", question.choices.len())), "{shown:#?}");
            }
        }
    }
}

/// Returns true if the words of a text contain those of another one, in whatever case.
fn contains_words(text: &str, words: &str) -> bool {
    let text = text.to_lowercase();
    let words = words.to_lowercase();
    let words = words.trim_matches(|c: char| !c.is_alphanumeric());
    let is_ascii_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(words).any(|(at, found)| {
        !is_ascii_word(text[..at].chars().next_back()) && !is_ascii_word(text[at + found.len()..].chars().next())
    })
}

#[test]
fn every_run_has_questions_that_separate() {
    let (mut all, mut of_two, mut at_places) = (0, 0, [0; 4]);
    for row in finite() {
        for of in [Era::Classic, Era::Modern] {
            let questions = questions(&recorded(row, &era(of)));
            assert!(!questions.is_empty(), "{} {of:?} has no question", row.command);
            for question in questions.into_values() {
                let context = || format!("{} {of:?}: {question:?}", row.command);
                let (en, zh): (BTreeSet<_>, BTreeSet<_>) = question.choices.iter().cloned().unzip();
                let choices = question.choices.len();
                assert!((2..=4).contains(&choices) && en.len() == choices && zh.len() == choices, "{}", context());
                let (right_en, right_zh) = &question.choices[question.answer];
                assert!(!contains_words(&question.text.0, right_en), "{}", context());
                assert!(!contains_words(&question.text.1, right_zh), "{}", context());
                assert!(question.text.0.ends_with('?') && question.text.1.ends_with('？'), "{}", context());
                assert!(!question.reason.0.is_empty() && !question.reason.1.is_empty(), "{}", context());
                all += 1;
                of_two += usize::from(choices == 2);
                at_places[question.answer] += 1;
            }
        }
    }
    assert!(of_two * 2 < all, "{of_two} of {all} questions have two choices only, such as yes and no");
    assert!(
        at_places.iter().all(|answers| answers * 2 < all),
        "the right choice is too often at one place: {at_places:?}"
    );
}

#[test]
fn words_are_found_in_a_question_only_whole() {
    assert!(contains_words("Will Added come out?", "added"));
    assert!(!contains_words("Its last delay was 15 ms.", "5 ms") && !contains_words("2 deltas", "12 deltas"));
    assert!(contains_words("队列会交出 Added 吗？", "Added"));
}

#[test]
fn the_number_of_questions_is_announced_and_each_can_be_answered() {
    for row in finite() {
        for of in [Era::Classic, Era::Modern] {
            let mut session = Session::new(recorded(row, &era(of)), Predict::Yes, Lang::En);
            let first = frame(&session, 80, 24).join(" ");
            let mut asked = 0;
            while session.press(Key::Forward) {
                if let Some(question) = session.question().cloned() {
                    asked += 1;
                    session.press(Key::Answer(question.answer));
                    assert!(frame(&session, 80, 24).join(" ").contains("Right: "), "{}: {question:?}", row.command);
                }
            }
            let said =
                if asked == 1 { "One question will come".to_owned() } else { format!("{asked} questions will come") };
            assert!(first.contains(&said), "{} {of:?}: {asked}: {first}", row.command);
        }
    }
}

#[test]
fn the_reflector_watches_again_from_its_version_and_lists_only_if_that_is_refused() {
    let right = |question: &Question| question.choices[question.answer].0.clone();
    let asked = |command: &str, part: &str| {
        let all: Vec<Question> = questions(&records(command)).into_values().collect();
        all.iter()
            .find(|question| question.text.0.contains(part))
            .cloned()
            .unwrap_or_else(|| panic!("{command}: {all:?}"))
    };
    let ends = asked("loop", "the server ends this watch");
    assert_eq!(right(&ends), "It watches again from version 9, the last that it knows.");
    let expired = asked("loop", "The WATCH failed (too old resource version");
    assert!(right(&expired).starts_with("It lists everything") && expired.reason.0.contains("410"), "{expired:?}");
    let unreachable = asked("relist", "The WATCH failed (");
    assert!(right(&unreachable).starts_with("It lists everything"), "{unreachable:?}");
    assert!(unreachable.reason.0.contains("does not say whether"), "{unreachable:?}");
}

#[test]
fn a_key_goes_to_something_that_is_there_and_says_where() {
    let mut session = Session::new(records("reflector"), Predict::No, Lang::En);
    session.press(Key::NextOfKind);
    assert_eq!(session.record().unwrap().what.name(), "committed");
    assert!(frame(&session, 80, 24).join("\n").contains("The first event that changes a box:"));
    session.press(Key::First);
    go_to(&mut session, "synced");
    session.press(Key::NextOfKind);
    assert_eq!(session.record().unwrap().what.name(), "committed");
    let said = "No other HasSynced follows. The next event that changes a box:";
    assert!(frame(&session, 80, 24).join("\n").contains(said));
    session.press(Key::NextOfKind);
    assert_eq!(session.record().unwrap().what.name(), "committed");
    assert!(!frame(&session, 80, 24).join("\n").contains("No other"), "the same kind is found");
    session.press(Key::Last);
    session.press(Key::NextOfKind);
    let shown = frame(&session, 80, 24).join("\n");
    assert!(shown.contains("No other dropped follows, and no later event changes a box."), "{shown}");
}

#[test]
fn a_key_that_leads_nowhere_shows_the_reason_once() {
    let mut session = Session::new(records("reflector"), Predict::No, Lang::En);
    session.press(Key::Search("nobody".to_owned()));
    let said = "No event after this one is about a key with nobody.";
    assert!(frame(&session, 80, 24).join("\n").contains(said));
    session.press(Key::Forward);
    session.press(Key::First);
    assert!(!frame(&session, 80, 24).join("\n").contains(said));
}

#[test]
fn a_drawing_is_one_frame_and_is_shown_whole() {
    for of in [Era::Classic, Era::Modern] {
        let row = finite().find(|row| row.command == "queue").unwrap();
        let records = recorded(row, &era(of));
        let drawn = |record: &Record| match &record.what {
            What::Line { text, .. } => text.contains(['│', '┌', '├', '└']).then(|| text.clone()),
            _ => None,
        };
        let mut drawings: Vec<Vec<String>> = vec![Vec::new()];
        for record in &records {
            match drawn(record) {
                Some(line) => drawings.last_mut().unwrap().push(line),
                None if drawings.last().unwrap().is_empty() => {}
                None => drawings.push(Vec::new()),
            }
        }
        drawings.retain(|lines| !lines.is_empty());
        assert_eq!(drawings.len(), 7, "{of:?}");
        let mut session = Session::new(records, Predict::No, Lang::En);
        let mut shown = 0;
        loop {
            if session.record().and_then(drawn).is_some() {
                let lines = frame(&session, 80, 24);
                for line in &drawings[shown] {
                    assert!(lines.iter().any(|row| row == line.trim_end()), "{of:?}: {line}: {lines:#?}");
                }
                assert!(lines.iter().any(|line| line.contains("The lesson prints a drawing")), "{lines:#?}");
                shown += 1;
            }
            if !session.press(Key::Forward) {
                break;
            }
        }
        assert_eq!(shown, drawings.len(), "{of:?}: each drawing has one frame");
    }
}

#[test]
fn a_part_that_the_run_does_not_have_takes_no_room() {
    for (command, there, missing) in [
        ("deltafifo", &["DeltaFIFO"][..], &["API server", "Indexer", "Processor", "dirty"][..]),
        ("reflector", &["API server", "DeltaFIFO"], &["Indexer", "Processor", "dirty"]),
        ("relist --known-objects", &["API server", "DeltaFIFO", "Indexer"], &["Processor", "dirty"]),
        ("shared", &["Processor"], &["API server", "DeltaFIFO", "Indexer", "dirty"]),
        ("workqueue --act dedupe", &["work queue", "dirty", "processing"], &["API server", "Processor", "delayed"]),
        ("workqueue", &["work queue", "dirty", "processing", "delayed"], &["API server", "Processor"]),
        ("controller", &["DeltaFIFO", "Indexer", "Processor", "work queue", "dirty", "processing"], &[]),
    ] {
        for (lang, shown) in [(Lang::En, frames(command, Lang::En)), (Lang::Zh, frames(command, Lang::Zh))] {
            for frame in shown {
                let titles: String = frame.lines().filter(|line| line.contains('┐')).collect();
                assert!(there.iter().all(|part| titles.contains(part)), "{command} {lang:?}: {frame}");
                assert!(!missing.iter().any(|part| titles.contains(part)), "{command} {lang:?}: {frame}");
            }
        }
    }
    let shown = frames("mutate", Lang::En);
    assert!(shown.iter().all(|frame| !frame.contains('┐')), "this run has no part of an informer");
}

#[test]
fn the_work_queue_is_drawn_with_dirty_and_processing() {
    let mut session = Session::new(records("workqueue --act dedupe"), Predict::No, Lang::En);
    let boxes = |session: &Session| {
        let shown = frame(session, 80, 24);
        let row = shown.iter().find(|line| line.starts_with('│')).cloned().unwrap_or_else(|| panic!("{shown:#?}"));
        row.split('│').map(|cell| cell.trim().to_owned()).filter(|cell| !cell.is_empty()).collect::<Vec<_>>()
    };
    let added_again = |session: &Session| match &session.record().unwrap().what {
        What::WorkAdded { effect, .. } => effect == "when_done",
        _ => false,
    };
    while !added_again(&session) {
        assert!(session.press(Key::Forward), "a key is added while a worker has it");
    }
    assert_eq!(boxes(&session), ["b", "b", "a"], "queue, dirty (its first line), processing");
    let shown = frame(&session, 80, 24);
    assert!(shown.iter().any(|line| line.contains("│a ") && !line.starts_with("│a")), "a is dirty: {shown:#?}");
    assert!(shown.iter().any(|line| line.contains("*dirty*")), "{shown:#?}");
    go_to(&mut session, "work_done");
    go_to(&mut session, "work_done");
    assert_eq!(boxes(&session)[..2], ["a", "a"], "the key is queued again");
    assert!(!frame(&session, 80, 24).join("").contains(['▶', '↻']), "the boxes need no marks");
}

#[test]
fn an_empty_box_says_what_it_will_hold() {
    let first = &frames("reflector", Lang::En)[0];
    assert!(first.contains("empty: objects, with their") && first.contains("empty: deltas"), "{first}");
    let first = &frames("workqueue", Lang::Zh)[0];
    assert!(first.contains("空：需要处理的"), "{first}");
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
    let shows_help = |session: &Session| frame(session, 80, 24).iter().any(|line| line.contains("1 to 4 answer"));
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
        assert!(!asks.contains("What becomes of"), "{asks}");
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
