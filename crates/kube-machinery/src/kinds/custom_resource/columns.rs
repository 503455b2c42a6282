//! The columns that `kubectl get` shows of a custom resource. Its CustomResourceDefinition declares them as
//! `additionalPrinterColumns`, each with a JSONPath to the field that it shows. The server computes the cells when a
//! client asks for a Table. Upstream: `pkg/registry/customresource/tableconvertor`.

use jiff::Timestamp;

use super::json_path::JsonPath;
use crate::codec::go_text::GoText;
use crate::kinds::columns::age::age;
use crate::value::{Value, json};

#[derive(Debug)]
pub struct CustomColumn {
    name: String,
    /// `string`, `integer`, `number`, `boolean` or `date`.
    kind: String,
    format: String,
    description: String,
    priority: i64,
    path: JsonPath,
}

impl CustomColumn {
    /// Returns the columns of a version, or only the age if the version names none. A column with an invalid path ends
    /// the list, as upstream.
    pub(super) fn of(version: &Value) -> Vec<Self> {
        let age_column = json!([{
            "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp",
            "description": "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
        }]);
        let columns = version["additionalPrinterColumns"].as_array().filter(|columns| !columns.is_empty());
        columns.or(age_column.as_array()).into_iter().flatten().map_while(Self::read).collect()
    }

    fn read(column: &Value) -> Option<Self> {
        let text = |field: &str| column[field].as_str().unwrap_or_default().to_owned();
        let description = match text("description") {
            none if none.is_empty() => {
                format!("Custom resource definition column (in JSONPath format): {}", text("jsonPath"))
            }
            description => description,
        };
        Some(Self {
            name: text("name"),
            kind: text("type"),
            format: text("format"),
            description,
            priority: column["priority"].as_i64().unwrap_or_default(),
            path: JsonPath::read(&text("jsonPath"))?,
        })
    }

    pub(in crate::kinds) fn definition(&self) -> Value {
        json!({
            "name": self.name, "type": self.kind, "format": self.format, "description": self.description,
            "priority": self.priority,
        })
    }

    /// Returns the cell for an object: null if the field is missing or has another type than the column. `object` is a
    /// `serde_json` value, because the JSONPath library reads only those.
    pub(in crate::kinds) fn cell(&self, object: &serde_json::Value, now: Timestamp) -> Value {
        let Some(value) = self.path.first(object).filter(|value| !value.is_null()) else { return Value::Null };
        let value = Value::from(value.clone());
        match (self.kind.as_str(), &value) {
            ("string", Value::Object(_) | Value::Array(_)) => value.to_string().into(),
            ("string", value) => GoText(value).to_string().into(),
            ("integer", Value::Number(number)) => {
                #[expect(clippy::cast_possible_truncation, reason = "as Go's int64 of a float")]
                let whole = || number.as_f64().map(|float| float as i64);
                number.as_i64().or_else(whole).into()
            }
            ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => value.clone(),
            ("date", Value::String(time)) if time.parse::<Timestamp>().is_err() => "<invalid>".into(),
            ("date", Value::String(_)) => age(&value, now).into(),
            _ => Value::Null,
        }
    }
}
