//! Connections that ask for nothing, and connections that do not read what they have asked for.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::interval;

use super::writes::MAPS;
use crate::http::{connected, request};

/// The beginning of an HTTP/2 connection: the preface, and an empty SETTINGS frame.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

const ACCEPTS: [&str; 4] = [
    "Accept: application/json",
    "Accept: application/yaml",
    "Accept: application/vnd.kubernetes.protobuf",
    "Accept: application/json;as=Table;v=v1;g=meta.k8s.io",
];

/// Opens connections of each sort. The caller holds them open, unless the server closes them.
pub async fn held_until_the_end(address: SocketAddr) -> Vec<TcpStream> {
    let half_a_body = b"POST /api/v1/namespaces/default/configmaps HTTP/1.1\r\nHost: localhost\r\n\
        Content-Type: application/json\r\nContent-Length: 3000000\r\n\r\n{\"data\":{";
    let idle = b"GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let silent: [&[u8]; 6] = [b"", b"PRI *", PREFACE, b"GET / HTTP/1.1\r\nHost:", half_a_body, idle];
    let mut held = Vec::new();
    for bytes in silent {
        for _ in 0..20 {
            held.push(connected(address, bytes).await);
        }
    }
    let selector = format!("a+in+({})", (0..4000).map(|n| format!("v{n}")).collect::<Vec<_>>().join(","));
    for n in 0..200 {
        let accept = [ACCEPTS[n % ACCEPTS.len()]];
        // A selector of its own keeps each watch and each list from sharing its bytes with others.
        let watch = format!("{MAPS}?watch=1&resourceVersion=0&labelSelector=!x{n}");
        held.push(connected(address, &request("GET", &watch, &accept, b"")).await);
        let list = format!("{MAPS}?pretty=1&labelSelector=!x{n}");
        held.push(connected(address, &request("GET", &list, &accept, b"")).await);
        if n % 4 == 0 {
            let watch = format!("{MAPS}?watch=1&resourceVersion=0&labelSelector={selector}");
            held.push(connected(address, &request("GET", &watch, &accept, b"")).await);
        }
    }
    held
}

/// Reads lists of megabytes a hundred bytes at a time, for two seconds, and then no more.
pub async fn slow_readers(address: SocketAddr) -> Vec<TcpStream> {
    let mut readers = Vec::new();
    for accept in ACCEPTS {
        for _ in 0..5 {
            readers.push(connected(address, &request("GET", MAPS, &[accept], b"")).await);
        }
    }
    let mut pace = interval(Duration::from_millis(10));
    for _ in 0..200 {
        pace.tick().await;
        for reader in &mut readers {
            // This fails if the server had no room for the answer: it has sent a 429 and closed the connection.
            let _ = reader.read(&mut [0; 100]).await;
        }
    }
    readers
}
