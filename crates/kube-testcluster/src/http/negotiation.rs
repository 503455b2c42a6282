//! Content negotiation: parses the `Accept` header as upstream does, and chooses the form of the response: its encoding
//! (JSON, YAML, protobuf), and the view of the object (whole, as a table for `kubectl get`, or only its metadata).

use http::{HeaderMap, header};

use super::query::Query;
use super::request_info::Target;
use super::status::ApiError;
use kube_machinery::kinds::{Subresource, TableConvertor};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Media {
    #[default]
    Json,
    Yaml,
    Protobuf,
}

/// The part of an object that a response shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum View {
    #[default]
    Whole,
    /// Rows of cells, as `Table` in this version of `meta.k8s.io`.
    Table(&'static str),
    /// The metadata of one object, in this version of `meta.k8s.io`.
    Metadata(&'static str),
    /// The metadata of a list's objects, in this version of `meta.k8s.io`.
    MetadataList(&'static str),
}

/// The kinds of responses that a path has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offers {
    Objects,
    /// Objects, and streams of events: lists that can be watched.
    Streams,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) media: Media,
    pub(crate) view: View,
    /// True if JSON is indented: `pretty=1` in the Accept clause.
    pub(crate) pretty: bool,
}

/// The encodings of objects, in upstream's order.
pub(crate) const MEDIA_TYPES: [(&str, Media); 3] = [
    ("application/json", Media::Json),
    ("application/yaml", Media::Yaml),
    ("application/vnd.kubernetes.protobuf", Media::Protobuf),
];

impl Media {
    pub(crate) fn name(self) -> &'static str {
        MEDIA_TYPES.iter().find(|(_, media)| *media == self).map_or("", |(name, _)| *name)
    }
}

/// The `Accept` header of a request. It is parsed once: for the router, for the response, and for an error.
pub(crate) struct Accept<'a> {
    header: &'a str,
    clauses: Vec<Clause<'a>>,
}

impl<'a> Accept<'a> {
    /// Parses a header that [`accept_header`] returned.
    pub(crate) fn parse(header: &'a str) -> Self {
        Self { header, clauses: clauses(header) }
    }

    fn is_blank(&self) -> bool {
        self.header.trim().is_empty()
    }

    /// Returns the first form that the client accepts and the server supports. The error is `NotAcceptable`, in the
    /// words of upstream's handlers.
    pub(crate) fn form(&self, target: &Target) -> Result<Form, ApiError> {
        if self.is_blank() {
            return Ok(Form::default());
        }
        let has_table = match target.subresource {
            None | Some(Subresource::Scale) => true,
            Some(Subresource::Status) => target.resource.table_convertor == TableConvertor::Columns,
            Some(_) => false, // upstream's storage of the other subresources is no `TableConvertor`
        };
        let view = |clause: &Clause, media| {
            clause.view(media).filter(|view| match view {
                View::Whole => media != Media::Protobuf || target.resource.has_protobuf(),
                View::Table(_) => has_table,
                View::Metadata(_) | View::MetadataList(_) => true,
            })
        };
        self.clauses.iter().find_map(|clause| clause.form(view)).ok_or_else(ApiError::not_acceptable)
    }

    /// Checks that the header names a media type that upstream's router (go-restful) knows. That router checks this
    /// before a handler negotiates. The error is `NotAcceptable`, in the words of the router.
    pub(crate) fn check(&self, offers: Offers) -> Result<(), ApiError> {
        if self.is_blank() || self.clauses.iter().any(|clause| clause.media().is_some()) {
            return Ok(());
        }
        Err(ApiError::no_representation(offers == Offers::Streams))
    }

    /// Returns the form of an error. Errors are negotiated on their own, and a clause that asks for a table or for
    /// metadata does not fit. If no clause fits, the error is indented JSON. Upstream: `ErrorNegotiated`,
    /// `WriteRawJSON`.
    pub(crate) fn form_of_errors(&self) -> Form {
        if self.header.is_empty() {
            return Form::default();
        }
        let whole = |clause: &Clause, _| Some(View::Whole).filter(|_| !clause.asks_for_other_kind());
        let raw = Form { pretty: true, ..Form::default() };
        self.clauses.iter().find_map(|clause| clause.form(whole)).unwrap_or(raw)
    }
}

/// Returns the `Accept` header, several lines joined.
pub(crate) fn accept_header(headers: &HeaderMap) -> String {
    let lines: Vec<&str> = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    lines.join(",")
}

/// Returns true if the request asks for indented JSON, or comes from a tool that people use by hand. Upstream:
/// `isPrettyPrint`.
pub(crate) fn is_pretty(headers: &HeaderMap, query: &Query) -> bool {
    const TRUE: [&str; 6] = ["1", "t", "T", "TRUE", "true", "True"]; // Go: `strconv.ParseBool`
    let agent = headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    match query.get("pretty") {
        None | Some("") => ["curl", "Wget", "Mozilla/5.0"].iter().any(|tool| agent.starts_with(tool)),
        Some(requested) => TRUE.contains(&requested),
    }
}

/// One entry of an `Accept` header.
pub(crate) struct Clause<'a> {
    pub(crate) name: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
    quality: f32,
}

/// The most entries that Go's sort inserts one by one. Go: `maxInsertion` of `pdqsort`.
const MOST_INSERTED: usize = 12;

/// Returns the entries of an `Accept` header, the most preferred first. Upstream: `goautoneg.ParseAccept`.
pub(crate) fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause> = accept.split(',').map(clause).collect();
    most_preferred_first(&mut clauses, |clause| clause.quality, Clause::goes_before);
    clauses
}

