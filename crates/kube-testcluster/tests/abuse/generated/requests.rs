//! Makes a request for an operation of the API: its path, query, headers and body.

use fastrand::Rng;

use super::bodies::body;
use super::operations::{Operation, Operations};
use super::samples::Samples;
use super::words::{METHODS, NAMES, ODD, PATCHES, SELECTORS, TYPES, pick};
use crate::http::{Read, request};

/// The bytes of a request, and how its answer is read.
pub struct Generated {
    pub bytes: Vec<u8>,
    pub read: Read,
}

/// Parameters that an operation does not document, but that the server may read.
const OTHERS: [&str; 8] =
    ["watch", "timeout", "pretty", "dryRun", "fieldManager", "force", "resourceVersionMatch", "sendInitialEvents"];

impl Generated {
    /// Makes a request for a random operation. `token` is the `continue` token of an earlier list.
    pub fn new(random: &mut Rng, operations: &Operations, token: &str) -> Self {
        let operation = &operations.all[random.usize(0..operations.all.len())];
        let method = if random.u8(0..20) == 0 { pick(random, &METHODS) } else { &*operation.method };
        let target = format!("{}{}", path(random, &operation.path), query(random, operation, token));
        let content_type = match method {
            "PATCH" => pick(random, &PATCHES),
            _ if random.u8(0..6) > 0 => TYPES[0],
            _ => pick(random, &TYPES),
        };
        let has_body = !matches!(method, "GET" | "HEAD") || random.u8(0..20) == 0;
        let body = if has_body {
            let sample = Samples::new(&operations.schemas).object(random, &operation.schema);
            body(random, content_type, sample)
        } else {
            Vec::new()
        };
        let mut headers = vec![format!("Content-Type: {content_type}"), format!("Accept: {}", accept(random))];
        headers.extend(odd_header(random));
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        // A watch, and a log that is followed, may have no end.
        let lasts = ["watch", "follow", "Watch"].iter().any(|lasting| target.contains(lasting));
        Self { bytes: request(method, &target, &headers, &body), read: if lasts { Read::Head } else { Read::All } }
    }
}

/// Fills in the parameters of a path, usually with a name that other requests use too.
fn path(random: &mut Rng, template: &str) -> String {
    let segment = |random: &mut Rng, segment: &str| match segment {
        "{namespace}" if random.u8(0..12) > 0 => "default".to_owned(),
        parameter if parameter.starts_with('{') && random.u8(0..12) > 0 => pick(random, &NAMES).to_owned(),
        parameter if parameter.starts_with('{') => match random.u8(0..10) {
            0 => "a".repeat(random.usize(0..9_000)),
            1 => pick(random, &["default", "kube-system", "node-1", "kubernetes"]).to_owned(),
            _ => pick(random, &ODD).to_owned(),
        },
        _ if random.u8(0..100) == 0 => pick(random, &ODD).to_owned(),
        fixed => fixed.to_owned(),
    };
    template.split('/').map(|part| segment(random, part)).collect::<Vec<_>>().join("/")
}

fn query(random: &mut Rng, operation: &Operation, token: &str) -> String {
    let mut pairs = Vec::new();
    for name in &operation.parameters {
        if random.u8(0..8) == 0 {
            pairs.push(format!("{name}={}", value(random, name, token)));
        }
    }
    if random.u8(0..10) == 0 {
        let name = pick(random, &OTHERS);
        pairs.push(format!("{name}={}", value(random, name, token)));
    }
    if operation.method == "PATCH" && random.u8(0..4) > 0 {
        pairs.push("fieldManager=a".to_owned()); // an apply needs one
    }
    if random.usize(0..300) == 0 {
        pairs.push(pick(random, &["a=b&", "&", "a%20in%20(", "=", "limit=1&"]).repeat(random.usize(0..5_000)));
    }
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

fn value(random: &mut Rng, name: &str, token: &str) -> String {
    if random.u8(0..8) == 0 {
        return pick(random, &ODD).to_owned();
    }
    match name {
        "labelSelector" | "fieldSelector" => match random.u8(0..20) {
            0 => vec![pick(random, &SELECTORS); random.usize(0..3_000)].join(","),
            _ => pick(random, &SELECTORS).to_owned(),
        },
        "continue" if random.bool() => token.to_owned(),
        "continue" => damaged(random, token),
        "limit" => pick(random, &["1", "2", "500", "9223372036854775807"]).to_owned(),
        // The server waits three seconds for a version of the future.
        "resourceVersion" if random.u8(0..60) == 0 => u64::MAX.to_string(),
        "resourceVersion" => pick(random, &["0", "1", "5", "01", "x"]).to_owned(),
        "resourceVersionMatch" => pick(random, &["Exact", "NotOlderThan", "x"]).to_owned(),
        "timeoutSeconds" | "timeout" => pick(random, &["1", "0", "5s", "-1s", "1ns", "999999h"]).to_owned(),
        "fieldValidation" => pick(random, &["Strict", "Warn", "Ignore", "strict"]).to_owned(),
        "dryRun" => pick(random, &["All", "all", "All&dryRun=All"]).to_owned(),
        "propagationPolicy" => pick(random, &["Orphan", "Foreground", "Background", "x"]).to_owned(),
        "fieldManager" => pick(random, &["a", "b", "a%01"]).to_owned(),
        _ => pick(random, &["true", "false", "0", "1", "a"]).to_owned(),
    }
}

/// Returns the token with one character changed.
fn damaged(random: &mut Rng, token: &str) -> String {
    let mut bytes = token.as_bytes().to_vec();
    if !bytes.is_empty() {
        let at = random.usize(0..bytes.len());
        bytes[at] = random.alphanumeric() as u8;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn accept(random: &mut Rng) -> String {
    match random.u8(0..12) {
        0..6 => TYPES[0].to_owned(),
        6 => format!(
            "{};q={},{};q=1.1",
            pick(random, &TYPES),
            pick(random, &["0", "-1", "x", "0.5"]),
            pick(random, &TYPES)
        ),
        7 => (0..random.usize(0..400)).map(|_| pick(random, &TYPES)).collect::<Vec<_>>().join(","),
        _ => pick(random, &TYPES).to_owned(),
    }
}

/// Returns a header that clients seldom send, or several; usually none.
fn odd_header(random: &mut Rng) -> Option<String> {
    Some(match random.u8(0..100) {
        0 => "Content-Encoding: gzip".to_owned(),
        1..4 => "Accept-Encoding: gzip".to_owned(),
        4 => format!("User-Agent: {}", "x".repeat(random.usize(0..60_000))),
        5 => {
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: a".to_owned()
        }
        6 => "Impersonate-User: a\r\nImpersonate-Group: b\r\nImpersonate-Extra-%zz: c".to_owned(),
        7 => format!("If-None-Match: {}", "\"a\",".repeat(random.usize(0..5_000))),
        8 => "Authorization: Bearer a.b.c".to_owned(),
        9 => "Origin: https://a.example.org".to_owned(),
        10 => "X: y\r\n".repeat(random.usize(0..200)) + "X: y",
        _ => return None,
    })
}
