//! The OpenAPI documents of Kubernetes' built-in kinds: cut down to the served kinds and packed by `peers/openapi`,
//! compiled into this program, and unpacked at the first request for one.
//!
//! The documents have most of their text in common (each has the schema of ObjectMeta, for example), so `documents.gz`
//! holds a common text only once. It is gzip of a line `NAME ETAG` for each document, an empty line, and then parts. A
//! part is a line `NUMBERS LENGTH` and that many bytes, which belong to the documents with these numbers (from 0,
//! separated by commas). A document is its parts in order. A name that ends with `.pb` is the protobuf form of the
//! document without that suffix.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::LazyLock;

use bytes::Bytes;
use flate2::read::GzDecoder;

static PACK: &[u8] = include_bytes!("documents.gz");

#[derive(Debug)]
pub(super) struct Document {
    /// SHA-512 in hexadecimal, without quotes; the same for both forms.
    pub(super) etag: String,
    pub(super) json: Bytes,
    /// The protobuf form, which clients up to 1.24 read.
    pub(super) protobuf: Option<Bytes>,
}

/// Returns a document by name: `v2` (all kinds in one document), `v3` (the index), or a name in the index such as
/// `v3/api/v1`. A build for web pages has no documents, because they would be a sixth of its download, and no kubectl
/// asks for them there.
pub(super) fn find(name: &str) -> Option<&'static Document> {
    if cfg!(target_family = "wasm") {
        return None;
    }
    static DOCUMENTS: LazyLock<BTreeMap<String, Document>> = LazyLock::new(unpack);
    DOCUMENTS.get(name)
}

/// Puts the documents together from their parts.
fn unpack() -> BTreeMap<String, Document> {
    let mut pack = Vec::new();
    GzDecoder::new(PACK).read_to_end(&mut pack).expect("the pack is compiled into this program");
    let mut rest = pack.as_slice();
    let mut documents: Vec<(String, String, Vec<u8>)> = Vec::new();
    while let Some((name, etag)) = line(&mut rest).split_once(' ') {
        documents.push((name.into(), etag.into(), Vec::new()));
    }
    while let Some((numbers, length)) = line(&mut rest).split_once(' ') {
        let (part, after) = rest.split_at(number(length));
        for document in numbers.split(',') {
            documents[number(document)].2.extend_from_slice(part);
        }
        rest = after;
    }
    let (protobuf, json): (Vec<_>, Vec<_>) = documents.into_iter().partition(|(name, ..)| name.ends_with(".pb"));
    let mut protobuf: BTreeMap<_, _> = protobuf.into_iter().map(|(name, _, body)| (name, body.into())).collect();
    let document = |(name, etag, json): (String, String, Vec<u8>)| {
        let protobuf = protobuf.remove(&format!("{name}.pb"));
        (name, Document { etag, json: json.into(), protobuf })
    };
    json.into_iter().map(document).collect()
}

/// Takes a line off the front. Returns an empty line at the end.
fn line<'a>(rest: &mut &'a [u8]) -> &'a str {
    let (line, after) = rest.split_at(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()));
    *rest = after.get(1..).unwrap_or_default();
    std::str::from_utf8(line).expect("the lines between the parts are text")
}

fn number(text: &str) -> usize {
    text.parse().expect("the pack has numbers here")
}
