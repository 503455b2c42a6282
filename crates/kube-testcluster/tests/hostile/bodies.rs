//! Generates random request bodies that no well-behaved client sends: JSON, YAML, protobuf and JSON patches.

use fastrand::Rng;
use serde_json::{Value, json};

use super::changed::changed;
use super::words::{FIELDS, OPERATIONS, POINTERS, pick};

/// Templates of objects of served kinds. `@` is replaced by a random value.
const OBJECTS: [&str; 12] = [
    r#"{"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":@}}"#,
    r#"{"metadata":{"name":"a","labels":@},"spec":{"containers":[{"name":"c","image":"i"}]}}"#,
    r#"{"metadata":{"name":"c"},"data":@}"#,
    r#"{"metadata":{"name":"sa"},"secrets":@}"#,
    r#"{"metadata":{"name":"web"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"},"managedFields":[{"fieldsV1":@}]},"spec":{"containers":[{"name":"c","image":"i"}]}}}}"#,
    r#"{"metadata":{"name":"s"},"spec":{"ports":@}}"#,
    r#"{"metadata":{"name":"n"},"status":@}"#,
    r#"{"metadata":{"name":"l"},"spec":@}"#,
    r#"{"metadata":{"name":"e"},"involvedObject":@}"#,
    r#"{"kind":"DeleteOptions","apiVersion":"v1","preconditions":@}"#,
    r#"{"metadata":{"name":"a","ownerReferences":@,"finalizers":@},"target":{"name":"n"}}"#,
    "@",
];

/// Scalars, most of them at the limit of some type.
const SCALARS: [&str; 22] = [
    "null",
    "true",
    "0",
    "-0",
    "-1",
    "1.5",
    "1e400",
    "-1e-400",
    "99999999999999999999999",
    "9223372036854775807",
    "-9223372036854775808",
    "4294967296",
    r#""""#,
    r#""a""#,
    r#""\u0000""#,
    r#""\ud800""#,
    r#""\ud83d\ude00""#,
    r#""𝕏""#,
    r#""../../etc""#,
    r#""9999-12-31T23:59:60Z""#,
    r#""1e9Gi""#,
    r#""==""#,
];

/// Returns a random body for a media type; sometimes damaged, sometimes protobuf regardless of the media type.
pub fn body(random: &mut Rng, media_type: &str) -> Vec<u8> {
    let mut bytes = match media_type {
        "application/yaml" => yaml(random).into_bytes(),
        "application/vnd.kubernetes.protobuf" => protobuf(random),
        "application/json-patch+json" => operations(random).into_bytes(),
        _ if random.bool() => changed(random).to_string().into_bytes(),
        _ => object(random).into_bytes(),
    };
    match random.u8(0..20) {
        0 => bytes.truncate(random.usize(0..=bytes.len())),
        1 if !bytes.is_empty() => {
            let at = random.usize(0..bytes.len());
            bytes[at] = random.u8(..);
        }
        2 => bytes.extend((0..random.usize(0..20)).map(|_| random.u8(..))),
        3 => bytes = protobuf(random), // regardless of the media type
        _ => {}
    }
    bytes
}

/// Returns one of the templates with a random value at each `@`.
fn object(random: &mut Rng) -> String {
    let template = pick(random, &OBJECTS);
    template
        .split('@')
        .map(ToOwned::to_owned)
        .reduce(|text, rest| format!("{text}{}{rest}", value(random)))
        .unwrap_or_default()
}

/// Returns random JSON: usually small, sometimes deeply nested, seldom very long.
fn value(random: &mut Rng) -> String {
    match random.u16(0..1000) {
        0..4 => long(random),
        4..100 => deep(random),
        _ => small(random, 4),
    }
}

/// Returns random JSON with at most this number of levels of nesting.
fn small(random: &mut Rng, levels: usize) -> String {
    let count = random.usize(0..4);
    match random.u8(0..if levels == 0 { 1 } else { 4 }) {
        0 => pick(random, &SCALARS).to_owned(),
        1 => {
            let items: Vec<String> = (0..count).map(|_| small(random, levels - 1)).collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            // The same key may occur twice.
            let fields: Vec<String> =
                (0..count).map(|_| format!("{:?}:{}", pick(random, &FIELDS), small(random, levels - 1))).collect();
            format!("{{{}}}", fields.join(","))
        }
    }
}

/// Returns a number of nesting levels: below the server's limits, around them, or far above.
fn levels(random: &mut Rng) -> usize {
    match random.u8(0..10) {
        0..3 => random.usize(90..105),
        3..6 => random.usize(120..132),
        6..9 => random.usize(2..80),
        _ => random.usize(1000..200_000),
    }
}

