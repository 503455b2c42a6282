//! Damages the value of a body: replaces parts of it by ones of another type, at a limit, too long or too deep, and breaks
//! the bytes of its text.

use fastrand::Rng;
use serde_json::Value;

use super::words::pick;

/// A placeholder in a value. The text of a hostile part replaces it after the value is written, because most of these
/// parts cannot be a `serde_json::Value`.
const HOLE: &str = "\u{1}hole";

/// Scalars at the limits of some type (integers, quantities, times, addresses), and the two empty containers.
const SCALARS: [&str; 30] = [
    "null",
    "true",
    "0",
    "-0",
    "-1",
    "1.5",
    "1e400",
    "-1e-400",
    "1E+2",
    "2147483648",
    "-2147483649",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    r#""""#,
    r#""-1""#,
    r#""\u0000""#,
    r#""\ud800""#,
    r#""\u202e""#,
    r#""../../etc""#,
    r#""9999-12-31T23:59:60Z""#,
    r#""1e99999999Gi""#,
    r#""-9223372036854775808.999n""#,
    r#""::/0""#,
    r#""999.1.1.1/33""#,
    r#""====""#,
    "[]",
    "{}",
];

/// The elements of long lists and objects.
const BITS: [&str; 8] = ["{}", "null", "0", r#""""#, r#""a""#, "[]", r#"{"name":"a"}"#, r#"{"a":{"a":1}}"#];

/// Returns a random length: below `usual` as a rule, but up to a thousand times as long in one of a hundred cases.
fn length(random: &mut Rng, usual: usize) -> usize {
    match random.u8(0..100) {
        0 => random.usize(0..usual * 1000),
        1..10 => random.usize(0..usual * 30),
        _ => random.usize(0..usual),
    }
}

/// Returns the text of a hostile part of a value.
fn part(random: &mut Rng) -> String {
    match random.u8(0..10) {
        0 => format!("\"{}\"", pick(random, &["a", "\\u0001", "é", "%", "a.", "(", "𝕏"]).repeat(length(random, 2_000))),
        1 => {
            let most = if random.u8(0..10) == 0 { 10_000 } else { 120 };
            let depth = random.usize(1..most);
            let (open, close) = pick(random, &[("[", "]"), (r#"{"a":"#, "}"), (r#"[{"name":"a","a":"#, "}]")]);
            format!("{}1{}", open.repeat(depth), close.repeat(depth))
        }
        2 => format!("[{}]", vec![pick(random, &BITS); length(random, 500)].join(",")),
        3 => {
            let (bit, same) = (pick(random, &BITS), random.bool());
            let field = |n: usize| format!(r#""k{}":{bit}"#, if same { 0 } else { n });
            format!("{{{}}}", (0..length(random, 300)).map(field).collect::<Vec<_>>().join(","))
        }
        _ => pick(random, &SCALARS).to_owned(),
    }
}

/// Returns the text of a value with up to two hostile parts.
pub fn mutated(random: &mut Rng, mut value: Value) -> String {
    let holes = pick(random, &[0, 1, 1, 2]);
    for _ in 0..holes {
        *spot(random, &mut value) = HOLE.into();
    }
    let mut text = value.to_string();
    let hole = Value::from(HOLE).to_string();
    while let Some(at) = text.find(&hole) {
        text.replace_range(at..at + hole.len(), &part(random));
    }
    if random.u8(0..20) == 0
        && let Some(at) = text.find('{')
    {
        let twice = pick(random, &[r#""metadata":null,"#, r#""kind":"Pod","#, r#""spec":{},"spec":[],"#, r#""":1,"#]);
        text.insert_str(at + 1, twice); // a field that is there twice, unless the rest is empty
    }
    text
}

/// Returns a random part of a value, or the value itself.
fn spot<'a>(random: &mut Rng, value: &'a mut Value) -> &'a mut Value {
    let count = match value {
        Value::Object(fields) => fields.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    };
    if count == 0 || random.u8(0..6) == 0 {
        return value;
    }
    let chosen = random.usize(0..count);
    match value {
        Value::Object(fields) => spot(random, fields.values_mut().nth(chosen).unwrap()),
        Value::Array(items) => spot(random, &mut items[chosen]),
        _ => unreachable!("a scalar has no parts"),
    }
}

/// Damages the bytes of one body in six.
pub fn damaged(random: &mut Rng, mut bytes: Vec<u8>) -> Vec<u8> {
    if bytes.is_empty() {
        return bytes;
    }
    let at = random.usize(0..bytes.len());
    match random.u8(0..24) {
        0 => bytes.truncate(at),
        1 => bytes[at] = random.u8(..),
        2 => drop(bytes.splice(at..at, [0xff, 0xfe, 0xc0, 0x80])), // not UTF-8
        3 => bytes.extend_from_within(..at),
        _ => {}
    }
    bytes
}
