//! The CEL function `format`: `'%s is %.2f'.format([a, b])`. A clause such as `%.2f` stands for one argument. Upstream:
//! cel-go's `ext/formatting.go`.

use super::super::Error;
use super::{Meter, Value, conversions, times};
use crate::conventions::go_number::special;
use crate::conventions::quote::quote;

/// The number of digits after the point, if the clause has no precision.
const DIGITS: usize = 6;

pub(super) fn format(meter: &Meter, text: &str, args: &[Value]) -> Result<String, Error> {
    let (mut made, mut rest, mut next) = (String::new(), text, args.iter().enumerate());
    while let Some((before, after)) = rest.split_once('%') {
        made.push_str(before);
        if let Some(after) = after.strip_prefix('%') {
            made.push('%');
            rest = after;
            continue;
        }
        let (_, arg) = next.next().ok_or_else(|| Error::failed(format!("index {} out of range", args.len())))?;
        if after.is_empty() {
            return Err(Error::failed("unexpected end of string"));
        }
        let (clause, after) =
            clause(after).map_err(|why| Error::failed(format!("could not parse formatting clause: {why}")))?;
        meter.work_on(arg)?;
        meter.work(clause.precision.unwrap_or_default() as u64 / 10)?; // the work of writing the digits
        let shown = clause.apply(arg).map_err(|why| Error::failed(format!("error during formatting: {why}")))?;
        made.push_str(&shown);
        rest = after;
    }
    made.push_str(rest);
    Ok(made)
}

/// The letters of clauses, and cel-go's error for an argument that the clause cannot print.
pub(crate) const FORMATTED: [(&str, &str); 7] = [
    (
        "s",
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
    ),
    ("d", "decimal clause can only be used on integers"),
    ("f", "fixed-point clause can only be used on doubles"),
    ("e", "scientific clause can only be used on doubles"),
    ("b", "only integers and bools can be formatted as binary"),
    ("o", "octal clause can only be used on integers"),
    ("xX", "only integers, byte buffers, and strings can be formatted as hex"),
];

/// Splits a text after the `%` into the letter of its clause and the rest.
///
/// # Errors
/// cel-go's message for a malformed clause.
pub(crate) fn letter(text: &str) -> Result<(char, &str), String> {
    clause(text).map(|(clause, rest)| (clause.letter, rest))
}

/// A clause of a format without its `%`, such as `.3f`.
struct Clause {
    precision: Option<usize>,
    letter: char,
}

fn clause(text: &str) -> Result<(Clause, &str), String> {
    let mut clause = Clause { precision: None, letter: ' ' };
    let mut rest = text;
    if let Some(after) = text.strip_prefix('.') {
        let end = after.find(|c: char| !c.is_ascii_digit());
        let end = end.ok_or("error while parsing precision: could not find end of precision specifier")?;
        let (digits, after) = after.split_at(end);
        let wrong = |why: &str| {
            let what =
                "error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing";
            format!("{what} {}: {why}", quote(digits))
        };
        let why = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
        let precision: i64 = digits.parse().map_err(|_| wrong(why))?;
        clause.precision = Some(usize::try_from(precision).map_err(|_| wrong(why))?);
        rest = after;
    }
    let mut chars = rest.chars();
    clause.letter = chars.next().unwrap_or_default();
    match clause.letter {
        's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o' => Ok((clause, chars.as_str())),
        other => Err(format!("unrecognized formatting clause \"{other}\"")),
    }
}

impl Clause {
    fn apply(&self, arg: &Value) -> Result<String, String> {
        let made = match (self.letter, arg) {
            ('s', _) => text(arg)?,
            ('d', Value::Int(_) | Value::Uint(_)) => Some(conversions::printed(arg)),
            ('f', _) => float(arg).map(|float| fixed(float, self.precision.unwrap_or(DIGITS))),
            ('e', _) => float(arg).map(|float| scientific(float, self.precision.unwrap_or(DIGITS))),
            ('b', Value::Bool(bool)) => Some(u8::from(*bool).to_string()),
            ('b', Value::Int(int)) => Some(signed(*int, |size| format!("{size:b}"))),
            ('b', Value::Uint(uint)) => Some(format!("{uint:b}")),
            ('o', Value::Int(int)) => Some(signed(*int, |size| format!("{size:o}"))),
            ('o', Value::Uint(uint)) => Some(format!("{uint:o}")),
            ('x', arg) => hexadecimal(arg),
            ('X', arg) => hexadecimal(arg).map(|digits| digits.to_ascii_uppercase()),
            _ => None,
        };
        let takes = FORMATTED.iter().find(|(letters, _)| letters.contains(self.letter)).map_or("", |(_, takes)| takes);
        made.ok_or_else(|| format!("{takes}, was given {}", arg.type_name()))
    }
}

