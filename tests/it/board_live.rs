//! Tests of `informer-lab board LESSON --follow`: a page that shows a live run.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::cli::{command, file};
use crate::live::{Live, after};
use crate::test_server::TestServer;

/// Opens the page's stream of events and waits for the first record.
fn follow(address: SocketAddr) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream);
    after(&mut lines, r#""event":"run""#);
    lines
}

#[test]
fn the_stream_ends_with_the_run_and_the_record_is_written_to_a_file() {
    let path = file("board-live.ndjson", "");
    let line = format!("board reflector --follow --lang en --record {}", path.display());
    let mut live = Live::start(&mut command(&line));
    let address: SocketAddr = after(&mut live.err, "open http://").split('/').next().unwrap().parse().unwrap();
    let mut events = follow(address);
    assert_eq!(live.signal("INT").code(), Some(130));
    let mut rest = String::new();
    events.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("event: end\ndata: ended\n"), "{rest}");
    assert!(rest.ends_with("0\r\n\r\n"), "the chunked answer is complete: {rest}");
    let record = fs::File::open(path).map(BufReader::new).unwrap();
    assert!(record.lines().next().unwrap().unwrap().contains(r#""event":"run""#));
}

fn ask(address: SocketAddr, request: &str, body: &str) -> String {
    ask_as("Host: localhost", address, request, body)
}

/// Asks with these headers, of which one is `Host`.
fn ask_as(headers: &str, address: SocketAddr, request: &str, body: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!("{headers}\r\nConnection: close\r\nContent-Type: application/json");
    write!(stream, "{request} HTTP/1.1\r\n{head}\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_page_of_a_real_cluster_is_read_only_and_receives_no_contents_of_objects() {
    let cluster = TestServer::cluster();
    let mut live = Live::start(&mut cluster.command("board-real.kubeconfig", "board reflector --cluster --lang en"));
    let address: SocketAddr = after(&mut live.err, "open http://").split('/').next().unwrap().parse().unwrap();
    assert!(ask(address, "GET /", "").contains(r#""live":"reads""#), "the page offers no buttons");
    let refused = ask(address, "POST /typed", "delete web");
    assert!(refused.starts_with("HTTP/1.1 404"), "{refused}");
    let mut events = follow(address);
    after(&mut events, r#""event":"watching""#);
    let pod = r#"{"metadata":{"name":"web","annotations":{"password":"hunter2"}},"spec":{"containers":[{"name":"web","image":"web","env":[{"name":"TOKEN","value":"hunter2"}]}]}}"#;
    let created = ask(cluster.address(), "POST /api/v1/namespaces/default/pods", pod);
    assert!(created.starts_with("HTTP/1.1 201"), "{created}");
    let mut received = String::new();
    while !received.contains(r#""event":"popped""#) {
        assert!(events.read_line(&mut received).unwrap() > 0, "{received}");
    }
    assert!(received.contains(r#""key":"default/web""#) && !received.contains("hunter2"), "{received}");
    live.signal("INT");
}

#[test]
fn a_board_refuses_other_machines_and_web_pages() {
    let record = file("board-refuses.ndjson", "");
    let recorded = crate::cli::run(&format!("deltafifo --record {}", record.display()));
    assert_eq!(recorded.code, Some(0), "{}", recorded.err);
    let lines = ["board reflector --follow --lang en".to_owned(), format!("board --lang en {}", record.display())];
    for line in lines {
        let mut live = Live::start(&mut command(&line));
        let address: SocketAddr = after(&mut live.err, "open http://").split('/').next().unwrap().parse().unwrap();
        for headers in [
            "Host: rebound.example.com",
            "Host: localhost\r\nOrigin: https://example.com",
            "Host: localhost\r\nSec-Fetch-Site: cross-site",
        ] {
            for (request, body) in [("GET /", ""), ("GET /events", ""), ("POST /typed", "run web")] {
                let answer = ask_as(headers, address, request, body);
                assert!(answer.starts_with("HTTP/1.1 403 "), "{line}: {headers}: {request}: {answer}");
            }
        }
        assert!(ask(address, "GET /", "").starts_with("HTTP/1.1 200 "), "{line}");
        live.signal("INT");
    }
}
