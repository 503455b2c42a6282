//! Prints a value for the message of a validation cause (`Invalid value: 1e+06`) as Go prints it. Upstream:
//! `field.Error.ErrorBody`, which prints plain values with `%v` and `%q` and others as JSON of `encoding/json`.

use crate::codec::go_json::go_json;
use crate::codec::go_text::GoText;
use crate::conventions::quote::quote;
use crate::value::Value;

pub(super) fn print_value(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        Value::Number(_) | Value::Bool(_) => GoText(value).to_string(),
        _ => go_json(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn a_value_is_shown_as_go_shows_it() {
        for (value, text) in [
            (json!("a<\n"), r#""a<\n""#),
            (json!(1_000_000.0), "1e+06"),
            (json!(1_000_000), "1000000"),
            (json!(null), "null"),
            (json!({"b": "<&", "a": [1.0, 1e21, 1e-7, true]}), r#"{"a":[1,1e+21,1e-7,true],"b":"\u003c\u0026"}"#),
        ] {
            assert_eq!(print_value(&value), text);
        }
    }
}