fn signed(int: i64, write: impl Fn(u64) -> String) -> String {
    let sign = if int < 0 { "-" } else { "" };
    format!("{sign}{}", write(int.unsigned_abs()))
}

fn hexadecimal(arg: &Value) -> Option<String> {
    let of_bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(match arg {
        Value::String(text) => of_bytes(text.as_bytes()),
        Value::Bytes(bytes) => of_bytes(bytes),
        Value::Int(int) => signed(*int, |size| format!("{size:x}")),
        Value::Uint(uint) => format!("{uint:x}"),
        _ => return None,
    })
}

fn float(arg: &Value) -> Option<f64> {
    match arg {
        Value::Double(double) => Some(*double),
        Value::String(text) => match text.as_ref() {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

/// Formats a number with `precision` digits after the point, and with commas between thousands, as Go does for English.
fn fixed(float: f64, precision: usize) -> String {
    if !float.is_finite() {
        return in_english(float).to_owned();
    }
    let written = format!("{:.precision$}", float.abs());
    let (whole, fraction) = written.split_at(written.find('.').unwrap_or(written.len()));
    let mut grouped = String::with_capacity(written.len() * 4 / 3 + 1);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if float.is_sign_negative() { "-" } else { "" };
    format!("{sign}{grouped}{fraction}")
}

/// Returns the text of NaN or an infinity, as Go prints them for English.
fn in_english(float: f64) -> &'static str {
    if float.is_nan() {
        "NaN"
    } else if float > 0.0 {
        "∞"
    } else {
        "-∞"
    }
}

/// Formats a number as in `1.500000×10⁰³`, as Go does for English. It always has six digits after the point; the
/// precision is only the width of NaN and the infinities.
fn scientific(float: f64, precision: usize) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    if !float.is_finite() {
        return format!("{:>precision$}", in_english(float));
    }
    let written = format!("{float:.DIGITS$e}");
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let raised = format!("{:02}", exponent.abs());
    let raised: String = raised.bytes().map(|digit| RAISED[usize::from(digit - b'0')]).collect();
    let sign = if exponent < 0 { "⁻" } else { "" };
    format!("{digits}×10{sign}{raised}")
}

/// Returns the text of `%s`; `None` if the clause cannot print the value.
fn text(value: &Value) -> Result<Option<String>, String> {
    Ok(match value {
        Value::Null => Some("null".to_owned()),
        Value::List(_) | Value::Map(_) => Some(inner(value)?),
        Value::Type(name) => Some((*name).to_owned()),
        Value::Optional(_) | Value::Object(_) | Value::Invalid(_) => None,
        plain => Some(conversions::printed(plain)),
    })
}

/// Returns the text of a value inside of a list or a map, in CEL's syntax.
fn inner(value: &Value) -> Result<String, String> {
    Ok(match value {
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(inner).collect::<Result<_, _>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Map(map) => {
            let pairs = map.iter().map(|(key, value)| Ok((inner(&key)?, inner(value)?)));
            let mut pairs: Vec<(String, String)> = pairs.collect::<Result<_, String>>()?;
            pairs.sort();
            let pairs: Vec<String> = pairs.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::String(text) => quote(text),
        Value::Bytes(bytes) => format!("b{}", quote(&String::from_utf8_lossy(bytes))),
        Value::Double(double) if double.is_finite() => format!("{double:.DIGITS$}"),
        Value::Double(double) => quote(special(*double)),
        Value::Duration(nanoseconds) => format!("duration({})", quote(&times::seconds(*nanoseconds))),
        Value::Timestamp(at) => format!("timestamp({})", quote(&at.to_string())),
        Value::Optional(_) | Value::Object(_) | Value::Invalid(_) => {
            return Err(format!("no formatting function for {}", value.type_name()));
        }
        plain => text(plain)?.unwrap_or_default(),
    })
}
