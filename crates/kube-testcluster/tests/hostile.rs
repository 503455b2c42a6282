//! Fuzz test: sends seeded random requests (deep and long values, broken YAML and protobuf, odd queries and headers)
//! and checks that each gets an answer that Kubernetes could give, that nothing panics, that ordinary requests still
//! work, and that memory stays bounded.
//!
//! The default is about 2,000 requests. For a million: `HOSTILE=1000000 cargo test --release -p kube-testcluster
//! --features serve --test hostile -- --nocapture`; `HOSTILE_SEED=7` sends other requests.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "hostile/answers.rs"]
mod answers;
#[path = "hostile/bodies.rs"]
mod bodies;
#[path = "hostile/changed.rs"]
mod changed;
#[path = "hostile/requests.rs"]
mod requests;
#[path = "hostile/words.rs"]
mod words;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use fastrand::Rng;
use http::Request;
use http_body_util::BodyExt;
use kube_testcluster::{Cluster, ClusterBuilder, Controllers, Era};
use serde_json::{Value, json};
use tower::Service;

use self::requests::Hostile;

/// The number of requests to one cluster before the next cluster starts.
const EACH: usize = 1000;

/// The memory limit of the test process, in megabytes. A request body has at most three megabytes, each of the few
/// dozen object names holds one object, and a cluster's history is dropped with the cluster, so the usual peak is a
/// tenth of the limit.
#[cfg(target_os = "linux")]
const MOST_MEMORY: usize = 1024;

fn number(variable: &str, default: usize) -> usize {
    std::env::var(variable).map_or(default, |text| text.parse().unwrap())
}

/// Returns the number of requests of a run. One in ten goes through a socket.
fn count() -> usize {
    number("HOSTILE", 2_000)
}

/// Returns the seeds of this number of requests, one for each cluster.
fn seeds(requests: usize) -> impl Iterator<Item = u64> {
    let first = number("HOSTILE_SEED", 0) as u64;
    (first..).take(requests.div_ceil(EACH))
}

/// Returns a cluster without workload controllers. Every fourth one behaves like an older Kubernetes.
fn cluster(seed: u64) -> ClusterBuilder {
    let era = if seed % 4 == 3 { Era::Classic } else { Era::Modern };
    Cluster::builder().controllers(Controllers::Housekeeping).seed(seed).era(era)
}

async fn send(router: &Router, method: &str, path: &str, body: &Value) -> (u16, Vec<u8>) {
    let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
    let answer = router.clone().call(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
    (answer.status().as_u16(), answer.into_body().collect().await.unwrap().to_bytes().to_vec())
}

static PANICS: AtomicUsize = AtomicUsize::new(0);

fn count_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        usual(panic);
    }));
}

fn has_panicked() -> bool {
    PANICS.load(Ordering::Relaxed) > 0
}

/// Checks that ordinary requests still work. Leaves one object of each kind behind as a target for patches.
async fn still_serves(router: &Router) {
    let container = json!([{"name": "c", "image": "i"}]);
    let labels = json!({"a": "b"});
    let set = json!({"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": {"containers": container}}});
    // Random patches merge long lists of secrets with these names into this list, which must not take quadratic time.
    let secrets: Vec<Value> = (0..1000).map(|n| json!({"name": format!("s{n}")})).collect();
    for (path, object) in [
        ("/api/v1/namespaces/default/pods", json!({"metadata": {"name": "a"}, "spec": {"containers": container}})),
        ("/api/v1/namespaces/default/configmaps", json!({"metadata": {"name": "c"}, "data": {"k": "v"}})),
        ("/api/v1/namespaces/default/serviceaccounts", json!({"metadata": {"name": "sa"}, "secrets": secrets})),
        ("/apis/apps/v1/namespaces/default/replicasets", json!({"metadata": {"name": "web"}, "spec": set})),
        ("/api/v1/nodes", json!({"metadata": {"name": "n"}})),
    ] {
        let status = send(router, "POST", path, &object).await.0;
        assert!(status == 201 || status == 409, "POST {path}: {status}");
        let one = format!("{path}/{}", object["metadata"]["name"].as_str().unwrap());
        let (status, bytes) = send(router, "GET", &one, &Value::Null).await;
        assert!(status == 200 && serde_json::from_slice::<Value>(&bytes).is_ok(), "GET {one}: {status}");
        assert_eq!(send(router, "GET", path, &Value::Null).await.0, 200, "GET {path}");
    }
    assert_eq!(send(router, "GET", "/readyz", &Value::Null).await, (200, b"ok".to_vec()));
}

