//! Tests of lessons that run in real time against another cluster, which they reach over a socket with a kubeconfig.
#![cfg(unix)]

use std::process::Stdio;

use crate::cli::{file, finish};
use crate::live::Live;
use crate::test_server::TestServer;

const COMES_AND_GOES: &str = "- {at: 0s, run: nettool, image: nettool}\n- {at: 1ms, delete: nettool}\n";

#[test]
fn a_run_on_a_real_cluster_is_recorded_and_replayed() {
    let served = TestServer::cluster();
    let record = file("real.ndjson", "");
    let mut command = served.command("recorded", "myinformer");
    command.arg("--scenario").arg(file("recorded.yaml", COMES_AND_GOES)).arg("--record").arg(&record);
    let mut live = Live::start(&mut command);
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
    let served = TestServer::cluster();
    let mut command = served.command("watch", "myinformer");
    command.arg("--scenario").arg(file("comes-and-goes.yaml", COMES_AND_GOES));
    let mut live = Live::start(&mut command);
    live.wait_for(&format!("http://{}", served.address()));
    assert_eq!(live.line(), "OnAdd: nettool");
    while live.line() != "OnDelete: nettool" {}
    live.interrupt();
    let ran = live.ended();
    assert_eq!((ran.code, ran.out.as_str()), (Some(130), ""), "{}", ran.err);
}

#[test]
fn without_a_scenario_a_lesson_prints_the_commands_to_type() {
    let served = TestServer::cluster();
    let mut live = Live::start(&mut served.command("by-hand", "reflector"));
    live.wait_for("kubectl run nettool --image=cr7258/nettool:v1 -n default");
    live.wait_for("Ctrl-C ends");
    live.interrupt();
    assert_eq!(live.ended().code, Some(130));
}

#[test]
fn a_cluster_that_goes_away_is_reported_and_retried() {
    let served = TestServer::cluster();
    let mut command = served.command("gone", "myinformer");
    command.arg("--scenario").arg(file("comes.yaml", "- {at: 0s, run: nettool, image: nettool}\n"));
    let mut live = Live::start(&mut command);
    assert_eq!(live.line(), "OnAdd: nettool");
    drop(served);
    live.wait_for("trying again");
    live.interrupt();
    assert_eq!(live.ended().code, Some(130));
}

#[test]
fn a_closed_standard_output_ends_a_live_run_without_an_error() {
    let served = TestServer::cluster();
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
    let served = TestServer::cluster();
    let ran = finish(&mut served.command("nowhere", "listwatch -n nowhere"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("namespace nowhere does not exist in http://"), "{}", ran.err);
}

#[test]
fn a_first_list_that_is_forbidden_ends_every_lesson() {
    let served = TestServer::refusing(403, "Forbidden");
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
    let served = TestServer::refusing(401, "Unauthorized");
    let ran = finish(&mut served.command("unauthorized", "reflector"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
    assert!(ran.err.contains("does not accept the credentials"), "{}", ran.err);
}