/// Sorts as Go does. Upstream's `Less` is not a consistent order, so the result depends on the steps of Go's sort.
/// These are the steps for up to [`MOST_INSERTED`] entries, which is more than real clients send. Longer headers are
/// sorted by quality alone.
fn most_preferred_first<T>(items: &mut [T], quality: impl Fn(&T) -> f32, mut goes_before: impl FnMut(&T, &T) -> bool) {
    if items.len() > MOST_INSERTED {
        return items.sort_by(|a, b| quality(b).total_cmp(&quality(a)));
    }
    for i in 1..items.len() {
        let mut at = i;
        while at > 0 && goes_before(&items[at], &items[at - 1]) {
            items.swap(at - 1, at);
            at -= 1;
        }
    }
}

/// Parses one entry. As upstream, malformed parameters are ignored.
fn clause(text: &str) -> Clause<'_> {
    let mut parts = text.split(';');
    let name = parts.next().unwrap_or_default().trim_matches(' ');
    let mut quality = 1.0;
    let mut parameters = Vec::new();
    for (key, value) in parts.filter_map(|part| part.split_once('=')) {
        match key.trim_matches(' ') {
            _ if value.is_empty() || value.contains('=') => {}
            "q" => quality = value.parse().unwrap_or_default(),
            key => parameters.push((key, value.trim_matches(' '))),
        }
    }
    Clause { name, parameters, quality }
}

impl Clause<'_> {
    /// Returns a parameter; the last one if it is repeated.
    pub(crate) fn parameter(&self, name: &str) -> &str {
        self.parameters.iter().rfind(|(key, _)| *key == name).map_or("", |(_, value)| *value)
    }

    fn has(&self, name: &str) -> bool {
        self.parameters.iter().any(|(key, _)| *key == name)
    }

    /// Compares two clauses as upstream's sort does, which is not a consistent order. Upstream: `acceptSlice.Less`.
    fn goes_before(&self, other: &Self) -> bool {
        let (kind, subkind) = self.name.split_once('/').unwrap_or((self.name, "*"));
        let (other_kind, other_subkind) = other.name.split_once('/').unwrap_or((other.name, "*"));
        self.quality > other.quality || kind != "*" && other_kind == "*" || subkind != "*" && other_subkind == "*"
    }

    fn accepts(&self, media_type: &str) -> bool {
        matches!(self.name, "*/*" | "*" | "application/*") || self.name == media_type
    }

    /// Returns the encoding that the router recognizes in the clause. Unlike the handlers, it does not recognize
    /// `application/*`. Upstream: go-restful's `matchesAccept`.
    fn media(&self) -> Option<Media> {
        if self.name == "*/*" {
            return Some(Media::Json);
        }
        MEDIA_TYPES.iter().find(|(name, _)| *name == self.name).map(|(_, media)| *media)
    }

    /// Returns the form with the first accepted encoding for which `view` returns a view. Upstream:
    /// `NegotiateMediaTypeOptions`.
    fn form(&self, view: impl Fn(&Self, Media) -> Option<View>) -> Option<Form> {
        let accepted = MEDIA_TYPES.iter().filter(|(name, media)| self.accepts(name) && self.supports_stream(*media));
        accepted
            .map(|(_, media)| *media)
            .find_map(|media| Some(Form { media, view: view(self, media)?, pretty: self.parameter("pretty") == "1" }))
    }

    /// Returns true if the encoding supports the stream and the version of `Status` (`sv`) that the clause asks for.
    fn supports_stream(&self, media: Media) -> bool {
        let (stream, version) = (self.parameter("stream"), self.parameter("sv"));
        (stream.is_empty() || stream == "watch" && media != Media::Yaml) && matches!(version, "" | "v1")
    }

    /// Returns true if the clause asks for another kind than the object's own, such as a Table.
    fn asks_for_other_kind(&self) -> bool {
        self.has("as") || self.has("g") || self.has("v")
    }

    /// Returns the view that the clause asks for (`as`, `g` and `v`), if it is one that this encoding supports.
    fn view(&self, media: Media) -> Option<View> {
        let version = match (self.parameter("g"), self.parameter("v")) {
            ("meta.k8s.io", "v1") => Some("meta.k8s.io/v1"),
            ("meta.k8s.io", "v1beta1") => Some("meta.k8s.io/v1beta1"),
            _ => None,
        };
        match (self.parameter("as"), version) {
            _ if !self.asks_for_other_kind() => Some(View::Whole),
            ("Table", Some(version)) if media != Media::Protobuf => Some(View::Table(version)), // a Table has no protobuf form
            ("PartialObjectMetadata", Some(version)) => Some(View::Metadata(version)),
            ("PartialObjectMetadataList", Some(version)) => Some(View::MetadataList(version)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_header_is_sorted_with_few_comparisons() {
        let mut qualities: Vec<u16> = (0..2000).collect();
        let mut compared = 0;
        most_preferred_first(
            &mut qualities,
            |quality| f32::from(*quality),
            |a, b| {
                compared += 1;
                a > b
            },
        );
        assert!(qualities.is_sorted_by(|a, b| a > b));
        assert!(compared < 100, "{compared} comparisons");
    }

    #[test]
    fn long_and_short_headers_are_sorted_by_quality() {
        for count in [3, MOST_INSERTED, MOST_INSERTED + 1, 50] {
            let accept: Vec<String> = (0..count).map(|n| format!("a/b{n};q=0.{n:02}")).collect();
            let names: Vec<String> = (0..count).rev().map(|n| format!("a/b{n}")).collect();
            assert_eq!(clauses(&accept.join(",")).iter().map(|clause| clause.name).collect::<Vec<_>>(), names);
        }
    }
}