/// Checks the peak memory of this process and returns it, in megabytes.
#[cfg(target_os = "linux")]
fn check_memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let megabytes = line.split_whitespace().next().unwrap().parse::<usize>().unwrap() / 1024;
    assert!(megabytes < MOST_MEMORY, "{megabytes} MB were in use");
    megabytes
}

#[cfg(not(target_os = "linux"))]
fn check_memory() -> usize {
    0
}

fn shown(request: &Hostile) -> String {
    let text: String = String::from_utf8_lossy(&request.body).chars().take(2000).collect();
    format!("{} {} {:?}\n{text}", request.method, request.target, request.headers)
}

#[tokio::test(start_paused = true)]
async fn every_hostile_request_is_answered() {
    count_panics();
    let (mut sent, mut accepted) = (0, 0);
    for seed in seeds(count() - count() / 10) {
        let mut random = Rng::with_seed(seed);
        let cluster = cluster(seed).start();
        let mut router = cluster.router();
        for case in 0..EACH {
            if case % 250 == 0 {
                still_serves(&router).await;
            }
            let hostile = Hostile::new(&mut random);
            let mut request = Request::builder().method(&*hostile.method).uri(&hostile.target);
            for (name, value) in &hostile.headers {
                request = request.header(name, value);
            }
            let Ok(request) = request.body(Body::from(hostile.body.clone())) else { continue }; // not valid HTTP
            let (head, body) = router.call(request).await.unwrap().into_parts();
            let status = head.status.as_u16();
            sent += 1;
            // A watch has no end, so the time limit skips its body.
            if let Ok(body) = tokio::time::timeout(Duration::from_millis(1), body.collect()).await
                && hostile.method != "HEAD"
            {
                let content_type = head.headers.get("content-type").map_or("", |kind| kind.to_str().unwrap());
                let checked = answers::check(status, content_type, &body.unwrap().to_bytes());
                assert_eq!(checked, Ok(()), "seed {seed}, case {case}: {status} {content_type}\n{}", shown(&hostile));
            }
            assert!(!has_panicked(), "seed {seed}, case {case}\n{}", shown(&hostile));
            accepted += usize::from(status < 300);
        }
        still_serves(&router).await;
        let memory = check_memory();
        println!("seed {seed}: {accepted} of {sent} were accepted so far, at most {memory} MB");
        cluster.shutdown().await;
    }
    assert!(
        accepted * 20 > sent && accepted * 2 < sent,
        "{accepted} of {sent} were accepted, but 5 % to 50 % should be"
    );
}

#[cfg(feature = "serve")]
mod over_a_socket {
    use std::net::TcpListener;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    /// The longest wait for an answer. Without a limit, a hanging server would hang the test. An answer takes
    /// milliseconds, so even a busy machine stays below the limit.
    const PATIENCE: Duration = Duration::from_secs(10 * 60);

