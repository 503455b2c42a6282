//! Requests that no friendly client sends.

use fastrand::Rng;

use super::bodies::body;

const METHODS: [&str; 12] =
    ["GET", "GET", "POST", "POST", "PUT", "PUT", "PATCH", "PATCH", "PATCH", "DELETE", "HEAD", "OPTIONS"];

const PATHS: [&str; 26] = [
    "/api/v1/namespaces/default/pods",
    "/api/v1/namespaces/default/pods/a",
    "/api/v1/namespaces/default/pods/a/status",
    "/api/v1/namespaces/default/pods/a/binding",
    "/api/v1/namespaces/default/pods/a/eviction",
    "/api/v1/namespaces/default/pods/a/log",
    "/api/v1/namespaces/default/pods/a/exec",
    "/api/v1/namespaces/default/configmaps",
    "/api/v1/namespaces/default/configmaps/c",
    "/api/v1/namespaces/default/secrets",
    "/api/v1/namespaces/default/serviceaccounts/sa",
    "/api/v1/namespaces/default/services",
    "/api/v1/namespaces/default/services/s",
    "/api/v1/namespaces/default/events",
    "/api/v1/namespaces/default/events/e",
    "/api/v1/namespaces/other",
    "/api/v1/nodes",
    "/api/v1/nodes/n",
    "/apis/apps/v1/namespaces/default/replicasets",
    "/apis/apps/v1/namespaces/default/replicasets/web",
    "/apis/apps/v1/namespaces/default/replicasets/web/scale",
    "/apis/coordination.k8s.io/v1/namespaces/default/leases",
    "/apis/coordination.k8s.io/v1/namespaces/default/leases/l",
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "/openapi/v3/apis/apps/v1",
    "/apis",
];

const PARAMETERS: [&str; 20] = [
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "labelSelector",
    "fieldSelector",
    "watch",
    "timeoutSeconds",
    "sendInitialEvents",
    "allowWatchBookmarks",
    "dryRun",
    "fieldValidation",
    "fieldManager",
    "gracePeriodSeconds",
    "propagationPolicy",
    "orphanDependents",
    "pretty",
    "includeObject",
    "tailLines",
    "sinceTime",
];

const VALUES: [&str; 24] = [
    "",
    "0",
    "1",
    "-1",
    "18446744073709551616",
    "9223372036854775807",
    "true",
    "false",
    "Exact",
    "NotOlderThan",
    "All",
    "Strict",
    "Background",
    "a=b",
    "a+in+(b,c),!d",
    "((((",
    "metadata.name=a",
    "x=%00",
    "%ff%fe",
    "%zz",
    "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYSJ9",
    "2023-05-01T10:00:00Z",
    "a;b",
    "%F0%9F%92%A3",
];

const MEDIA_TYPES: [&str; 9] = [
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/json-patch+json",
    "application/apply-patch+yaml",
    "application/json; charset=utf-8; q=\"",
    "text/html",
];

const ACCEPTS: [&str; 9] = [
    "application/json",
    "*/*",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json;as=Table;g=meta.k8s.io;v=v1",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    "application/json;as=Nosuch",
    ";;;,,,q=9",
    "text/html",
];

/// A request, before it is known whether HTTP allows it.
pub struct Hostile {
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

fn pick<'a>(random: &mut Rng, from: &[&'a str]) -> &'a str {
    from[random.usize(0..from.len())]
}

impl Hostile {
    pub fn new(random: &mut Rng) -> Self {
        let method = pick(random, &METHODS).to_owned();
        let media_type = match method.as_str() {
            "PATCH" if random.u8(0..8) > 0 => pick(random, &MEDIA_TYPES[3..6]),
            "POST" | "PUT" if random.u8(0..8) > 0 => pick(random, &MEDIA_TYPES[..3]),
            _ => pick(random, &MEDIA_TYPES),
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
            _ => {}
        }
        Self { method, target: target(random), headers, body }
    }
}

fn target(random: &mut Rng) -> String {
    let mut path = pick(random, &PATHS).to_owned();
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
