//! Content negotiation: parses the `Accept` header as upstream does.

use http::{HeaderMap, header};

use super::status::ApiError;

/// The encoding of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Media {
    #[default]
    Json,
    Yaml,
    Protobuf,
}

/// What a response shows of objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum View {
    #[default]
    Whole,
    /// Rows of cells, in this version of `meta.k8s.io`.
    Table(&'static str),
    /// The metadata of one object.
    Metadata(&'static str),
    /// The metadata of a list's objects.
    MetadataList(&'static str),
}

/// What a path can be answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offers {
    Objects,
    /// Lists can be watched.
    Streams,
}

/// The negotiated form of a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) media: Media,
    pub(crate) view: View,
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

impl Form {
    /// The first form that the client accepts and the server supports.
    ///
    /// # Errors
    /// `NotAcceptable`, with one of upstream's two messages.
    pub(crate) fn negotiate(headers: &HeaderMap, offers: Offers) -> Result<Self, ApiError> {
        let accept: Vec<&str> =
            headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
        let accept = accept.join(",");
        if accept.trim().is_empty() {
            return Ok(Self::default());
        }
        let clauses = clauses(&accept);
        if !clauses.iter().any(|clause| clause.media().is_some()) {
            return Err(ApiError::no_representation(offers == Offers::Streams));
        }
        let form = |clause: &Clause| Some(Self { media: clause.media()?, view: clause.view()? });
        clauses.iter().find_map(form).ok_or_else(ApiError::not_acceptable)
    }

    /// The encoding of an error. It is negotiated on its own, without the clauses that ask for a table or for metadata; where
    /// no other is left, it is JSON. Upstream: `ErrorNegotiated`.
    pub(crate) fn of_errors(headers: &HeaderMap) -> Media {
        let accept: Vec<&str> =
            headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
        let accept = accept.join(",");
        let whole = |clause: &Clause| clause.media().filter(|_| clause.parameter("as").is_empty());
        clauses(&accept).iter().find_map(whole).unwrap_or_default()
    }
}

/// One entry of an Accept header.
pub(crate) struct Clause<'a> {
    pub(crate) name: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
    quality: f32,
}

/// The entries of an Accept header, the most preferred first.
pub(crate) fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause> = accept.split(',').map(clause).collect();
    clauses.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    clauses
}

fn clause(text: &str) -> Clause<'_> {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let parameters: Vec<_> = parts.filter_map(|part| part.split_once('=')).collect();
    let quality = parameters.iter().find(|(name, _)| *name == "q").and_then(|(_, value)| value.parse().ok());
    Clause { name, parameters, quality: quality.unwrap_or(1.0) }
}

impl Clause<'_> {
    pub(crate) fn parameter(&self, name: &str) -> &str {
        self.parameters.iter().find(|(key, _)| *key == name).map_or("", |(_, value)| *value)
    }

    fn media(&self) -> Option<Media> {
        if self.name == "*/*" {
            return Some(Media::Json);
        }
        MEDIA_TYPES.iter().find(|(name, _)| *name == self.name).map(|(_, media)| *media)
    }

    fn view(&self) -> Option<View> {
        let version = match (self.parameter("g"), self.parameter("v")) {
            ("meta.k8s.io", "v1") => Some("meta.k8s.io/v1"),
            ("meta.k8s.io", "v1beta1") => Some("meta.k8s.io/v1beta1"),
            _ => None,
        };
        match (self.parameter("as"), version) {
            ("", _) => Some(View::Whole),
            (_, _) if self.media() == Some(Media::Protobuf) => None, // only whole objects have a protobuf form here
            ("Table", Some(version)) => Some(View::Table(version)),
            ("PartialObjectMetadata", Some(version)) => Some(View::Metadata(version)),
            ("PartialObjectMetadataList", Some(version)) => Some(View::MetadataList(version)),
            _ => None,
        }
    }
}
