//! The permitted differences, each with its reason. An unused row is an error.

/// One permitted difference: where it may occur, and why.
#[derive(Debug)]
pub struct Difference {
    /// A text in the request; empty for every request.
    request: &'static str,
    /// The end of the path in the response, or with `...` a part of it; empty for every path but the HTTP status.
    place: &'static str,
    /// A text in one of the two values, or empty.
    says: &'static str,
    /// The reason.
    #[allow(dead_code, reason = "it is there for who reads the table")]
    reason: &'static str,
}

const SCHEME: &str =
    "the name of the scheme is that of kube-apiserver, of which the recorded server was an approximation";

const LISTS: &str = "to the server that was recorded first, in list.json, each list was one value; it sets some fields of a status that kube-apiserver does not";
const LOG: &str = "the log of a pod is served";
const COLUMNS: &str = "kube-apiserver has columns of its own for this kind; the recorded server had the general ones";

const KINDS: &str = "other kinds are served here, so there are other documents and other schemas in them";
const STREAMS: &str = "pods have this subresource in every cluster; the recorded server had none";

const TABLE: &[Difference] = &[
    Difference { request: "", place: "/fieldsV1/...", says: "", reason: LISTS },
    Difference { request: "", place: "/message", says: "managedFields", reason: LISTS },
    Difference { request: "", place: "", says: "managedFields:\\n", reason: LISTS },
    Difference {
        request: "",
        place: "/managedFields/0/manager",
        says: "\"apiserver\"",
        reason: "kube-apiserver makes the first namespaces; those of the recorded server were made by a client of its own",
    },
    Difference { request: "/pods/alpha/log\"", place: "HTTP status", says: "404 but 200", reason: LOG },
    Difference { request: "/pods/alpha/log\"", place: "", says: "", reason: LOG },
    Difference {
        request: "",
        place: "/subresources",
        says: "nothing but",
        reason: "discovery compares what was recorded as a subset: namespaces have a status here",
    },
    Difference { request: "", place: "/message", says: "scheme \\\"pkg/runtime/scheme.go:111\\\"", reason: SCHEME },
    Difference { request: "/pods/alpha/exec?", place: "HTTP status", says: "404 but", reason: STREAMS },
    Difference { request: "/pods/alpha/exec?", place: "", says: "", reason: STREAMS },
    Difference { request: "/pods/alpha/eviction\"", place: "HTTP status", says: "404 but 201", reason: STREAMS },
    Difference { request: "/pods/alpha/eviction\"", place: "", says: "", reason: STREAMS },
    Difference { request: "/pods/alpha/portforward\"", place: "HTTP status", says: "404 but 400", reason: STREAMS },
    Difference { request: "/pods/alpha/portforward\"", place: "", says: "", reason: STREAMS },
    Difference { request: "\"path\":\"/\"", place: "/paths", says: "", reason: "only what is served here is listed" },
    Difference {
        request: "",
        place: "/namespaces/verbs",
        says: "deletecollection",
        reason: "kube-apiserver does not delete all namespaces at once, as the recorded server did",
    },
    Difference { request: "/apis/batch/v1/", place: "HTTP status", says: "404 but 200", reason: KINDS },
    Difference { request: "/apis/batch/v1/", place: "", says: "", reason: KINDS },
    Difference { request: "/openapi/v3\"", place: "", says: "nothing but {\"serverRelativeURL\":", reason: KINDS },
    Difference { request: "/openapi/v3/", place: "/schemas", says: "", reason: KINDS },
    Difference { request: "/openapi/v2", place: "/definitions", says: "", reason: KINDS },
    Difference { request: "\"path\":\"/version\"", place: "/goVersion", says: "", reason: "no Go made this server" },
    Difference { request: "\"path\":\"/version\"", place: "/compiler", says: "", reason: "no Go made this server" },
    Difference { request: "/configmaps\"", place: "/columnDefinitions", says: "Created At", reason: COLUMNS },
    Difference { request: "/configmaps\"", place: "/rows", says: "null but []", reason: COLUMNS },
    Difference {
        request: "/status",
        place: "/podIPs",
        says: "nothing but",
        reason: "kube-apiserver keeps podIP and podIPs alike when it decodes a pod; the recorded server did not",
    },
];

/// The table, and which of its rows were used.
#[derive(Default)]
pub struct Differences {
    used: std::collections::BTreeSet<usize>,
}

impl Differences {
    /// Whether a difference is permitted.
    pub fn meant(&mut self, request: &str, place: &str, what: &str) -> bool {
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
