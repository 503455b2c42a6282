//! Prints a JSON value as Go's `fmt` does with `%v`: `map[a:1 b:[x <nil>]]`. Messages to clients contain such text.

use std::fmt::{self, Display};

use crate::value::{Map, Value};

pub(crate) struct GoText<'a>(pub &'a Value);

/// Prints a map, with its fields sorted by name.
#[derive(Debug)]
pub struct GoMap<'a>(pub &'a Map);

/// Returns the name of the Go type that a value has after decoding untyped JSON.
pub(crate) fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

impl Display for GoText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("<nil>"),
            Value::String(text) => f.write_str(text),
            Value::Array(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    let space = if i == 0 { "" } else { " " };
                    write!(f, "{space}{}", GoText(item))?;
                }
                f.write_str("]")
            }
            Value::Object(fields) => GoMap(fields).fmt(f),
            Value::Number(number) if !number.is_i64() => f.write_str(&float(number.as_f64().unwrap_or_default())),
            plain => plain.fmt(f),
        }
    }
}

impl Display for GoMap<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields: Vec<_> = self.0.iter().collect();
        fields.sort_by_key(|(name, _)| *name);
        f.write_str("map[")?;
        for (i, (name, value)) in fields.into_iter().enumerate() {
            let space = if i == 0 { "" } else { " " };
            write!(f, "{space}{name}:{}", GoText(value))?;
        }
        f.write_str("]")
    }
}

/// Formats a float as `%v` does: with an exponent below 1e-4 and from 1e6. Go: `formatDigits`.
fn float(float: f64) -> String {
    let size = float.abs();
    if size == 0.0 || (1e-4..1e6).contains(&size) {
        return float.to_string();
    }
    let text = format!("{float:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |exponent| ("-", exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn values_are_printed_as_go_prints_them() {
        let value = json!({"b": ["x", null, 1.5], "a": {"n": 5, "e": {}}, "t": true});
        assert_eq!(GoText(&value).to_string(), "map[a:map[e:map[] n:5] b:[x <nil> 1.5] t:true]");
        for (number, text) in [
            (json!(5.0), "5"),
            (json!(123_456.5), "123456.5"),
            (json!(1e6), "1e+06"),
            (json!(1_234_567.0), "1.234567e+06"),
            (json!(9_223_372_036_854_775_808_u64), "9.223372036854776e+18"),
            (json!(1.5e300), "1.5e+300"),
            (json!(-1e-5), "-1e-05"),
        ] {
            assert_eq!(GoText(&number).to_string(), text);
        }
    }
}
