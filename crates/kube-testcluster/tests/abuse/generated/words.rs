//! The words that generated requests are made of: names, values, selectors, media types and methods.

use fastrand::Rng;

/// Returns a random item.
pub fn pick<T: Copy>(random: &mut Rng, from: &[T]) -> T {
    from[random.usize(0..from.len())]
}

/// Names of objects. They are few, so that different requests are about the same objects.
pub const NAMES: [&str; 4] = ["a", "b", "c", "widgets.abuse.example.org"];

/// Values of fields that are strings. Most are valid in some field.
pub const STRINGS: [&str; 24] = [
    "a",
    "a",
    "b",
    "c",
    "default",
    "v1",
    "1",
    "100m",
    "1Gi",
    "80",
    "a.example.org",
    "example.org/a",
    "10.0.0.1",
    "::1",
    "10.0.0.0/24",
    "TCP",
    "/a",
    "https://a.example.org",
    "*",
    "get",
    "30s",
    "self.a == 1",
    "IfNotPresent",
    "system:masters",
];

/// Values for a query, and for names in a path, already encoded.
pub const ODD: [&str; 14] =
    ["", "%00", "%ff", "%zz", "..", "a%2Fb", "-1", "0", "1e9", "9223372036854775808", "true", "T", "%F0%9D%95%8F", "*"];

/// Label and field selectors, valid and invalid, already encoded.
pub const SELECTORS: [&str; 14] = [
    "a=b",
    "a",
    "!a",
    "a%20in%20(a,b)",
    "a%20notin%20()",
    "a>1",
    "a<99999999999999999999",
    "metadata.name=a",
    "metadata.namespace!=default",
    "spec.nodeName=",
    "status.phase=Running",
    "a=b,,",
    "=",
    "a==b,a!=b,a=c",
];

/// Media types, of bodies and of answers.
pub const TYPES: [&str; 12] = [
    "application/json",
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/cbor",
    "application/json;stream=watch",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    "*/*",
    "text/html;charset=\"",
];

/// Media types of patches, and two that the server does not take for a patch.
pub const PATCHES: [&str; 7] = [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/apply-patch+yaml",
    "application/apply-patch+cbor",
    "application/json",
];

/// HTTP methods, half of which the API does not have.
pub const METHODS: [&str; 10] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"];
