//! Tests the limits on connections: which ones the server closes, after what time, and which ones stay open.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use kube_testcluster::{Admin, Cluster};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};

use crate::support::api::quiet;

/// The beginning of an HTTP/2 connection: the preface, and an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

fn served() -> (Cluster, SocketAddr) {
    let mut cluster = quiet().admin(Admin::On).start();
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
    let mut stream = connected(address, bytes).await;
    let (begun, mut read) = (Instant::now(), Vec::new());
    let _ = stream.read_to_end(&mut read).await;
    (begun.elapsed().as_secs(), String::from_utf8_lossy(&read).into_owned())
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
    let maps = "/api/v1/namespaces/default/configmaps";
    for (half, code, most) in [
        (half("POST", maps), "504", 41),
        (half("PATCH", &format!("{maps}/a")), "415", 7),
        (half("DELETE", &format!("{maps}/a")), "504", 41),
        (half("POST", "/lab/faults"), "504", 41),
        (half("GET", maps), "200", 7),
        (half("GET", "/version"), "200", 7),
    ] {
        let (seconds, answer) = closed_after(address, half.as_bytes()).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {code} ")), "{half}: {answer}");
        assert!(seconds < most, "{seconds} s: {half}");
    }
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
    let api = crate::support::api::Api::new(&cluster);
    for n in 0..20 {
        let object = serde_json::json!({"metadata": {"name": format!("m{n}")}, "data": {"a": "x".repeat(900_000)}});
        assert_eq!(api.post("/api/v1/namespaces/default/configmaps", &object).await.status, 201);
    }
    for query in ["", "?watch=1&resourceVersion=0"] {
        let list = format!("GET /api/v1/configmaps{query} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let mut stream = connected(address, list.as_bytes()).await;
        tokio::time::sleep(Duration::from_secs(59)).await;
        let (mut read, begun) = (0, Instant::now());
        // The server gives up after 60 seconds without progress. The client begins to read two seconds too late.
        tokio::time::sleep(Duration::from_secs(3)).await;
        let mut buffer = vec![0; 1 << 20];
        while let Ok(count @ 1..) = stream.read(&mut buffer).await {
            read += count;
        }
        assert!(read < 18_000_000, "{query}: {read} bytes after {:?}", begun.elapsed());
    }
    cluster.shutdown().await;
}
