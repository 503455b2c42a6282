//! `informer-lab board LESSON --follow`: the page of a run that goes on, from its beginning to its end.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::cli::{command, file};
use crate::cli_serve::{Live, after};

/// The stream of events, when its first record is there.
fn follow(address: SocketAddr) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream);
    after(&mut lines, r#""event":"run""#);
    lines
}

#[test]
fn the_stream_ends_with_the_run_and_the_record_is_a_file() {
    let path = file("board-live.ndjson", "");
    let line = format!("board reflector --follow --lang en --record {}", path.display());
    let mut live = Live::start(&mut command(&line));
    let address: SocketAddr = after(&mut live.err, "open http://").split('/').next().unwrap().parse().unwrap();
    let mut events = follow(address);
    assert_eq!(live.signal("INT").code(), Some(130));
    let mut rest = String::new();
    events.read_to_string(&mut rest).unwrap();
    assert!(rest.contains("event: end\ndata: ended\n"), "{rest}");
    assert!(rest.ends_with("0\r\n\r\n"), "the answer is whole: {rest}");
    let record = fs::File::open(path).map(BufReader::new).unwrap();
    assert!(record.lines().next().unwrap().unwrap().contains(r#""event":"run""#));
}
