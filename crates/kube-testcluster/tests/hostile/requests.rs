//! Generates random requests that no well-behaved client sends.

use fastrand::Rng;

use super::bodies::body;
use super::words::{ACCEPTS, BODY_TYPES, METHODS, PARAMETERS, PATHS, SEGMENTS, VALUES, pick};

/// A random request. It is not necessarily valid HTTP.
pub struct Hostile {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Hostile {
    pub fn new(random: &mut Rng) -> Self {
        let method = pick(random, &METHODS).to_owned();
        let media_type = match method.as_str() {
            "PATCH" if random.u8(0..8) > 0 => pick(random, &BODY_TYPES[3..6]),
            "POST" | "PUT" if random.u8(0..8) > 0 => pick(random, &BODY_TYPES[..3]),
            _ => pick(random, &BODY_TYPES),
        };
        let has_body = !matches!(method.as_str(), "GET" | "HEAD") || random.u8(0..10) == 0;
        let body = if has_body { body(random, media_type) } else { Vec::new() };
        let mut headers = vec![("content-type".to_owned(), media_type.to_owned())];
        headers.push(("accept".to_owned(), pick(random, &ACCEPTS).to_owned()));
        match random.u8(0..12) {
            0 => headers.push(("content-encoding".to_owned(), "gzip".to_owned())),
            1 => headers.push(("accept-encoding".to_owned(), "gzip;q=0,*;q=2".to_owned())),
            2 => headers.push(("user-agent".to_owned(), "x".repeat(random.usize(0..9000)))),
            3 => headers.push(("accept".to_owned(), "application/json,".repeat(random.usize(1..200)))),
            4 => headers.push(("upgrade".to_owned(), "websocket".to_owned())),
            5 => headers.push(("accept".to_owned(), rising(random.usize(0..5000)))),
            _ => {}
        }
        Self { method, target: target(random), headers, body }
    }
}

/// Returns an Accept header with rising quality values: the worst order for an insertion sort.
fn rising(count: usize) -> String {
    (0..count).map(|n| format!("a/b;q=0.{n:04}")).collect::<Vec<_>>().join(",")
}

/// Returns a path with up to three parameters. Some targets are no valid URL.
fn target(random: &mut Rng) -> String {
    let mut path = path(random);
    match random.u8(0..20) {
        0 => path += "/%2e%2e/%00",
        1 => path += &"/a".repeat(random.usize(1..2000)),
        2 => path = path.replacen("default", pick(random, &["%64efault", "..", "é", "a%2Fb", "DEFAULT", ""]), 1),
        _ => {}
    }
    let count = random.usize(0..5).saturating_sub(1);
    let parameters: Vec<String> =
        (0..count).map(|_| format!("{}={}", pick(random, &PARAMETERS), pick(random, &VALUES))).collect();
    if parameters.is_empty() { path } else { format!("{path}?{}", parameters.join("&")) }
}

/// Returns a path of the API, sometimes with random segments.
fn path(random: &mut Rng) -> String {
    let path = pick(random, &PATHS);
    match random.u8(0..16) {
        0 => "/".to_owned() + &(0..random.usize(0..9)).map(|_| pick(random, &SEGMENTS)).collect::<Vec<_>>().join("/"),
        1 => format!("{path}/{}", pick(random, &SEGMENTS)),
        2 => {
            let mut parts: Vec<&str> = path.split('/').collect();
            let at = random.usize(1..parts.len());
            parts[at] = pick(random, &SEGMENTS);
            parts.join("/")
        }
        _ => path.to_owned(),
    }
}
