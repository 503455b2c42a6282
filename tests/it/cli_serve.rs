//! Tests of the built-in cluster as a server (`informer-lab cluster`, `--listen`), and of typed commands.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::cli::{command, file, finish, run};
use crate::live::{Live, after};
#[cfg(target_os = "linux")]
use crate::screen::Screen;

fn ask(address: SocketAddr, head: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let request = format!("{head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

const POD: &str = r#"{"metadata": {"name": "nettool"}, "spec": {"containers": [{"name": "main", "image": "nginx"}]}}"#;
const CREATE: &str = "POST /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: localhost";

/// Waits until a cluster has started the process that ends its command after a `kill -9`.
#[cfg(target_os = "linux")]
fn wait_for_guardian(cluster: u32) {
    let is_guardian = |process: &str| {
        fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|words| words.starts_with(b"informer-lab-guardian\0"))
    };
    let has_guardian = || {
        let threads = fs::read_dir(format!("/proc/{cluster}/task")).unwrap();
        threads.flatten().any(|thread| {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            children.split_whitespace().any(is_guardian)
        })
    };
    while !has_guardian() {
        std::thread::yield_now();
    }
}

/// The pipe ends when all processes that have it as standard output have ended.
#[cfg(target_os = "linux")]
#[test]
fn the_command_and_what_it_has_started_end_when_the_cluster_is_killed() {
    let mut cluster = command("cluster --bare -- sh -c");
    let mut live = Live::start(cluster.arg("echo \"at $KUBECONFIG\"; tail -f /dev/null & wait"));
    let kubeconfig = after(&mut live.out, "at ");
    assert!(Path::new(&kubeconfig).exists());
    wait_for_guardian(live.child.id());
    live.child.kill().unwrap();
    live.child.wait().unwrap();
    assert_eq!(live.out.read_to_string(&mut String::new()).unwrap(), 0);
    assert!(!Path::new(&kubeconfig).parent().unwrap().exists());
}

/// In the foreground of a terminal, the command is in the group of the cluster and of the shell that has started it. The
/// shell lives on: if it ended, the system would hang up on the whole group.
#[cfg(target_os = "linux")]
#[test]
fn the_command_and_what_it_has_started_end_when_the_cluster_is_killed_on_a_terminal() {
    let pipe = Path::new(env!("CARGO_TARGET_TMPDIR")).join("killed-on-a-terminal.pipe");
    let _ = fs::remove_file(&pipe); // left by an earlier run
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let script = format!("echo \"cluster $PPID.\"; sh -c 'tail -f /dev/null & wait' > {} & wait", pipe.display());
    let program = command("").get_program().display().to_string();
    let mut screen =
        Screen::running(&format!("{program} cluster --bare -- sh -c {}; echo over; cat", shell_word(&script)));
    let shown =
        screen.until("the number of the cluster's process", |text| text.contains("cluster ") && text.contains('.'));
    let cluster = shown.split_once("cluster ").unwrap().1.split_once('.').unwrap().0.to_owned();
    let mut pipe = fs::File::open(&pipe).unwrap();
    wait_for_guardian(cluster.parse().unwrap());
    assert!(Command::new("sh").args(["-c", &format!("kill -KILL {cluster}")]).status().unwrap().success());
    assert_eq!(pipe.read_to_string(&mut String::new()).unwrap(), 0, "the pipe ends with the last process that has it");
    screen.shows("over");
    screen.types("\x04");
    screen.ends();
}

#[test]
fn a_cluster_prints_its_address_and_removes_its_kubeconfig_at_the_end() {
    let (mut live, address) = Live::cluster("--pods 3");
    let path = after(&mut live.out, "export KUBECONFIG=");
    let kubeconfig = fs::read_to_string(&path).unwrap();
    assert!(kubeconfig.contains(&format!("server: http://{address}\n")), "{kubeconfig}");
    let list = ask(address, "GET /api/v1/pods HTTP/1.1\r\nHost: localhost", "");
    assert_eq!(list.matches(r#""phase":"Running""#).count(), 3, "{list}");
    assert_eq!(live.signal("INT").code(), Some(130));
    assert!(!Path::new(&path).parent().unwrap().exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_terminal_ends_the_cluster_and_removes_its_kubeconfig() {
    // If these tests run under nohup, SIGHUP is ignored and the program inherits that. So it is set to its default first.
    let mut env = Command::new("env");
    let env = env.args(["--default-signal=HUP"]).arg(command("").get_program()).arg("cluster").stdin(Stdio::null());
    let mut live = Live::start(env);
    let path = after(&mut live.out, "export KUBECONFIG=");
    assert_eq!(live.signal("HUP").code(), Some(129));
    assert!(!Path::new(&path).parent().unwrap().exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_cluster_under_nohup_outlives_its_terminal() {
    let mut nohup = Command::new("nohup");
    let mut live = Live::start(nohup.arg(command("").get_program()).arg("cluster").stdin(Stdio::null()));
    let address: SocketAddr = after(&mut live.out, "http://").parse().unwrap();
    let kill = format!("kill -HUP {}", live.child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    assert!(ask(address, CREATE, POD).starts_with("HTTP/1.1 201 "));
    assert_eq!(live.signal("TERM").code(), Some(143));
}

#[test]
fn a_second_cluster_at_the_same_address_has_higher_revisions_than_the_first() {
    let revision = |address| {
        let list = ask(address, "GET /api/v1/namespaces?limit=1 HTTP/1.1\r\nHost: localhost", "");
        let (_, rest) = list.split_once(r#""resourceVersion":""#).expect("a list has a version");
        rest.split_once('"').unwrap().0.parse::<u64>().unwrap()
    };
    let path = file("restarted.kubeconfig", "");
    let path = format!("--kubeconfig-out {}", path.display());
    // With 1000 pods, the first cluster has had far more writes than the second.
    let (first, address) = Live::cluster(&format!("--pods 1000 {path}"));
    let before = revision(address);
    first.signal("KILL");
    let (second, address) = Live::cluster(&format!("--listen {address} {path}"));
    assert!(revision(address) > before);
    let old = format!("GET /api/v1/pods?watch=true&resourceVersion={before} HTTP/1.1\r\nHost: localhost");
    assert!(ask(address, &old, "").contains(r#""code":410"#));
    second.signal("INT");
}

#[test]
fn ctrl_c_ends_the_watches_of_a_cluster() {
    let (live, address) = Live::cluster("");
    let mut watch = TcpStream::connect(address).unwrap();
    watch.write_all(b"GET /api/v1/namespaces?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(watch);
    after(&mut lines, "kube-system");
    assert_eq!(live.signal("TERM").code(), Some(143));
    let mut rest = String::new();
    lines.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("\r\n0\r\n\r\n"), "the chunked answer is complete: {rest:?}");
}

#[test]
fn a_command_gets_the_clusters_kubeconfig_and_its_exit_code_is_returned() {
    let ran = finish(command("cluster --").args(["sh", "-c", "grep -c 127.0.0.1 $KUBECONFIG; exit 7"]));
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(7), "1\n", ""));
    let ran = finish(command("cluster --").args(["sh", "-c", "kill -KILL $$"]));
    assert_eq!(ran.code, Some(128 + 9));
    let ran = run("cluster -- no-such-command");
    assert_eq!(ran.code, Some(127));
    assert!(ran.err.contains("there is no command no-such-command"), "{}", ran.err);
}

/// The outer shell handles a signal only after the inner one (which becomes `cat`) has ended. So the test ends only if the signal reaches
/// both.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_reaches_the_command_and_its_child_processes() {
    for name in ["TERM", "INT", "HUP"] {
        // Runs without a terminal and with the default handling of signals, as under a supervisor.
        let mut supervised = Command::new("setsid");
        supervised.args(["env", "--default-signal=HUP,INT"]).arg(command("").get_program()).args(["cluster", "--"]);
        let script = format!("trap 'exit 5' {name}; sh -c 'echo up; exec cat'; exit 6");
        let mut live = Live::start(supervised.args(["sh", "-c", &script]).stdin(Stdio::piped()));
        let keyboard = live.child.stdin.take(); // wait() would close the child's standard input, which ends `cat` without a signal
        after(&mut live.out, "up");
        let kill = format!("kill -{name} {}", live.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        assert_eq!(live.child.wait().unwrap().code(), Some(5), "{name}");
        assert_eq!(live.out.read_line(&mut String::new()).unwrap(), 0, "no process is left that could write: {name}");
        drop(keyboard);
    }
}

/// The command alone handles Ctrl-C and receives it once, which matters if the command is a shell.
#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_on_a_terminal_reaches_the_command_once_and_does_not_end_the_cluster() {
    let script = "trap 'n=$((n + 1))' INT; echo up; read a; read b; echo it came $n time";
    let mut screen = Screen::of(&format!("cluster -- sh -c {}", shell_word(script)));
    screen.shows("up");
    screen.types("\x03\n\n");
    let (shown, code) = screen.ends();
    assert!(shown.contains("it came 1 time"), "{shown}");
    assert_eq!(code, Some(0));
}

fn shell_word(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[test]
fn a_cluster_refuses_other_machines_and_web_pages() {
    let refused = run("cluster --listen 0.0.0.0:0");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("no authentication"), "{}", refused.err);
    let (live, address) = Live::cluster("");
    for head in [
        "GET /api/v1/pods HTTP/1.1\r\nHost: rebound.example.com",
        "POST /api/v1/namespaces/default/pods HTTP/1.1\r\nHost: localhost\r\nOrigin: https://example.com",
        "GET /api/v1/pods?watch=1 HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site",
    ] {
        let answer = ask(address, head, POD);
        assert!(answer.starts_with("HTTP/1.1 403 ") && answer.contains(r#""reason":"Forbidden""#), "{answer}");
    }
    live.signal("INT");
}

#[test]
fn a_scenario_that_fails_is_reported_and_the_cluster_stays_up() {
    let scenario = file("impossible.yaml", "- {at: 0s, delete: nosuch}\n");
    let (mut live, address) = Live::cluster(&format!("--scenario {}", scenario.display()));
    after(&mut live.err, "error: the scenario cannot continue");
    let answer = ask(address, CREATE, POD);
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    live.signal("INT");
}

#[test]
fn a_lesson_that_listens_shows_the_changes_of_other_programs() {
    let mut live = Live::start(&mut command("reflector --listen"));
    let kubeconfig = fs::read_to_string(after(&mut live.err, "export KUBECONFIG=")).unwrap();
    let address = after(&mut kubeconfig.as_bytes(), "http://").parse().unwrap();
    after(&mut live.err, "kubectl run nettool"); // only a suggestion, because the run does not perform the scenario
    let answer = ask(address, CREATE, POD);
    assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");
    assert_eq!(after(&mut live.out, "Added : nettool"), ": Pending");
    assert_eq!(live.signal("INT").code(), Some(130));
}

#[test]
fn typed_commands_are_carried_out() {
    let nothing = file("nothing-typed.yaml", "[]");
    let line = format!("reflector --known-objects --follow --scenario {}", nothing.display());
    let mut live = Live::start(command(&line).stdin(Stdio::piped()));
    let mut keyboard = live.child.stdin.take().unwrap();
    keyboard.write_all(b"jump\nrun nettool\n").unwrap();
    after(&mut live.err, "jump is not a command");
    assert_eq!(after(&mut live.out, "Added : nettool"), ": Pending");
    keyboard.write_all(b"delete nosuch\ndelete nettool\n").unwrap();
    after(&mut live.err, "kubectl delete pod nosuch: pods \"nosuch\" not found");
    after(&mut live.out, "Deleted : nettool");
    live.signal("INT");
    let ran = run("cluster --stages no-such-stages");
    assert!(ran.code == Some(1) && ran.err.contains("one of run, fast,"), "{}", ran.err);
}

#[test]
fn a_deletion_while_the_connection_is_cut_arrives_as_a_tombstone() {
    let nothing = file("nothing-cut.yaml", "[]");
    let line = format!("reflector --known-objects --follow --scenario {}", nothing.display());
    let mut live = Live::start(command(&line).stdin(Stdio::piped()));
    let mut keyboard = live.child.stdin.take().unwrap();
    keyboard.write_all(b"run web\n").unwrap();
    after(&mut live.out, "Updated : web : Running");
    keyboard.write_all(b"store\nqueue\ncut\n").unwrap();
    after(&mut live.err, "default/web  resourceVersion ");
    assert_eq!(after(&mut live.err, "# "), "empty", "the pop loop has processed all events of the watch");
    after(&mut live.err, "the connection is cut");
    keyboard.write_all(b"delete web\nget\n").unwrap();
    after(&mut live.err, "kubectl delete pod web");
    while after(&mut live.err, "# ") != "no pods" {
        keyboard.write_all(b"get\n").unwrap();
    }
    keyboard.write_all(b"resync\n").unwrap();
    after(&mut live.err, "the connection is cut: type heal first");
    keyboard.write_all(b"heal\nheal\n").unwrap();
    after(&mut live.err, "gets through, after its back-off");
    after(&mut live.err, "nothing was cut");
    assert!(after(&mut live.out, "Deleted : web").contains("DeletedFinalStateUnknown"));
    live.signal("INT");
}

#[test]
fn a_typed_resync_delivers_the_store_again() {
    let nothing = file("nothing-resynced.yaml", "[]");
    let record = file("typed-resync.ndjson", "");
    let line =
        format!("reflector --known-objects --follow --scenario {} --record {}", nothing.display(), record.display());
    let mut live = Live::start(command(&line).stdin(Stdio::piped()));
    let mut keyboard = live.child.stdin.take().unwrap();
    keyboard.write_all(b"run web\n").unwrap();
    after(&mut live.out, "Updated : web : Running");
    keyboard.write_all(b"resync\n").unwrap();
    assert_eq!(after(&mut live.out, "Sync : web"), ": Running");
    live.signal("INT");
    let written = fs::read_to_string(record).unwrap();
    let resynced = written.lines().find(|line| line.contains(r#""event":"resynced""#)).unwrap();
    assert!(resynced.contains(r#""cause":"call""#), "the cause is the command, not a timer: {resynced}");
}

#[test]
fn a_handler_added_by_a_typed_command_receives_the_store_and_can_be_made_slow() {
    let nothing = file("nothing-late.yaml", "[]");
    let record = file("typed-late.ndjson", "");
    let (nothing, to) = (nothing.display(), record.display());
    let line = format!("shared --step list-watch --follow --scenario {nothing} --record {to}");
    let mut live = Live::start(command(&line).stdin(Stdio::piped()));
    let mut keyboard = live.child.stdin.take().unwrap();
    keyboard.write_all(b"run web\n").unwrap();
    after(&mut live.err, "kubectl run web");
    after(&mut live.out, "web");
    keyboard.write_all(b"late\nslow never\nslow 1\n").unwrap();
    after(&mut live.err, "a handler is added");
    after(&mut live.err, "expected slow MS");
    after(&mut live.err, "take 1 ms for each notification");
    after(&mut live.out, "OnAdd:late-1 web (initial)");
    keyboard.write_all(b"slow 60000\nlabel web tier=front\nlabel web tier=back\n").unwrap();
    after(&mut live.err, "tier=back");
    live.signal("INT");
    let written = fs::read_to_string(record).unwrap();
    let joined = written.lines().find(|line| line.contains(r#""event":"joined""#) && line.contains(r#""listener":2"#));
    assert!(!joined.unwrap().contains(r#""existing":0"#), "the handler was added while the informer ran: {joined:?}");
}

#[test]
fn a_lesson_without_an_informer_refuses_new_handlers() {
    let mut live = Live::start(command("reflector --follow").stdin(Stdio::piped()));
    live.child.stdin.take().unwrap().write_all(b"slow 5\n").unwrap();
    after(&mut live.err, "this lesson takes no other handler");
    live.signal("INT");
}

#[test]
fn typed_commands_that_need_a_store_are_refused_without_one() {
    let nothing = file("nothing-stored.yaml", "[]");
    let mut live =
        Live::start(command(&format!("reflector --follow --scenario {}", nothing.display())).stdin(Stdio::piped()));
    let mut keyboard = live.child.stdin.take().unwrap();
    keyboard.write_all(b"run web\n").unwrap();
    after(&mut live.out, "Updated : web : Running");
    keyboard.write_all(b"store\nresync\nstores\nscale web\n").unwrap();
    after(&mut live.err, "this lesson has no store");
    after(&mut live.err, "this DeltaFIFO has no known objects");
    let commands = after(&mut live.err, "stores is not a command: ");
    for named in ["run NAME", "get", "store", "queue", "resync", "cut", "heal", "Ctrl-C ends the run"] {
        assert!(commands.contains(named), "{named}: {commands}");
    }
    after(&mut live.err, "scale web: expected scale NAME REPLICAS");
    live.signal("INT");
}

#[test]
fn a_cluster_that_ends_prints_how_to_clean_up_in_the_other_terminal() {
    let ran = run("listwatch --listen 127.0.0.1:0 --for 1ms");
    assert!(ran.err.contains("export KUBECONFIG="), "{}", ran.err);
    assert!(ran.err.trim_end().ends_with("in the other terminal: unset KUBECONFIG"), "{}", ran.err);
    assert!(!run("listwatch --follow --for 1ms").err.contains("KUBECONFIG"));
}

#[test]
fn a_typed_resync_is_refused_in_a_lesson_without_a_reflector() {
    let mut live = Live::start(command("listwatch --follow").stdin(Stdio::piped()));
    live.child.stdin.take().unwrap().write_all(b"resync\n").unwrap();
    after(&mut live.err, "no Reflector watches now");
    live.signal("INT");
}

#[test]
fn the_record_of_a_live_run_contains_the_typed_commands_and_their_effects() {
    for (name, option) in [("follow", "--follow"), ("listen", "--listen 127.0.0.1:0")] {
        let nothing = file(&format!("nothing-recorded-{name}.yaml"), "[]");
        let record = file(&format!("live-{name}.ndjson"), "");
        let line = format!("reflector {option} --scenario {} --record {}", nothing.display(), record.display());
        let mut live = Live::start(command(&line).stdin(Stdio::piped()));
        let mut keyboard = live.child.stdin.take().unwrap();
        keyboard.write_all(b"run web\n").unwrap();
        let mut trace = String::new();
        while !trace.contains("Running") {
            assert!(live.out.read_line(&mut trace).unwrap() > 0, "the program ended: {trace}");
        }
        let kill = format!("kill -INT {}", live.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
        live.out.read_to_string(&mut trace).unwrap();
        let mut said = String::new();
        live.err.read_to_string(&mut said).unwrap();
        live.child.wait().unwrap();
        let again = run(&format!("replay {}", record.display()));
        assert_eq!((again.code, again.out), (Some(0), trace), "{option}: {said}");
        let written = fs::read_to_string(record).unwrap();
        assert!(written.lines().next().unwrap().contains(r#""source":"built-in""#), "{written}");
        assert!(
            written.contains(r#""en":"kubectl run web"#) && written.contains(r#""event":"committed""#),
            "{written}"
        );
    }
}

#[test]
fn a_fault_on_the_command_line_affects_the_first_request() {
    let (live, address) = Live::cluster("--fault 500:times=1 --fault delay:by=1ms,times=1");
    let get = "GET /api/v1/pods HTTP/1.1\r\nHost: localhost";
    assert!(ask(address, get, "").starts_with("HTTP/1.1 500 "));
    assert!(ask(address, get, "").starts_with("HTTP/1.1 200 "));
    assert_eq!(live.signal("INT").code(), Some(130));
}

#[test]
fn a_missing_command_after_two_dashes_is_a_usage_error() {
    assert_eq!(run("cluster --").code, Some(2));
}

#[test]
fn a_cluster_does_not_overwrite_the_kubeconfig_of_a_running_cluster() {
    let path = file("shared.kubeconfig", "");
    let shown = path.display();
    let (live, _) = Live::cluster(&format!("--kubeconfig-out {shown}"));
    let before = fs::read_to_string(&path).unwrap();
    let refused = run(&format!("cluster --kubeconfig-out {shown}"));
    assert!(refused.code == Some(1) && refused.err.contains("belongs to the cluster that runs at"), "{}", refused.err);
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    live.signal("INT");
    assert_eq!(run(&format!("cluster --kubeconfig-out {shown} -- true")).code, Some(0));
}

#[test]
fn malformed_requests_are_answered_with_a_status() {
    let (live, address) = Live::cluster("");
    let selector = format!("GET /api/v1/pods?labelSelector={} HTTP/1.1\r\nHost: localhost", "a".repeat(100_000));
    for (head, code) in [(selector.as_str(), 414), ("GET /\u{1} nonsense", 400), ("GET / HTTP/1.1\r\nno header", 400)] {
        let answer = ask(address, head, "");
        assert!(answer.starts_with(&format!("HTTP/1.1 {code} ")), "{answer}");
        let status = answer.split("\r\n\r\n").nth(1).unwrap();
        assert!(status.starts_with(r#"{"kind":"Status","#) && status.contains(&format!("\"code\":{code}")), "{answer}");
    }
    live.signal("INT");
}

#[test]
fn a_client_may_begin_with_http_2() {
    let (live, address) = Live::cluster("");
    let mut stream = TcpStream::connect(address).unwrap();
    const SETTINGS: u8 = 4;
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
    stream.write_all(&[0, 0, 0, SETTINGS, 0, 0, 0, 0, 0]).unwrap(); // a frame without content; its fourth byte is the type
    let mut frame = [0; 9];
    stream.read_exact(&mut frame).unwrap();
    assert_eq!(frame[3], SETTINGS);
    live.signal("INT");
}

/// The server must read the body before it closes the socket, or else the client's system discards the answer.
#[test]
fn a_client_receives_the_refusal_of_its_large_body() {
    let (live, address) = Live::cluster("--bare");
    let body = " ".repeat(4 << 20);
    for _ in 0..10 {
        let answer = ask(address, "PUT /nosuch HTTP/1.1\r\nHost: localhost", &body);
        assert!(answer.starts_with("HTTP/1.1 404 "), "{answer}");
    }
    live.signal("INT");
}
