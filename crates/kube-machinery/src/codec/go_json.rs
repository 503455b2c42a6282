//! Writes JSON byte for byte as Go's `encoding/json` does, where the text itself matters: in error messages, in
//! `managedFields`, and where two values are compared by their text. `value::text` writes the objects in answers.

use std::fmt::Write;

use crate::value::Value;

/// Returns a value as Go writes it: fields sorted, and characters escaped that are unsafe in HTML.
pub(crate) fn go_json(value: &Value) -> String {
    let mut text = String::new();
    write_json(&mut text, value);
    text
}

fn write_json(to: &mut String, value: &Value) {
    match value {
        Value::String(text) => write_text(to, text),
        Value::Number(number) => match number.as_i64() {
            Some(int) => push(to, format_args!("{int}")),
            None => to.push_str(&float_text(number.as_f64().unwrap_or_default())),
        },
        Value::Array(items) => {
            to.push('[');
            for (i, item) in items.iter().enumerate() {
                to.push_str(if i == 0 { "" } else { "," });
                write_json(to, item);
            }
            to.push(']');
        }
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(name, _)| *name);
            to.push('{');
            for (i, (name, value)) in fields.into_iter().enumerate() {
                to.push_str(if i == 0 { "" } else { "," });
                write_text(to, name);
                to.push(':');
                write_json(to, value);
            }
            to.push('}');
        }
        plain => push(to, format_args!("{plain}")),
    }
}

fn write_text(to: &mut String, text: &str) {
    to.push('"');
    for c in text.chars() {
        match c {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\x08' => to.push_str("\\b"),
            '\x0c' => to.push_str("\\f"),
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            '\0'..='\x1f' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                push(to, format_args!("\\u{:04x}", u32::from(c)))
            }
            c => to.push(c),
        }
    }
    to.push('"');
}

/// Formats a float for JSON: with an exponent below 1e-6 and from 1e21. Upstream: `floatEncoder` of `encoding/json`.
pub(crate) fn float_text(float: f64) -> String {
    let size = float.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return float.to_string();
    }
    let text = format!("{float:e}");
    if text.contains("e-") { text } else { text.replacen('e', "e+", 1) }
}

fn push(to: &mut String, text: std::fmt::Arguments<'_>) {
    to.write_fmt(text).expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn a_value_is_written_as_go_writes_it() {
        for (value, text) in [
            (json!("a<\n\u{2028}"), r#""a\u003c\n\u2028""#),
            (json!(1_000_000.0), "1000000"),
            (json!({"b": "<&", "a": [1.0, 1e21, 1e-7, true]}), r#"{"a":[1,1e+21,1e-7,true],"b":"\u003c\u0026"}"#),
        ] {
            assert_eq!(go_json(&value), text);
        }
    }
}
