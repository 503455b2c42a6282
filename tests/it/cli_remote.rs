//! Tests of lessons that run in real time against another cluster, which they reach over a socket with a kubeconfig.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use axum::Router;
use kube_testcluster::{Cluster, Controllers, Stages};
use tokio::sync::oneshot;

use crate::cli::{Ran, command, file, finish};

/// An HTTP server on its own thread. Dropping it closes all connections.
pub struct Served {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Served {
    #[expect(clippy::disallowed_methods, reason = "the tests are the only clients")]
    pub fn new(router: impl FnOnce() -> Router + Send + 'static) -> Self {
        let (stop, stopped) = oneshot::channel();
        let (send_address, address) = mpsc::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
                send_address.send(listener.local_addr().unwrap()).unwrap();
                let router = router();
                tokio::select! {
                    biased;
                    _ = stopped => {}
                    served = axum::serve(listener, router) => served.unwrap(),
                }
            });
        });
        Self { address: address.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    /// Serves a cluster whose pods are removed as soon as they are deleted.
    pub fn cluster() -> Self {
        Self::new(|| {
            let stages = Stages::from_yaml("run: []\ndelete:\n- {after: 0s, remove: true}\n", "stages.yaml").unwrap();
            let cluster = Cluster::builder().stages(stages).controllers(Controllers::Housekeeping).start();
            let router = cluster.router();
            // The cluster must live as long as the thread's runtime.
            tokio::spawn(async move {
                let _cluster = cluster;
                std::future::pending::<()>().await
            });
            router
        })
    }

    /// Serves this Status as the answer to every request.
    pub fn refusing(code: u16, reason: &'static str) -> Self {
        Self::new(move || {
            let answer = move || async move {
                let body = format!(r#"{{"kind":"Status","status":"Failure","code":{code},"reason":"{reason}"}}"#);
                (axum::http::StatusCode::from_u16(code).unwrap(), body)
            };
            Router::new().fallback(answer)
        })
    }

    pub fn command(&self, name: &str, line: &str) -> Command {
        let mut command = command(line);
        command.arg("--kubeconfig").arg(self.kubeconfig(name));
        command
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Writes a kubeconfig for this server and returns its path.
    pub fn kubeconfig(&self, name: &str) -> PathBuf {
        let address = self.address;
        let text = format!(
            "clusters: [{{name: lab, cluster: {{server: \"http://{address}\"}}}}]\n\
             contexts: [{{name: lab, context: {{cluster: lab}}}}]\ncurrent-context: lab\n"
        );
        file(&format!("{name}.kubeconfig"), text)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub struct Live {
    child: Child,
    out: BufReader<ChildStdout>,
    err: BufReader<ChildStderr>,
}

impl Live {
    pub fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        Self { child, out: BufReader::new(out), err: BufReader::new(err) }
    }

    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Reads standard error up to a line that contains `words`.
    fn wait_for(&mut self, words: &str) {
        let mut line = String::new();
        while !line.contains(words) {
            line.clear();
            assert_ne!(self.err.read_line(&mut line).unwrap(), 0, "the program ended without saying {words}");
        }
    }

    pub fn interrupt(&self) {
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    }

    pub fn ended(mut self) -> Ran {
        let (mut out, mut err) = (String::new(), String::new());
        self.out.read_to_string(&mut out).unwrap();
        self.err.read_to_string(&mut err).unwrap();
        Ran { code: self.child.wait().unwrap().code(), out, err }
    }
}

const COMES_AND_GOES: &str = "- {at: 0s, run: nettool, image: nettool}\n- {at: 1ms, delete: nettool}\n";

#[test]
fn a_run_on_a_real_cluster_is_recorded_and_replayed() {
    let served = Served::cluster();
    let record = file("real.ndjson", "");
    let mut command = served.command("recorded", "myinformer");
    command.arg("--scenario").arg(file("recorded.yaml", COMES_AND_GOES)).arg("--record").arg(&record);
    let mut live = Live::start(command);
    let mut trace = String::new();
    while !trace.contains("OnDelete") {
        trace += &format!("{}\n", live.line());
    }
    live.interrupt();
    let ended = live.ended();
    let again = crate::cli::run(&format!("replay {}", record.display()));
    assert_eq!((again.code, again.out), (Some(0), trace + &ended.out), "{}", again.err);
    let written = std::fs::read_to_string(record).unwrap();
    let header = written.lines().next().unwrap();
    assert!(header.contains(r#""source":"real""#) && !header.contains("kubeconfig"), "{header}");
    assert!(!written.contains("committed"), "the store of a real server cannot be observed");
}

#[test]
fn a_lesson_watches_a_remote_cluster_until_ctrl_c() {
    let served = Served::cluster();
    let mut command = served.command("watch", "myinformer");
    command.arg("--scenario").arg(file("comes-and-goes.yaml", COMES_AND_GOES));
    let mut live = Live::start(command);
    live.wait_for(&format!("http://{}", served.address));
    assert_eq!(live.line(), "OnAdd: nettool");
    while live.line() != "OnDelete: nettool" {}
    live.interrupt();
    let ran = live.ended();
    assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""), "{}", ran.err);
}

#[test]
fn without_a_scenario_a_lesson_prints_the_commands_to_type() {
    let served = Served::cluster();
    let mut live = Live::start(served.command("by-hand", "reflector"));
    live.wait_for("kubectl run nettool --image=cr7258/nettool:v1 -n default");
    live.wait_for("Ctrl-C ends");
    live.interrupt();
    assert_eq!(live.ended().code, Some(130));
}

#[test]
fn a_cluster_that_goes_away_is_reported_and_retried() {
    let served = Served::cluster();
    let mut command = served.command("gone", "myinformer");
    command.arg("--scenario").arg(file("comes.yaml", "- {at: 0s, run: nettool, image: nettool}\n"));
    let mut live = Live::start(command);
    assert_eq!(live.line(), "OnAdd: nettool");
    drop(served);
    live.wait_for("trying again");
    live.interrupt();
    assert_eq!(live.ended().code, Some(130));
}

#[test]
fn a_closed_standard_output_ends_a_live_run_without_an_error() {
    let served = Served::cluster();
    let mut command = served.command("pipe", "myinformer");
    command.arg("--scenario").arg(file("pipe.yaml", COMES_AND_GOES));
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let child = command.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&ended.stderr).contains("error"));
}

#[test]
fn a_missing_namespace_is_an_error_before_the_watch_begins() {
    let served = Served::cluster();
    let ran = finish(&mut served.command("nowhere", "listwatch -n nowhere"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("namespace nowhere does not exist in http://"), "{}", ran.err);
}

#[test]
fn a_first_list_that_is_forbidden_ends_every_lesson() {
    let served = Served::refusing(403, "Forbidden");
    for lesson in
        ["listwatch", "reflector", "myinformer", "shared --step list-watch", "factory", "relist", "list", "controller"]
    {
        let ran = finish(&mut served.command("forbidden", lesson));
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{lesson}");
        assert!(ran.err.contains("forbids listing or watching pods in namespace default"), "{lesson}: {}", ran.err);
        assert!(ran.err.contains("next: "), "{lesson}: {}", ran.err);
    }
    for lesson in ["indexer", "factory"] {
        let ran = finish(&mut served.command("forbidden", &format!("{lesson} --serve 127.0.0.1:0")));
        assert_eq!(ran.code, Some(1), "{lesson}: {}", ran.err);
    }
}

#[test]
fn refused_credentials_are_an_error() {
    let served = Served::refusing(401, "Unauthorized");
    let ran = finish(&mut served.command("unauthorized", "reflector"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("does not accept the credentials"), "{}", ran.err);
}