/// Returns deeply nested lists or objects.
fn deep(random: &mut Rng) -> String {
    let levels = levels(random);
    let (open, close) = [("[", "]"), (r#"{"a":"#, "}"), (r#"[{"name":"#, "}]")][random.usize(0..3)];
    format!("{}1{}", open.repeat(levels), close.repeat(levels))
}

/// Returns a string, a list or an object with tens of thousands of parts, some in a form that the server merges or checks.
fn long(random: &mut Rng) -> String {
    let count = random.usize(1000..60_000);
    let list = |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    match random.u8(0..6) {
        0 => format!("{:?}", "x".repeat(count * 30)),
        1 => format!("[{}]", list(&|n| format!(r#"{{"name":"s{n}"}}"#))),
        2 => format!("[{}]", list(&|n| format!(r#"{{"name":"s{}","$patch":"delete"}}"#, n / 2))),
        3 => format!("{{{}}}", list(&|n| format!(r#""k{n}":"v""#))),
        4 => format!("[{}]", list(&|n| format!(r#"{{"name":"o{n}","controller":true}}"#))), // owner references
        _ => format!("[{}]", list(&|n| format!("{n}"))),
    }
}

/// Returns a JSON patch: usually a few random operations, seldom thousands that nest or grow the object.
fn operations(random: &mut Rng) -> String {
    let place = |random: &mut Rng| {
        let deeper = if random.u8(0..10) == 0 { "/a".repeat(random.usize(1..140)) } else { String::new() };
        pick(random, &POINTERS).to_owned() + &deeper
    };
    let one = |random: &mut Rng| {
        let op = pick(random, &OPERATIONS);
        let (path, from) = (place(random), place(random));
        format!(r#"{{"op":{op:?},"path":{path:?},"from":{from:?},"value":{}}}"#, value(random))
    };
    let count = if random.u8(0..100) == 0 { random.usize(1000..11_000) } else { random.usize(0..8) };
    // A place for values of any depth: `fieldsV1` of managed fields holds arbitrary JSON.
    let any_json = "/spec/template/metadata/managedFields";
    if count > 8 {
        // Each move or copy puts one of two places into the other, so the object nests deeper each time, or doubles.
        let nest = [
            json!({"op": "add", "path": "/metadata/labels", "value": {}}),
            json!({"op": pick(random, &["move", "copy"]), "from": any_json, "path": "/metadata/labels/x"}),
            json!({"op": pick(random, &["move", "copy"]), "from": "/metadata/labels", "path": any_json}),
        ];
        let begin = json!({"op": "add", "path": any_json, "value": [{"fieldsV1": {}}]});
        let all: Vec<&Value> = std::iter::once(&begin).chain(nest.iter().cycle().take(count)).collect();
        return json!(all).to_string();
    }
    let operations: Vec<String> = (0..count).map(|_| one(random)).collect();
    format!("[{}]", operations.join(","))
}

fn yaml(random: &mut Rng) -> String {
    let levels = levels(random);
    match random.u8(0..8) {
        // Each alias stands for four of the alias before.
        0 => (0..30).fold("a0: &a0 [x]\n".to_owned(), |text, n| {
            format!("{text}a{}: &a{} [*a{n},*a{n},*a{n},*a{n}]\n", n + 1, n + 1)
        }),
        1 => format!("{}x", "- ".repeat(levels)),
        2 => format!("metadata: {}", "[".repeat(levels)),
        3 => "metadata: !!binary {name: a}\n<<: *nobody\n".to_owned(),
        4 => "---\nmetadata: {name: c}\n---\nmetadata: {name: d}\n".to_owned(),
        5 => format!("metadata: {{name: c}}\ndata: {{k: \"{}\"}}\n", "\\x00".repeat(random.usize(0..100))),
        6 => "\t:\n  - ? [\n : &a *a %YAML 9".to_owned(),
        _ if random.bool() => changed(random).to_string(), // JSON is YAML
        _ => object(random),
    }
}

/// Returns a random protobuf field of any wire type, which contains further fields down to this number of levels.
fn field(random: &mut Rng, levels: usize) -> Vec<u8> {
    let number = random.u8(0..20);
    let wire = if levels == 0 { random.u8(0..8) } else { [2, 2, 2, 0, 5][random.usize(0..5)] };
    let mut bytes = Vec::new();
    varint(&mut bytes, u64::from(number) << 3 | u64::from(wire));
    match wire {
        0 => varint(&mut bytes, random.u64(..)),
        2 => {
            let inner: Vec<u8> = match random.u8(0..6) {
                0 => pick(random, &FIELDS).bytes().collect(),
                1 => deep(random).into_bytes(),
                2 => (0..random.usize(0..20)).map(|_| random.u8(..)).collect(),
                _ if levels > 0 => (0..random.usize(0..4)).flat_map(|_| field(random, levels - 1)).collect(),
                _ => Vec::new(),
            };
            let length = if random.u8(0..40) == 0 { random.u64(..) } else { inner.len() as u64 };
            varint(&mut bytes, length);
            bytes.extend(inner);
        }
        _ => bytes.extend((0..random.usize(0..9)).map(|_| random.u8(..))),
    }
    bytes
}

fn varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    bytes.push(number.to_le_bytes()[0]);
}

/// Returns Kubernetes' protobuf envelope (`runtime.Unknown`): the type, often missing, and an object, both random.
fn protobuf(random: &mut Rng) -> Vec<u8> {
    let inner: Vec<u8> = (0..random.usize(0..6)).flat_map(|_| field(random, 6)).collect();
    let type_meta: Vec<u8> = if random.bool() { Vec::new() } else { field(random, 1) };
    let mut bytes = b"k8s\0".to_vec();
    for (tag, part) in [(0x0a, type_meta), (0x12, inner)] {
        bytes.push(tag);
        varint(&mut bytes, part.len() as u64);
        bytes.extend(part);
    }
    bytes
}
