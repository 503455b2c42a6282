//! A JSON value as Go's `fmt` prints it with `%v`: `map[a:1 b:[x <nil>]]`. Some of upstream's messages show maps so.

use std::fmt::{self, Display};

use serde_json::{Map, Value};

/// A value in Go's form.
pub(crate) struct GoText<'a>(pub(crate) &'a Value);

/// An object in Go's form; its fields are sorted.
pub(crate) struct GoMap<'a>(pub(crate) &'a Map<String, Value>);

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_printed_as_go_prints_them() {
        let value = json!({"b": ["x", null, 1.5], "a": {"n": 5, "e": {}}, "t": true});
        assert_eq!(GoText(&value).to_string(), "map[a:map[e:map[] n:5] b:[x <nil> 1.5] t:true]");
    }
}
