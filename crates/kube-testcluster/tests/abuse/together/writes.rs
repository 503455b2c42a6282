//! Abuses by requests that cost the server far more than their client: by their errors, their objects or their forms.

use std::net::SocketAddr;

use serde_json::json;
use tokio::net::TcpStream;

use crate::http::{Answer, Read, answer, connected, request};

pub const MAPS: &str = "/api/v1/namespaces/default/configmaps";

const JSON: &str = "Content-Type: application/json";

/// Sends a request and returns its answer. Any request may get a 429, if there is no room for its answer, or a 504, if the
/// other requests of this test delay it too long.
pub async fn send(address: SocketAddr, method: &str, target: &str, content_type: &str, body: &[u8]) -> Answer {
    let bytes = request(method, target, &[content_type], body);
    answer(address, &bytes, Read::All).await.expect("the server answers each of these requests")
}

async fn post(address: SocketAddr, target: &str, body: &str) -> Answer {
    send(address, "POST", target, JSON, body.as_bytes()).await
}

/// Joins `count` items with commas.
fn list(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(",")
}

/// Creates the objects that the lists and watches of this test answer with: 20 MB.
pub async fn large_objects(address: SocketAddr) {
    for n in 0..40 {
        let object = json!({"metadata": {"name": format!("large-{n}")}, "data": {"a": n.to_string().repeat(500_000)[..500_000]}});
        assert_eq!(post(address, MAPS, &object.to_string()).await.status, 201);
    }
}

/// Sends bodies with tens of thousands of errors each, twice: the first answer is not read, and the second one is checked.
/// Returns the connections of the unread answers, which stay open.
pub async fn errors_without_end(address: SocketAddr) -> Vec<TcpStream> {
    let services = "/api/v1/namespaces/default/services";
    let pods = "/api/v1/namespaces/default/pods";
    let bodies = [
        (
            services,
            format!(r#"{{"metadata":{{"name":"a"}},"spec":{{"ports":[{}]}}}}"#, list(50_000, |_| "{}".to_owned())),
        ),
        (MAPS, format!(r#"{{"metadata":{{"name":"a","labels":{{{}}}}}}}"#, list(30_000, |n| format!(r#""%{n}":"%""#)))),
        (MAPS, format!(r#"{{"metadata":{{"name":"a","finalizers":[{}]}}}}"#, list(100_000, |_| r#""%""#.to_owned()))),
        (MAPS, format!(r#"{{"metadata":{{"name":"a"}},"data":{{{}}}}}"#, list(30_000, |n| format!(r#""%{n}":"""#)))),
        (
            pods,
            format!(r#"{{"metadata":{{"name":"a"}},"spec":{{"containers":[{}]}}}}"#, list(10_000, |_| "{}".to_owned())),
        ),
    ];
    let mut unread = Vec::new();
    for (path, body) in &bodies {
        unread.push(connected(address, &request("POST", path, &[JSON], body.as_bytes())).await);
        let answer = post(address, path, body).await;
        assert!(matches!(answer.status, 422 | 429 | 504), "{}", answer.status);
        assert!(answer.body.len() < 1024 * 1024, "{} bytes of errors", answer.body.len());
    }
    unread
}

/// Writes one object of 900 kB again and again, and one object by many field managers: the first makes a long history, the
/// second a large object.
pub async fn one_object_again_and_again(address: SocketAddr) -> Vec<TcpStream> {
    for n in 0..200 {
        let text = n.to_string().repeat(900_000);
        let object = json!({"metadata": {"name": "one"}, "data": {"a": text[..900_000]}}).to_string();
        let status = match n {
            0 => post(address, MAPS, &object).await.status,
            _ => send(address, "PUT", &format!("{MAPS}/one"), JSON, object.as_bytes()).await.status,
        };
        assert!(matches!(status, 200 | 201 | 404 | 429 | 504), "{status}"); // 404 if there was no room to create it
    }
    for n in 0..100 {
        let apply = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "managed"}, "data": {format!("k{n}"): "v"}});
        let target = format!("{MAPS}/managed?fieldManager=m{n}");
        let content_type = "Content-Type: application/apply-patch+yaml";
        let status = send(address, "PATCH", &target, content_type, apply.to_string().as_bytes()).await.status;
        assert!(matches!(status, 200 | 201 | 429 | 504), "{status}");
    }
    Vec::new()
}

/// Sends bodies that are cheap to make and expensive to read: nested ones, bombs, garbage.
pub async fn bodies_that_are_hard_to_read(address: SocketAddr) -> Vec<TcpStream> {
    let (yaml, merge) = ("Content-Type: application/yaml", "Content-Type: application/merge-patch+json");
    let bomb = (1..30).fold("a0: &a0 [x]\n".to_owned(), |bomb, n| format!("{bomb}a{n}: &a{n} [*a{0},*a{0}]\n", n - 1));
    let copies = list(9_000, |n| format!(r#"{{"op":"copy","from":"/data","path":"/data/a{n}"}}"#));
    let protobuf = [&b"k8s\0"[..], &[0x0a; 1_000_000]].concat();
    let one = format!("{MAPS}/large-0");
    for _ in 0..2 {
        for (method, target, content_type, body) in [
            ("POST", MAPS, JSON, "[".repeat(3_000_000).into_bytes()),
            ("POST", MAPS, JSON, r#"{"a":"#.repeat(500_000).into_bytes()),
            ("POST", MAPS, JSON, [b'['; 4_000_000].to_vec()),
            ("POST", MAPS, yaml, bomb.clone().into_bytes()),
            ("POST", MAPS, yaml, "- ".repeat(200_000).into_bytes()),
            ("POST", MAPS, "Content-Type: application/vnd.kubernetes.protobuf", protobuf.clone()),
            ("PATCH", &one, "Content-Type: application/json-patch+json", format!("[{copies}]").into_bytes()),
            ("PATCH", &one, merge, format!(r#"{{"data":{}1{}}}"#, r#"{"a":"#.repeat(90), "}".repeat(90)).into_bytes()),
        ] {
            let status = send(address, method, target, content_type, &body).await.status;
            assert!(
                matches!(status, 400 | 413 | 422 | 429 | 504),
                "{content_type}: {status} to {:.40}",
                String::from_utf8_lossy(&body)
            );
        }
    }
    Vec::new()
}

/// Sends reads whose headers and queries are expensive to parse.
pub async fn reads_that_are_hard_to_answer(address: SocketAddr) -> Vec<TcpStream> {
    let rising = format!("Accept: {}", list(5_000, |n| format!("a/b;q=0.{n:04}")));
    let accepts = format!("Accept: {}", "application/json;as=Table;v=v1;g=meta.k8s.io,".repeat(1_000));
    let gzip = "Accept-Encoding: gzip".to_owned();
    let many = list(8_000, |n| format!("k{n}!=v"));
    for target in [
        MAPS.to_owned(),
        format!("{MAPS}?labelSelector={many}"),
        format!("{MAPS}?fieldSelector={}", "=".repeat(60_000)),
    ] {
        for header in [&rising, &accepts, &gzip] {
            let answer = answer(address, &request("GET", &target, &[header], b""), Read::All).await.unwrap();
            assert!(matches!(answer.status, 200 | 400 | 406 | 414 | 429 | 431 | 504), "{}", answer.status);
        }
    }
    Vec::new()
}
