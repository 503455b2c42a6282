//! Makes request bodies in each form that a client may send (JSON, YAML, protobuf, CBOR, patches) from a value that fits
//! the schema, and damages some of them.

use fastrand::Rng;
use serde_json::{Value, json};

use super::mutations::{damaged, mutated};
use super::words::{STRINGS, pick};

/// Returns a body of this media type. One in twenty is protobuf, whatever the media type is.
pub fn body(random: &mut Rng, content_type: &str, value: Value) -> Vec<u8> {
    if random.u8(0..20) == 0 {
        return protobuf(random, &value);
    }
    let value = match content_type {
        "application/json-patch+json" => operations(random, &value),
        "application/merge-patch+json" | "application/strategic-merge-patch+json" => with_directive(random, value),
        _ => value,
    };
    let bytes = match content_type {
        _ if content_type.ends_with("protobuf") => protobuf(random, &value),
        _ if content_type.ends_with("cbor") => cbor(random),
        _ if content_type.ends_with("yaml") => yaml(random, value).into_bytes(),
        _ => mutated(random, value).into_bytes(),
    };
    damaged(random, bytes)
}

/// Writes a value as JSON, which is also YAML, and adds syntax that only YAML has, such as anchors, aliases and tags.
fn yaml(random: &mut Rng, value: Value) -> String {
    let text = mutated(random, value);
    match random.u8(0..10) {
        0 => format!("--- &a\n{text}\n---\n*a\n"),
        1 => text.replacen('{', "{? &a [1] : *a, <<: {a: &b !!binary x}, c: *b, ", 1),
        2 => format!("%YAML 1.1\n---\n!!map {text}\n...\n"),
        3 => text.replacen(':', ": !!float ", 3),
        4 => text.replacen('"', "", 4),
        _ => text,
    }
}

/// Returns a JSON patch with operations on random fields of this value. One in fifty has more operations than the server
/// takes.
fn operations(random: &mut Rng, value: &Value) -> Value {
    let mut pointers = vec![String::new()];
    collect(value, "", &mut pointers);
    let pointer = |random: &mut Rng| {
        let known = &pointers[random.usize(0..pointers.len())];
        let end = pick(random, &["", "", "", "", "/-", "/0", "/99999999999", "/~2", "/a/b"]);
        format!("{known}{end}")
    };
    let count = if random.u8(0..50) == 0 { 10_100 } else { random.usize(0..6) };
    let operation = |_| {
        let op = pick(random, &["add", "remove", "replace", "copy", "move", "test", "add", "bad"]);
        json!({"op": op, "path": pointer(random), "from": pointer(random), "value": pick(random, &STRINGS)})
    };
    (0..count).map(operation).collect()
}

/// Collects the JSON pointers of all fields and items below `at`.
fn collect(value: &Value, at: &str, into: &mut Vec<String>) {
    let parts: Vec<(String, &Value)> = match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.replace('~', "~0").replace('/', "~1"), value)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(n, item)| (n.to_string(), item)).collect(),
        _ => Vec::new(),
    };
    for (name, part) in parts {
        let pointer = format!("{at}/{name}");
        collect(part, &pointer, into);
        into.push(pointer);
    }
}

/// Adds a directive of strategic merge patches to up to three objects, each inside the one before.
fn with_directive(random: &mut Rng, mut value: Value) -> Value {
    let (name, directive) = pick(
        random,
        &[
            ("$patch", r#""delete""#),
            ("$patch", r#""replace""#),
            ("$retainKeys", r#"["a"]"#),
            ("$setElementOrder/containers", r#"[{"name":"a"},{"name":"b"}]"#),
            ("$deleteFromPrimitiveList/finalizers", r#"["a"]"#),
        ],
    );
    let mut at = &mut value;
    for _ in 0..random.usize(0..4) {
        let Value::Object(fields) = at else { break };
        fields.insert(name.to_owned(), serde_json::from_str(directive).unwrap());
        let count = fields.len();
        at = fields.values_mut().nth(random.usize(0..count)).unwrap();
    }
    value
}

/// Returns Kubernetes' protobuf envelope (`runtime.Unknown`) around fields of random numbers and types.
fn protobuf(random: &mut Rng, value: &Value) -> Vec<u8> {
    let text = |name: &str| value[name].as_str().unwrap_or("v1").as_bytes().to_vec();
    let kind = [field(1, &text("apiVersion")), field(2, &text("kind"))].concat();
    [b"k8s\0".to_vec(), field(1, &kind), field(2, &fields(random, 6))].concat()
}

/// Encodes a protobuf field that has a length: the tag, the length as a varint, and the content.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut length = content.len();
    while length >= 0x80 {
        bytes.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    [&bytes, content].concat()
}

/// Returns random protobuf fields, some of them invalid, nested up to `levels` deep.
fn fields(random: &mut Rng, levels: usize) -> Vec<u8> {
    let count = if random.u8(0..60) == 0 { random.usize(0..20_000) } else { random.usize(0..4) };
    let mut bytes = Vec::new();
    for _ in 0..count {
        let number = random.u8(1..16);
        match random.u8(0..8) {
            0 => bytes.extend([number << 3, random.u8(..0x80)]),
            1 => bytes.extend([&[number << 3][..], &[0xff; 9], &[1]].concat()), // the largest number
            2 => bytes.extend([number << 3 | 2, 0xff, 0xff, 0xff, 0xff, 0x7f]), // 32 GB are said to follow
            3 => bytes.extend(field(number, pick(random, &STRINGS).as_bytes())),
            _ if levels > 0 && count < 10 => bytes.extend(field(number, &fields(random, levels - 1))),
            _ => bytes.extend(field(number, b"")),
        }
    }
    bytes
}

/// Returns the tag with which CBOR begins, and random bytes. The server does not read CBOR, and must answer with an error.
fn cbor(random: &mut Rng) -> Vec<u8> {
    [0xd9, 0xd9, 0xf7].into_iter().chain((0..random.usize(0..50)).map(|_| random.u8(..))).collect()
}
