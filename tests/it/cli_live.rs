//! Tests of lessons in real time: their HTTP servers, and Unix signals that end them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use crate::cli::{command, run};
use crate::live::Live;

#[test]
fn the_error_for_a_port_in_use_has_the_port() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    for lesson in ["indexer", "factory"] {
        let ran = run(&format!("{lesson} --serve {address}"));
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""));
        assert!(ran.err.contains(&format!("port {} is in use", address.port())), "{}", ran.err);
        assert!(ran.err.contains("next: "), "{}", ran.err);
    }
}

#[test]
fn a_live_run_ends_after_its_time() {
    assert_eq!(run("reflector --follow --for 1ms").code, Some(0));
    assert_eq!(run("factory --serve 127.0.0.1:0 --for 1ms").code, Some(0));
}

#[test]
fn a_lessons_server_answers_until_ctrl_c() {
    for lesson in ["indexer", "factory"] {
        let mut live = Live::start(&mut command(&format!("{lesson} --serve 127.0.0.1:0")));
        let address = live.wait_for("curl http://");
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        if lesson == "indexer" {
            let published = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/traces/indexer-serve.json");
            let body = answer.split_once("\r\n\r\n").unwrap().1;
            assert_eq!(body, std::fs::read_to_string(published).unwrap());
        }
        assert_eq!(live.signal("INT").code(), Some(130), "{lesson}");
    }
}

#[test]
fn a_lessons_server_refuses_other_machines_and_web_pages() {
    for lesson in ["indexer", "factory"] {
        let refused = run(&format!("{lesson} --serve 0.0.0.0:0"));
        assert_eq!(refused.code, Some(2));
        assert!(refused.err.contains("no authentication"), "{}", refused.err);
        let mut live = Live::start(&mut command(&format!("{lesson} --serve 127.0.0.1:0")));
        let address = live.wait_for("curl http://");
        for head in [
            "Host: rebound.example.com",
            "Host: evil@localhost",
            "Host: localhost\r\nHost: rebound.example.com",
            "Host: localhost\r\nOrigin: https://example.com",
            "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: https://example.com",
            "Host: localhost\r\nSec-Fetch-Site: cross-site",
        ] {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(format!("GET / HTTP/1.1\r\n{head}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert!(answer.starts_with("HTTP/1.1 403 "), "{head}: {answer}");
        }
        live.signal("INT");
    }
}

/// Other programs can reach this cluster, so its versions have 16 digits.
#[test]
fn the_steps_of_a_cluster_that_listens_have_short_versions() {
    let mut live = Live::start(&mut command("reflector --listen 127.0.0.1:0 --explain"));
    let list = live.wait_for("list at ");
    let version = list.strip_suffix(": 0 objects").unwrap_or_else(|| panic!("{list}"));
    let digits = version.strip_prefix('…').unwrap_or_else(|| panic!("{list}"));
    assert!(digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit()), "{list}");
    assert_eq!(live.signal("INT").code(), Some(130));
}

#[test]
fn sigterm_ends_a_live_run_too() {
    let mut live = Live::start(&mut command("factory --serve 127.0.0.1:0"));
    live.wait_for("curl http://");
    assert_eq!(live.signal("TERM").code(), Some(143));
}

#[test]
fn ctrl_c_ends_the_printing_of_a_recorded_run_at_once() {
    let mut live = Live::start(&mut command("shared --step listener --speed 0.01 -v"));
    live.wait_for("playing");
    assert_eq!(live.signal("INT").code(), Some(130));
}
