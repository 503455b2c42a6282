//! A hostile API server and a hostile record: each string that the program gets from them holds characters that change a
//! terminal, break a line, reverse a text or cannot be seen. None of these may reach what the program prints and writes.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use futures::stream;
use informer_lab::lab::Settings;
use informer_lab::lessons::rows;
use informer_lab::step::{Key, Predict, Session, frame};
use informer_lab::trace::{Lang, Record};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;

use crate::cli::{Ran, command, file, finish};
use crate::runs::{finite, recorded, rounds};
use crate::test_server::TestServer;

/// The ranges of characters that a terminal must not get from outside: C0 and DEL, C1, the marks of direction, the
/// characters without a width, and the separators of lines.
const HIDDEN: [(u32, u32); 9] = [
    (0x00, 0x1f),
    (0x7f, 0x9f),
    (0x61c, 0x61c),
    (0x200b, 0x200f),
    (0x2028, 0x2029),
    (0x202a, 0x202e),
    (0x2060, 0x2064),
    (0x2066, 0x2069),
    (0xfeff, 0xfeff),
];

fn is_hidden(c: char) -> bool {
    HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)))
}

/// The word behind each line break of a hostile string. A line that begins with it was forged.
const FORGED: &str = "FORGED";

/// Puts hidden characters into a text.
fn poison(random: &mut fastrand::Rng, text: &str) -> String {
    let mut poisoned: Vec<String> = text.chars().map(String::from).collect();
    for _ in 0..random.usize(1..4) {
        let (first, last) = HIDDEN[random.usize(..HIDDEN.len())];
        let piece = match random.u8(..4) {
            0 => format!("{}{FORGED} ", ["\n", "\r\n", "\r", "\u{2028}"][random.usize(..4)]),
            1 => ["\u{1b}[2J", "\u{1b}]0;title\u{7}", "\u{9b}31m", "\u{1b}[1A\u{1b}[K"][random.usize(..4)].to_owned(),
            _ => char::from_u32(random.u32(first..=last)).map(String::from).unwrap_or_default(),
        };
        poisoned.insert(random.usize(..=poisoned.len()), piece);
    }
    poisoned.concat()
}

/// Puts hidden characters into each string of a value, and into the keys of labels. The members in `kept` stay as they
/// are, so that the reader still recognizes the kind of the value.
fn poison_all(random: &mut fastrand::Rng, value: &mut Value, kept: &[&str]) {
    match value {
        Value::String(text) => *text = poison(random, text),
        Value::Array(items) => items.iter_mut().for_each(|item| poison_all(random, item, kept)),
        Value::Object(members) => {
            let members = members.iter_mut().filter(|(name, _)| !kept.contains(&name.as_str()));
            for (name, value) in members {
                poison_all(random, value, kept);
                if let (true, Value::Object(labels)) = (name == "labels", value) {
                    *labels =
                        std::mem::take(labels).into_iter().map(|(key, text)| (poison(random, &key), text)).collect();
                }
            }
        }
        _ => {}
    }
}

/// Asserts that a text has no hidden characters but line breaks, and no forged line. In the frames of `step` a line may
/// begin with the forged word, because long words are broken anywhere.
fn assert_clean(text: &str, what: &str) {
    for line in text.split('\n') {
        if let Some(c) = line.chars().find(|c| is_hidden(*c)) {
            panic!("{what}: {c:?} in {line:?}");
        }
        assert!(what.contains("step") || !line.trim_start().starts_with(FORGED), "{what}: {line:?}\n{text}");
    }
}

fn assert_clean_file(path: &Path, what: &str) {
    if let Ok(text) = std::fs::read_to_string(path) {
        assert_clean(&text, &format!("{what}, {}", path.display()));
    }
}

/// Returns a pod or another object whose strings are poisoned.
fn object(random: &mut fastrand::Rng, kind: &str, api_version: &str) -> Value {
    let name = ["nettool", "web-1", "a"][random.usize(..3)];
    let mut object = json!({
        "kind": kind, "apiVersion": api_version,
        "metadata": {
            "name": name, "namespace": "default", "uid": "1-2", "resourceVersion": random.u16(1..).to_string(),
            "labels": {"app": name, "controller": "informer-lab"}, "annotations": {"note": "a"}, "generation": 1,
        },
        "spec": {
            "nodeName": "node-1", "containers": [{"name": "main", "image": "nginx"}], "replicas": 1,
            "selector": {"matchLabels": {"app": name}},
        },
        "status": {"phase": "Running", "podIP": "10.0.0.1", "reason": "a", "message": "b", "replicas": 1},
    });
    let kept: &[&str] = if random.u8(..8) == 0 { &[] } else { &["kind", "apiVersion", "matchLabels"] };
    poison_all(random, &mut object, kept);
    object
}

