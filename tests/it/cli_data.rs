//! Tests of `informer-lab cluster --data`: every acknowledged write survives, even if the program is killed.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::{fs, thread};

use serde_json::{Value, json};

use crate::cli::{command, finish};
use crate::live::{Live, after};
use crate::runs::rounds;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// The number of clients that write at the same time.
const CLIENTS: usize = 4;

/// The last acknowledged state of each object, by name: its revision and value, or `None` if it was deleted.
type Answered = BTreeMap<String, Option<(u64, Value)>>;

fn start(folder: &Path) -> (Live, SocketAddr) {
    let mut live = Live::start(command("cluster --bare --data").arg(folder));
    let address = after(&mut live.out, "http://").parse().unwrap();
    (live, address)
}

/// Sends a request on a connection that stays open. Returns `None` if the server ended before the whole answer was received.
fn ask(stream: &mut BufReader<TcpStream>, method: &str, path: &str, body: &Value) -> Option<Value> {
    let body = body.to_string();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.get_mut().write_all((head + &body).as_bytes()).ok()?;
    let (mut line, mut length) = (String::new(), None);
    while line != "\r\n" {
        line.clear();
        if stream.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = Some(value.trim().parse().unwrap());
        }
    }
    let mut body = vec![0; length.expect("every answer here has a length")];
    stream.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

fn revision(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap_or_else(|| panic!("{object}")).parse().unwrap()
}

/// Creates, changes and deletes its own objects until the server ends, and notes the acknowledged states. An object whose last request
/// was not answered is left out, because the request may or may not have taken effect.
fn client(address: SocketAddr, round: u64, own: usize, answered: &Mutex<Answered>, progress: &Sender<()>) {
    let Ok(stream) = TcpStream::connect(address) else { return };
    let mut stream = BufReader::new(stream);
    for n in 0.. {
        let name = format!("r{round}-c{own}-{}", n / 3);
        let path = format!("{MAPS}/{name}");
        let map = |value: &str| json!({"metadata": {"name": name}, "data": {"value": value}});
        answered.lock().unwrap().remove(&name);
        let answer = match n % 3 {
            0 => ask(&mut stream, "POST", MAPS, &map("created")),
            1 => ask(&mut stream, "PUT", &path, &map("changed")),
            _ if n % 2 == 0 => ask(&mut stream, "DELETE", &path, &json!({})),
            _ => ask(&mut stream, "GET", &path, &json!({})),
        };
        let Some(answer) = answer else { return };
        let state = (answer["kind"] == "ConfigMap").then(|| (revision(&answer), answer["data"]["value"].clone()));
        answered.lock().unwrap().insert(name, state);
        let _ = progress.send(());
    }
}

#[test]
fn no_acknowledged_write_is_lost_when_the_program_is_killed_again_and_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data-killed");
    let _ = fs::remove_dir_all(&folder); // left by a failed run
    let answered = Mutex::new(Answered::new());
    let mut random = fastrand::Rng::with_seed(17);
    let mut newest = 0;
    for round in 0..rounds(10) {
        let (mut live, address) = start(&folder);
        let mut stream = BufReader::new(TcpStream::connect(address).unwrap());
        let list = ask(&mut stream, "GET", MAPS, &json!({})).unwrap();
        assert!(revision(&list) >= newest, "round {round}: the revision does not go back");
        let items = list["items"].as_array().unwrap();
        let found: BTreeMap<&str, &Value> =
            items.iter().map(|map| (map["metadata"]["name"].as_str().unwrap(), map)).collect();
        for (name, state) in &*answered.lock().unwrap() {
            let found = found.get(name.as_str()).map(|map| (revision(map), map["data"]["value"].clone()));
            assert_eq!(&found, state, "round {round}: {name}");
        }
        newest = revision(&list);

        let (progress, received) = channel();
        thread::scope(|scope| {
            for own in 0..CLIENTS {
                let (answered, progress) = (&answered, progress.clone());
                scope.spawn(move || client(address, round, own, answered, &progress));
            }
            let answers = random.usize(1..120);
            assert_eq!(received.iter().take(answers).count(), answers);
            live.child.kill().unwrap();
            live.child.wait().unwrap();
        });
        let seen = answered.lock().unwrap().values().flatten().map(|(revision, _)| *revision).max();
        newest = newest.max(seen.unwrap_or_default());
    }
    fs::remove_dir_all(&folder).unwrap();
}