    /// Returns the bytes of a request, and true if they are valid HTTP and must get an answer. For invalid HTTP, the
    /// server may also close the connection.
    fn bytes(random: &mut Rng) -> (Vec<u8>, bool) {
        let hostile = Hostile::new(random);
        let mut head = format!("{} {} HTTP/1.1\r\n", hostile.method, hostile.target);
        let mut is_http = head.is_ascii();
        head += match random.u8(0..12) {
            0 => "",
            1 => "Host: localhost\r\nHost: localhost\r\n",
            2 => "Host: evil.example\r\n",
            3 => "Host: localhost\r\nOrigin: https://evil.example\r\n",
            _ => "Host: localhost\r\n",
        };
        for (name, value) in &hostile.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let length = hostile.body.len();
        let framing = random.u8(0..12);
        is_http &= framing >= 4; // below 4, the head gives a wrong body length
        head += &match framing {
            0 => "Content-Length: -1\r\n".to_owned(),
            1 => format!("Content-Length: {length}\r\nContent-Length: {}\r\n", length + 1),
            2 => "Content-Length: 99999999999999999999999\r\n".to_owned(),
            3 => "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n".to_owned(),
            4 => format!("X: {}\r\nContent-Length: {length}\r\n", "y".repeat(random.usize(0..700_000))),
            5 => format!("{}Content-Length: {length}\r\n", "X: y\r\n".repeat(random.usize(0..200))),
            _ => format!("Content-Length: {length}\r\n"),
        };
        let mut bytes = format!("{head}Connection: close\r\n\r\n").into_bytes();
        bytes.extend(hostile.body);
        match random.u8(0..20) {
            0 => {
                let at = random.usize(0..bytes.len().min(300));
                bytes[at] = random.u8(..);
                is_http = false;
            }
            1 => {
                bytes = (0..random.usize(0..500)).map(|_| random.u8(..)).collect();
                is_http = false;
            }
            2 => {
                bytes.truncate(random.usize(0..=bytes.len()));
                is_http = false;
            }
            _ => {}
        }
        (bytes, is_http)
    }

    /// Sends the bytes and returns the first line of the answer; an empty text if the server closed the connection.
    async fn first_line(address: std::net::SocketAddr, bytes: &[u8], is_http: bool) -> String {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let (mut reader, mut writer) = stream.split();
        let write = async {
            // The server may answer and close the connection before it has read everything.
            if writer.write_all(bytes).await.is_ok() && !is_http {
                let _ = writer.shutdown().await; // otherwise the server may wait for more bytes
            }
            std::future::pending::<()>().await;
        };
        let mut read = Vec::new();
        let answer = async {
            let mut buffer = [0; 1024];
            while !read.contains(&b'\n') {
                match reader.read(&mut buffer).await {
                    Ok(count) if count > 0 => read.extend_from_slice(&buffer[..count]),
                    _ => break,
                }
            }
        };
        tokio::select! {
            () = write => {}
            () = answer => {}
        }
        String::from_utf8_lossy(&read).lines().next().unwrap_or_default().to_owned()
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn every_hostile_request_is_answered_or_its_connection_closed() {
        count_panics();
        for seed in seeds(count() / 10) {
            let mut random = Rng::with_seed(seed ^ 0x50c7); // other requests than in the test without a socket
            let mut cluster = cluster(seed).start();
            let address = cluster.serve(TcpListener::bind("127.0.0.1:0").unwrap()).unwrap();
            let router = cluster.router();
            for case in 0..EACH.min(count() / 10) {
                if case % 250 == 0 {
                    still_serves(&router).await;
                }
                let (bytes, is_http) = bytes(&mut random);
                let line = tokio::time::timeout(PATIENCE, first_line(address, &bytes, is_http)).await;
                let line = line.unwrap_or_else(|_| "no answer".to_owned());
                let is_answer = line.starts_with("HTTP/1.") && !has_panicked();
                let head: String = String::from_utf8_lossy(&bytes).chars().take(1000).collect();
                assert!(is_answer || (!is_http && line.is_empty()), "seed {seed}, case {case}: {line:?} to {head}");
            }
            still_serves(&router).await;
            check_memory();
            cluster.shutdown().await;
        }
    }
}
