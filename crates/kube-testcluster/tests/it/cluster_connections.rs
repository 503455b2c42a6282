//! Tests the limits on connections: which ones the server closes, after what time, and which ones stay open.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use kube_testcluster::{Admin, Cluster, serve_until};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use crate::support::api::{Api, quiet};

/// The beginning of an HTTP/2 connection: the preface, and an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn served() -> (Cluster, SocketAddr) {
    served_by(quiet().admin(Admin::On).start())
}

fn served_by(mut cluster: Cluster) -> (Cluster, SocketAddr) {
    let address = cluster.serve(TcpListener::bind("127.0.0.1:0").unwrap()).unwrap();
    (cluster, address)
}

async fn connected(address: SocketAddr, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    stream
}

/// Returns the time after which the server closes a connection, in seconds, and what it has sent.
async fn closed_after(address: SocketAddr, bytes: &[u8]) -> (u64, String) {
    closed(connected(address, bytes).await).await
}

/// Like [`closed_after`], for a connection that exists.
async fn closed(mut stream: impl AsyncRead + Unpin) -> (u64, String) {
    let (begun, mut read) = (Instant::now(), Vec::new());
    let _ = stream.read_to_end(&mut read).await;
    (begun.elapsed().as_secs(), String::from_utf8_lossy(&read).into_owned())
}