/// A limit on the size of a file simulates a full disk. `ulimit` counts in blocks of 512 or 1024 bytes. The trap keeps
/// the signal of the limit from ending the program.
#[cfg(target_os = "linux")]
#[test]
fn writes_are_refused_while_the_log_cannot_grow_and_go_on_when_it_can() {
    use rustix::process::{Pid, Resource, getrlimit, prlimit};
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data-full");
    let _ = fs::remove_dir_all(&folder);
    let program = command("").get_program().to_owned();
    let mut shell = std::process::Command::new("sh");
    let limited = "trap '' XFSZ; ulimit -S -f 4096; exec \"$0\" cluster --bare --data \"$1\"";
    let mut live = Live::start(shell.args(["-c", limited]).arg(program).arg(&folder));
    let address: SocketAddr = after(&mut live.out, "http://").parse().unwrap();
    let mut stream = BufReader::new(TcpStream::connect(address).unwrap());
    let map = |name: &str| json!({"metadata": {"name": name}, "data": {"text": "x".repeat(900_000)}});
    let mut answered = Vec::new();
    let refused = loop {
        let name = format!("m{}", answered.len());
        let answer = ask(&mut stream, "POST", MAPS, &map(&name)).unwrap();
        if answer["kind"] != "ConfigMap" {
            break answer;
        }
        answered.push(name);
    };
    assert_eq!((&refused["kind"], &refused["code"]), (&json!("Status"), &json!(500)), "{refused}");
    let why = "the log cannot be written: File too large (os error 27)";
    assert_eq!(refused["message"], why);
    assert_eq!(ask(&mut stream, "POST", MAPS, &map("other")).unwrap()["message"], why);

    let id = Pid::from_raw(live.child.id().try_into().unwrap());
    prlimit(id, Resource::Fsize, getrlimit(Resource::Fsize)).unwrap();
    assert_eq!(ask(&mut stream, "POST", MAPS, &map("after")).unwrap()["kind"], "ConfigMap");
    live.child.kill().unwrap();
    live.child.wait().unwrap();

    let (live, address) = start(&folder);
    let mut stream = BufReader::new(TcpStream::connect(address).unwrap());
    let list = ask(&mut stream, "GET", MAPS, &json!({})).unwrap();
    let found: Vec<_> = list["items"].as_array().unwrap().iter().map(|map| &map["metadata"]["name"]).collect();
    assert!(
        answered.iter().map(String::as_str).chain(["after"]).all(|name| found.contains(&&json!(name))),
        "{found:?}"
    );
    drop(live);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_changed_bit_of_the_last_answered_write_stops_the_next_start_with_a_next_step() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data-last-bit");
    let _ = fs::remove_dir_all(&folder);
    let (mut live, address) = start(&folder);
    let mut stream = BufReader::new(TcpStream::connect(address).unwrap());
    let map = json!({"metadata": {"name": "answered"}, "data": {"a": "1"}});
    assert_eq!(ask(&mut stream, "POST", MAPS, &map).unwrap()["kind"], "ConfigMap");
    live.child.kill().unwrap();
    live.child.wait().unwrap();
    let log = folder.join("0000000000000001.wal");
    let mut bytes = fs::read(&log).unwrap();
    let at = bytes.len() - 3;
    bytes[at] ^= 1;
    fs::write(&log, &bytes).unwrap();
    let refused = finish(command("cluster --bare --data").arg(&folder));
    assert_eq!(refused.code, Some(1));
    assert!(refused.err.contains("is damaged at byte ") && refused.err.contains("next: "), "{}", refused.err);
    assert_eq!(fs::read(&log).unwrap(), bytes, "the file is left as it is");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_folder_of_a_newer_version_is_an_error() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data-newer");
    let _ = fs::remove_dir_all(&folder);
    let run = || finish(command("cluster --bare --data").arg(&folder).args(["--", "true"]));
    assert_eq!(run().code, Some(0));
    let snapshot = folder.join("0000000000000001.snap");
    let mut bytes = fs::read(&snapshot).unwrap();
    bytes[7] = b'9'; // the version of the format
    fs::write(&snapshot, bytes).unwrap();
    let refused = run();
    assert_eq!(refused.code, Some(1));
    let told = format!("the data in {} was written by a newer informer-lab", folder.display());
    assert!(refused.err.contains(&told) && refused.err.contains("next: "), "{}", refused.err);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_folder_that_another_cluster_uses_is_an_error() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data-in-use");
    let _ = fs::remove_dir_all(&folder);
    let (live, _) = start(&folder);
    let second = finish(command("cluster --data").arg(&folder));
    assert_eq!(second.code, Some(1));
    assert!(second.err.contains("another cluster uses the folder") && second.err.contains("next: "), "{}", second.err);
    drop(live);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_or_a_folder_with_other_files_is_an_error() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data-file");
    fs::write(&file, "").unwrap();
    let told = |folder: &Path| finish(command("cluster --data").arg(folder)).err;
    let (at_file, below) = (told(&file), told(&file.join("below")));
    let foreign = told(Path::new(env!("CARGO_MANIFEST_DIR")));
    assert!(foreign.contains("has other files, and no data of a cluster") && foreign.contains("next: "), "{foreign}");
    assert!(at_file.contains("is a file, not a folder") && at_file.contains("next: "), "{at_file}");
    assert!(below.contains("cannot read or write") && below.contains("next: "), "{below}");
    fs::remove_file(&file).unwrap();
}

#[test]
fn a_cluster_that_continues_from_its_folder_prints_that_and_names_ignored_options() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("data-continued");
    let _ = fs::remove_dir_all(&folder);
    let run = || finish(command("cluster --bare --data").arg(&folder).args(["--", "true"]));
    let [first, second] = [run(), run()];
    assert_eq!([first.code, second.code], [Some(0); 2]);
    let goes_on = format!("continues with the data in {}", folder.display());
    assert_eq!([first, second].map(|run| run.err.contains(&goes_on)), [false, true]);
    let ignored = |line: &str, options: &[&str]| {
        let said = finish(command(line).arg("--data").arg(&folder).args(options).args(["--", "true"])).err;
        said.replace("\n# ", " ").contains(&format!("{goes_on}: --nodes and --pods are ignored"))
    };
    assert!(ignored("cluster", &["--nodes", "2", "--pods", "1"]));
    assert!(!ignored("cluster", &[]));
    fs::remove_dir_all(&folder).unwrap();
}