/// Returns a refusal: a Status, or a text that is no Status.
fn refusal(random: &mut fastrand::Rng) -> (u16, String) {
    let code = [400, 401, 403, 404, 409, 410, 422, 429, 500, 503, 504][random.usize(..11)];
    let reason = ["Forbidden", "Expired", "NotFound", "InternalError", "Timeout"][random.usize(..5)];
    let mut status = json!({
        "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": "it is so",
        "details": {"name": "pods", "causes": [{"reason": "FieldValueInvalid", "message": "no", "field": "a.b"}]},
    });
    let kept: &[&str] = if random.bool() { &["kind", "apiVersion", "status", "reason"] } else { &["kind"] };
    poison_all(random, &mut status, kept);
    match random.u8(..4) {
        0 => (code, poison(random, "<html>a proxy's page</html>")),
        _ => (code, status.to_string()),
    }
}

/// Returns one line of a watch, which may be no event.
fn watch_line(random: &mut fastrand::Rng, kind: &str, api_version: &str) -> String {
    let event = |change: &str, object: Value| json!({"type": change, "object": object}).to_string();
    let line = match random.u8(..16) {
        0 => {
            let status: Value = serde_json::from_str(&refusal(random).1).unwrap_or_default();
            event("ERROR", status)
        }
        1 => event(&poison(random, "ADDED"), object(random, kind, api_version)),
        2 => poison(random, r#"{"type":"ADDED","object":7}"#).replace('\n', "\r"),
        3 => json!({"type": "ADDED", "object": {"kind": kind, "apiVersion": api_version, "metadata": poison(random, "x")}})
            .to_string(),
        4 => {
            let bookmark = object(random, kind, api_version);
            event("BOOKMARK", bookmark)
        }
        n => event(["ADDED", "MODIFIED", "DELETED"][usize::from(n) % 3], object(random, kind, api_version)),
    };
    line + "\n"
}

/// Answers a request by the seed and the number of the request.
async fn answer(State(numbers): State<Arc<(u64, AtomicU64)>>, request: Request) -> Response {
    let number = numbers.1.fetch_add(1, Ordering::Relaxed);
    let mut random = fastrand::Rng::with_seed(numbers.0 * 1_000 + number);
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    let last = path.rsplit('/').next().unwrap_or_default();
    let (kind, api_version) = match last {
        "pods" => ("Pod", "v1"),
        "replicasets" => ("ReplicaSet", "apps/v1"),
        _ if path.contains("/pods/") => ("Pod", "v1"),
        _ if path.contains("/replicasets/") => ("ReplicaSet", "apps/v1"),
        _ => ("Namespace", "v1"),
    };
    if random.u8(..6) == 0 {
        let (code, text) = refusal(&mut random);
        return Response::builder().status(code).body(Body::from(text)).unwrap();
    }
    if query.contains("watch=") {
        let lines: Vec<_> = (0..random.usize(1..30)).map(|_| watch_line(&mut random, kind, api_version)).collect();
        return Response::new(Body::from_stream(stream::iter(lines.into_iter().map(Ok::<_, Infallible>))));
    }
    let is_list = matches!(last, "pods" | "replicasets") && request.method() == "GET";
    let value = match last {
        "version" => {
            let mut version = json!({
                "gitVersion": "v1.37.2", "major": "1", "minor": "37", "gitCommit": "a", "gitTreeState": "clean",
                "buildDate": "b", "goVersion": "go", "compiler": "gc", "platform": "linux/amd64",
            });
            poison_all(&mut random, &mut version, &[]);
            version
        }
        _ if is_list => {
            let items: Vec<_> = (0..random.usize(..6)).map(|_| object(&mut random, kind, api_version)).collect();
            let version = poison(&mut random, "7");
            json!({"kind": format!("{kind}List"), "apiVersion": api_version, "metadata": {"resourceVersion": version}, "items": items})
        }
        _ => object(&mut random, kind, api_version),
    };
    Response::new(Body::from(value.to_string()))
}

/// Returns options of output by the seed, and the files that they name.
fn options(random: &mut fastrand::Rng, name: &str, of_lesson: bool) -> (Vec<String>, Vec<std::path::PathBuf>) {
    let (mut words, mut files) = (Vec::new(), Vec::new());
    let mut add = |option: &[&str]| words.extend(option.iter().map(|word| (*word).to_owned()));
    if random.bool() {
        add(&["--lang", "zh"]);
    }
    if random.bool() {
        add(&["-v"]);
    }
    if random.bool() {
        add(&["--narrate"]);
    }
    if random.bool() {
        add(&["--explain"]);
    }
    if of_lesson && random.bool() {
        add(&["--output", "json"]);
    }
    if random.bool() {
        let transcript = file(&format!("{name}.transcript"), "");
        add(&["--transcript", &transcript.display().to_string()]);
        files.push(transcript);
    }
    (words, files)
}

/// Runs a command with these options. Checks that its outputs and files are clean, and that it does not panic.
fn check(command: &mut Command, words: &[String], files: &[std::path::PathBuf], what: &str) -> Ran {
    let ran = finish(command.args(words));
    assert_clean(&ran.out, &format!("{what} {words:?}, standard output"));
    assert_clean(&ran.err, &format!("{what} {words:?}, standard error"));
    files.iter().for_each(|file| assert_clean_file(file, what));
    assert_ne!(ran.code, None, "{what} {words:?}: {}", ran.err);
    assert_ne!(ran.code, Some(101), "{what} {words:?} panicked: {}", ran.err);
    ran
}

/// Runs `doctor` and a random lesson against the hostile server of this seed, and the readers of records on the
/// lesson's record.
fn against_the_server(seed: u64) {
    let mut random = fastrand::Rng::with_seed(seed);
    let lessons: Vec<_> = rows().collect();
    let lesson = lessons[random.usize(..lessons.len())].command;
    let numbers = Arc::new((seed, AtomicU64::new(0)));
    let served = TestServer::new(move || Router::new().fallback(answer).with_state(numbers));
    let name = format!("hostile-{seed}");
    for line in ["doctor", lesson] {
        let (mut words, mut files) = options(&mut random, &name, line != "doctor");
        if line != "doctor" {
            words.extend(["--for", "300ms"].map(str::to_owned));
            if random.bool() {
                let record = file(&format!("{name}.ndjson"), "");
                words.extend(["--record".to_owned(), record.display().to_string()]);
                files.push(record);
            }
        }
        let ran = check(&mut served.command(&name, line), &words, &files, &format!("seed {seed}: {line}"));
        if ran.code != Some(2) && line != "doctor" && words.contains(&"--record".to_owned()) {
            replayed(&mut random, files.last().unwrap(), &name, seed); // what a hostile server has put into a record
        }
    }
}

/// Runs each reader of a record on a file.
fn replayed(random: &mut fastrand::Rng, record: &Path, name: &str, seed: u64) {
    let record = record.display().to_string();
    for line in ["replay", "step", "board"] {
        let (mut words, mut files) = options(random, name, line == "replay");
        if line == "board" {
            let page = file(&format!("{name}.board.ndjson"), "");
            words.extend(["--out".to_owned(), page.display().to_string()]);
            files.push(page);
        }
        words.push(record.clone());
        check(&mut command(line), &words, &files, &format!("seed {seed}: {line}"));
    }
}

/// Returns the record of a run in which each string is poisoned that a reader does not need to know the event.
fn poisoned_record(random: &mut fastrand::Rng) -> Vec<Value> {
    let all: Vec<_> = finite().collect();
    let row = all[random.usize(..all.len())];
    let mut values: Vec<_> = recorded(row, &Settings::default()).iter().map(|record| json!(record)).collect();
    for value in &mut values {
        // A run keeps its form; an event may have a name that no reader knows.
        let kept: &[&str] = if random.u8(..16) == 0 && value["event"] != "run" { &[] } else { &["event", "style"] };
        poison_all(random, value, kept);
    }
    values
}

#[test]
fn no_hidden_character_of_a_server_reaches_an_output() {
    let seeds: Vec<u64> = (0..rounds(8)).collect();
    thread::scope(|scope| {
        for part in 0..4 {
            let seeds = &seeds;
            scope.spawn(move || seeds.iter().skip(part).step_by(4).for_each(|seed| against_the_server(*seed)));
        }
    });
}

#[test]
fn no_hidden_character_of_a_record_reaches_an_output() {
    for seed in 0..rounds(2) {
        let mut random = fastrand::Rng::with_seed(seed);
        let lines: String = poisoned_record(&mut random).iter().map(|value| format!("{value}\n")).collect();
        let name = format!("hostile-record-{seed}");
        replayed(&mut random, &file(&format!("{name}.ndjson"), lines), &name, seed);
    }
}

#[test]
fn no_hidden_character_of_a_record_reaches_a_frame() {
    for seed in 0..rounds(10) {
        let mut random = fastrand::Rng::with_seed(seed);
        let values = poisoned_record(&mut random);
        let records: Vec<Record> = values.into_iter().map(|value| serde_json::from_value(value).unwrap()).collect();
        let (lang, predict) = (if random.bool() { Lang::Zh } else { Lang::En }, Predict::Yes);
        let mut session = Session::new(records, predict, lang);
        loop {
            let shown = frame(&session, random.u16(1..120), random.u16(1..40));
            shown.iter().for_each(|line| assert!(!line.chars().any(is_hidden), "seed {seed}: {line:?}"));
            if !session.press(Key::Forward) {
                break;
            }
        }
    }
}

#[test]
fn json_of_a_record_gives_the_same_text_back() {
    let mut random = fastrand::Rng::with_seed(7);
    let values = poisoned_record(&mut random);
    let lines: String = values.iter().map(|value| format!("{value}\n")).collect();
    let record = file("hostile-round-trip.ndjson", lines);
    let ran = finish(command("replay --output json").arg(record));
    let known = |value: &Value| -> Option<BTreeMap<String, Value>> {
        let record: Record = serde_json::from_value(value.clone()).ok()?;
        serde_json::from_value(json!(record)).ok()
    };
    let again: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(again.iter().map(known).collect::<Vec<_>>(), values.iter().map(known).collect::<Vec<_>>());
    assert_clean(&ran.out, "replay --output json");
}
