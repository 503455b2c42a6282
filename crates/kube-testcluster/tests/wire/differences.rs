//! The differences from the recordings that the replay permits, each with its reason. The recorded server is not
//! kube-apiserver: it is upstream's `k8s.io/apiserver` with a few kinds (`peers/apiserver`). A row that matches nothing
//! fails the test.

#[derive(Debug)]
pub struct Difference {
    /// A text in the request; empty for every request.
    request: &'static str,
    /// The end of the path in the answer, or, with a final `...`, any part of it; empty for every path except the HTTP
    /// status.
    place: &'static str,
    /// A text in the description of the difference; empty for every difference.
    says: &'static str,
    #[allow(dead_code, reason = "documents the table")]
    reason: &'static str,
}

const SCHEME: &str =
    "this server uses kube-apiserver's name of the scheme; the recorded server only approximated kube-apiserver";

const LISTS: &str = "the server of list.json treated each list as one value and set some status fields that kube-apiserver does not set";
const LOG: &str = "this server has pod logs; the recorded server had none";
const COLUMNS: &str = "this server has kube-apiserver's columns for this kind; the recorded server had generic columns";

const KINDS: &str = "this server has other kinds, so its OpenAPI documents and schemas differ";
const STREAMS: &str = "this server has this subresource of pods, as every cluster does; the recorded server had none";

const TABLE: &[Difference] = &[
    Difference { request: "", place: "/fieldsV1/...", says: "", reason: LISTS },
    Difference { request: "", place: "/message", says: "managedFields", reason: LISTS },
    Difference { request: "", place: "", says: "managedFields:\\n", reason: LISTS },
    Difference {
        request: "",
        place: "/managedFields/0/manager",
        says: "\"apiserver\"",
        reason: "as in kube-apiserver, the server makes the first namespaces; in the recorded server, a client of its own made them",
    },
    Difference { request: "/pods/alpha/log\"", place: "HTTP status", says: "404 but 200", reason: LOG },
    Difference { request: "/pods/alpha/log\"", place: "", says: "", reason: LOG },
    Difference {
        request: "",
        place: "/subresources",
        says: "nothing but",
        reason: "namespaces have a status subresource here; discovery may have more than was recorded",
    },
    Difference { request: "", place: "/message", says: "scheme \\\"pkg/runtime/scheme.go:111\\\"", reason: SCHEME },
    Difference { request: "/pods/alpha/exec?", place: "HTTP status", says: "404 but", reason: STREAMS },
    Difference { request: "/pods/alpha/exec?", place: "", says: "", reason: STREAMS },
    Difference { request: "/pods/alpha/eviction\"", place: "HTTP status", says: "404 but 201", reason: STREAMS },
    Difference { request: "/pods/alpha/eviction\"", place: "", says: "", reason: STREAMS },
    Difference { request: "/pods/alpha/portforward\"", place: "HTTP status", says: "404 but 400", reason: STREAMS },
    Difference { request: "/pods/alpha/portforward\"", place: "", says: "", reason: STREAMS },
    Difference {
        request: "\"path\":\"/\"",
        place: "/paths",
        says: "",
        reason: "the index lists the paths of this server, which are fewer",
    },
    Difference {
        request: "",
        place: "/namespaces/verbs",
        says: "deletecollection",
        reason: "kube-apiserver cannot delete a collection of namespaces; the recorded server could",
    },
    Difference { request: "/apis/batch/v1/", place: "HTTP status", says: "404 but 200", reason: KINDS },
    Difference { request: "/apis/batch/v1/", place: "", says: "", reason: KINDS },
    Difference { request: "/openapi/v3\"", place: "", says: "nothing but {\"serverRelativeURL\":", reason: KINDS },
    Difference { request: "/openapi/v3/", place: "/schemas", says: "", reason: KINDS },
    Difference { request: "/openapi/v2", place: "/definitions", says: "", reason: KINDS },
    Difference {
        request: "\"path\":\"/version\"",
        place: "/goVersion",
        says: "",
        reason: "this server is not written in Go",
    },
    Difference {
        request: "\"path\":\"/version\"",
        place: "/compiler",
        says: "",
        reason: "this server is not written in Go",
    },
    Difference { request: "/configmaps\"", place: "/columnDefinitions", says: "Created At", reason: COLUMNS },
    Difference { request: "/configmaps\"", place: "/rows", says: "null but []", reason: COLUMNS },
    Difference {
        request: "/status",
        place: "/podIPs",
        says: "nothing but",
        reason: "kube-apiserver synchronizes podIP and podIPs when it decodes a pod; the recorded server did not",
    },
];

/// The rows of the table that were used so far.
#[derive(Default)]
pub struct Differences {
    used: std::collections::BTreeSet<usize>,
}

impl Differences {
    /// Returns true if a difference is permitted, and marks its row as used.
    pub fn is_permitted(&mut self, request: &str, place: &str, what: &str) -> bool {
        let row = TABLE.iter().position(|row| {
            let placed = match row.place.strip_suffix("...") {
                _ if row.place.is_empty() => !place.starts_with("HTTP"),
                Some(above) => place.contains(above),
                None => place.ends_with(row.place),
            };
            request.contains(row.request) && placed && what.contains(row.says)
        });
        self.used.extend(row);
        row.is_some()
    }

    pub fn unused(&self) -> Vec<&'static Difference> {
        TABLE.iter().enumerate().filter(|(i, _)| !self.used.contains(i)).map(|(_, row)| row).collect()
    }
}