/// Fills a cluster with config maps, whose list has 18 MB.
async fn fill(api: &Api) {
    for n in 0..20 {
        let object = json!({"metadata": {"name": format!("m{n}")}, "data": {"a": "x".repeat(900_000)}});
        assert_eq!(api.post(MAPS, &object).await.status, 201);
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_asks_for_nothing_is_closed() {
    let (cluster, address) = served();
    for silent in [&b""[..], b"PRI *", PREFACE, b"GET / HTTP/1.1\r\nHost:"] {
        let (seconds, _) = closed_after(address, silent).await; // the server waits 32 seconds for a request
        assert!((32..34).contains(&seconds), "{seconds} s: {}", String::from_utf8_lossy(silent));
    }
    let (seconds, answer) = closed_after(address, b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!((90..92).contains(&seconds), "{seconds} s"); // it keeps an idle connection for 90 seconds
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn half_a_body_is_answered_and_its_connection_closed() {
    let (cluster, address) = served();
    // A write waits 34 seconds for its body. Before it closes the connection, the server waits 5 seconds for the rest.
    let half = |method: &str, path: &str| {
        let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
        format!("{head}Content-Length: 99\r\n\r\n{{")
    };
    for (half, code, most) in [
        (half("POST", MAPS), "504", 41),
        (half("POST", &format!("{MAPS}?timeout=5s")), "504", 12),
        (half("PATCH", &format!("{MAPS}/a")), "415", 7),
        (half("DELETE", &format!("{MAPS}/a")), "504", 41),
        (half("POST", "/lab/faults"), "504", 41),
        (half("GET", MAPS), "200", 7),
        (half("GET", "/version"), "200", 7),
    ] {
        let (seconds, answer) = closed_after(address, half.as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {code} ")), "{half}: {answer}");
        assert!(seconds < most, "{seconds} s: {half}");
    }
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_small_answer_comes_however_short_the_timeout_is() {
    let (cluster, address) = served();
    let list = format!("GET {MAPS}?timeout=1ns HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let (_, answer) = closed_after(address, list.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 200 OK") && answer.contains(r#""items":[]"#), "{answer}");
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_quiet_lives() {
    let (cluster, address) = served();
    let watch =
        "GET /api/v1/namespaces/default/configmaps?watch=1&timeoutSeconds=7200 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut stream = connected(address, watch.as_bytes()).await;
    let (begun, mut read) = (Instant::now(), Vec::new());
    assert!(timeout(Duration::from_secs(7000), stream.read_to_end(&mut read)).await.is_err());
    assert!(begun.elapsed().as_secs() >= 7000);
    assert!(String::from_utf8_lossy(&read).starts_with("HTTP/1.1 200 OK"));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_reads_is_given_up() {
    let (cluster, address) = served();
    fill(&Api::new(&cluster)).await;
    for query in ["", "?watch=1&resourceVersion=0"] {
        let list = format!("GET /api/v1/configmaps{query} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut stream = connected(address, list.as_bytes()).await;
        sleep(Duration::from_secs(59)).await;
        let (mut read, begun) = (0, Instant::now());
        // The server gives up after 60 seconds without progress. The client begins to read two seconds too late.
        sleep(Duration::from_secs(3)).await;
        let mut buffer = vec![0; 1 << 20];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            read += count;
        }
        assert!(read < 18_000_000, "{query}: {read} bytes after {:?}", begun.elapsed());
    }
    cluster.shutdown().await;
}

/// The answer takes all of the budget, so a list has room only when the server has broken the answer off.
#[tokio::test(start_paused = true)]
async fn an_answer_that_is_read_slowly_ends_a_minute_after_its_request() {
    let (cluster, address) = served_by(quiet().max_waiting_answers(20_000_000).start());
    let api = Api::new(&cluster);
    fill(&api).await;
    for (timeout, seconds) in [("", 60), ("?timeout=5s", 5), ("?timeout=0s", 60)] {
        let list = format!("GET {MAPS}{timeout} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut stream = connected(address, list.as_bytes()).await;
        let (begun, mut piece) = (Instant::now(), vec![0; 16 * 1024]);
        let mut read = stream.read(&mut piece).await.unwrap();
        while api.get(MAPS).await.status == 429 {
            sleep(Duration::from_secs(1)).await;
            read += stream.read(&mut piece).await.unwrap();
        }
        let after = begun.elapsed().as_secs();
        assert!((seconds..seconds + 2).contains(&after), "{after} s: {timeout}");
        assert!(piece.starts_with(b"xxx") && read < 2_000_000, "the client was reading: {read}");
    }
    cluster.shutdown().await;
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A request over HTTP/2 on the first stream, from the preface on.
fn request_of_http_2(method: &str, path: &str, body: &[u8]) -> Vec<u8> {
    const DATA: u8 = 0;
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    const END_OF_HEADERS: u8 = 4;
    let ends_stream = |is_last: bool| u8::from(is_last);
    let mut fields = vec![0x86]; // `:scheme: http` of HPACK's static table, and then literals with names from there
    for (name, value) in [(2, method), (4, path), (1, "localhost")] {
        fields.extend([name, u8::try_from(value.len()).unwrap()]);
        fields.extend(value.as_bytes());
    }
    let mut request = PREFACE.to_vec();
    request.extend(frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0x40, 0])); // the client's window of each stream: 16 KiB
    request.extend(frame(HEADERS, END_OF_HEADERS | ends_stream(body.is_empty()), 1, &fields));
    let mut pieces = body.chunks(16_384).peekable();
    while let Some(piece) = pieces.next() {
        request.extend(frame(DATA, ends_stream(pieces.peek().is_none()), 1, piece));
    }
    request
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_of_http_2_is_closed() {
    let (cluster, address) = served();
    let (seconds, answer) = closed_after(address, &request_of_http_2("GET", "/version", b"")).await;
    assert!((90..92).contains(&seconds) && answer.contains("gitVersion"), "{seconds} s: {answer}");
    cluster.shutdown().await;
}

/// Reads the next frame of HTTP/2, and returns its type, its stream and its payload; `None` at the end of the connection.
async fn next_frame(connection: &mut TcpStream) -> Option<(u8, u32, Vec<u8>)> {
    let mut head = [0; 9];
    connection.read_exact(&mut head).await.ok()?;
    let [a, b, c, kind, _, stream @ ..] = head;
    let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
    connection.read_exact(&mut payload).await.ok()?;
    Some((kind, u32::from_be_bytes(stream), payload))
}

/// The way in which an unread answer over HTTP/2 ends.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Reset,
    Closed,
}

/// Sends a request and reads the connection, but never enlarges the window of the stream, which is 16 KiB. Returns the
/// time after which the answer ends, in seconds, how it ends, and the number of bytes that came before.
async fn unread_stream(address: SocketAddr, method: &str, path: &str, body: &str) -> (u64, End, usize) {
    const DATA: u8 = 0;
    const RESET: u8 = 3;
    let begun = Instant::now();
    let mut connection = connected(address, &request_of_http_2(method, path, body.as_bytes())).await;
    let (mut end, mut read) = (End::Closed, 0);
    while let Some((kind, _, payload)) = next_frame(&mut connection).await {
        match kind {
            DATA => read += payload.len(),
            RESET => {
                end = End::Reset;
                break;
            }
            _ => {}
        }
    }
    (begun.elapsed().as_secs(), end, read)
}

#[tokio::test(start_paused = true)]
async fn an_unread_stream_of_http_2_ends() {
    let (cluster, address) = served();
    fill(&Api::new(&cluster)).await;
    let list = unread_stream(address, "GET", &format!("{MAPS}?timeout=5s"), "").await;
    assert_eq!(list, (5, End::Reset, 16_384));
    // The limits of the answer and of its unread pieces end at the same time, so either the stream ends, or the
    // connection.
    let written = json!({"metadata": {"name": "written"}, "data": {"a": "y".repeat(60_000)}}).to_string();
    let (seconds, _, read) = unread_stream(address, "POST", MAPS, &written).await;
    assert_eq!((seconds, read), (60, 16_384));
    cluster.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn an_unread_watch_of_http_2_ends_its_connection() {
    let (cluster, address) = served();
    fill(&Api::new(&cluster)).await;
    let watch = request_of_http_2("GET", &format!("{MAPS}?watch=1&resourceVersion=0"), b"");
    let (seconds, _) = closed_after(address, &watch).await;
    assert!((60..62).contains(&seconds), "{seconds} s");
    cluster.shutdown().await;
}

#[cfg(feature = "tls")]
#[tokio::test(start_paused = true)]
async fn a_connection_with_tls_that_asks_for_nothing_is_closed() {
    let served = crate::cluster_secure_serving::Served::start();
    let (seconds, _) = closed_after(served.address, b"").await; // the handshake may take 32 seconds
    assert!((32..34).contains(&seconds), "{seconds} s");
    let (seconds, _) = closed(served.connected(None).await).await; // and then the first request
    assert!((32..34).contains(&seconds), "{seconds} s");
    let mut stream = served.connected(None).await;
    stream.write_all(b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let (seconds, answer) = closed(stream).await;
    assert!((90..92).contains(&seconds) && answer.starts_with("HTTP/1.1 200 OK"), "{seconds} s: {answer}");
}

#[tokio::test(start_paused = true)]
async fn the_other_servers_have_the_same_limits() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = axum::Router::new().route("/", axum::routing::any(|body: String| async move { body }));
    tokio::spawn(serve_until(router, listener, std::future::pending()));
    for (bytes, seconds, status) in [
        ("", 32..34, ""),
        ("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 90..92, "HTTP/1.1 200 OK\r\n"),
        ("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf", 60..67, "HTTP/1.1 400 Bad Request\r\n"),
    ] {
        let (after, answer) = closed_after(address, bytes.as_bytes()).await;
        assert!(seconds.contains(&after) && answer.starts_with(status), "{after} s: {bytes}: {answer}");
    }
}
