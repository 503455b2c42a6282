//! The CEL library of named text formats: `format.dns1123Label().validate(name)` returns the messages about an invalid
//! name. Upstream: `pkg/cel/library/format.go`.

use super::super::Meter;
use super::{Outcome, Value, url};
use crate::codec::expression::Object;
use crate::codec::structural::format::Format as OfSchema;
use crate::conventions::go_url::parse_request;
use crate::conventions::names::{dns1035, label, label_key, label_value, subdomain, without_trailing_dash};

/// A format: its type's name, its name in expressions, and the length of a regular expression that would cost as
/// much.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Format {
    name: &'static str,
    called: &'static str,
    length: u64,
}

const FORMATS: [Format; 13] = [
    Format { name: "DNS1123Label", called: "dns1123Label", length: 30 },
    Format { name: "DNS1123Subdomain", called: "dns1123Subdomain", length: 60 },
    Format { name: "DNS1035Label", called: "dns1035Label", length: 30 },
    Format { name: "QualifiedName", called: "qualifiedName", length: 60 },
    Format { name: "DNS1123LabelPrefix", called: "dns1123LabelPrefix", length: 30 },
    Format { name: "DNS1123SubdomainPrefix", called: "dns1123SubdomainPrefix", length: 60 },
    Format { name: "DNS1035LabelPrefix", called: "dns1035LabelPrefix", length: 30 },
    Format { name: "LabelValue", called: "labelValue", length: 40 },
    Format { name: "URI", called: "uri", length: 1103 },
    Format { name: "uuid", called: "uuid", length: 70 },
    Format { name: "byte", called: "byte", length: 84 },
    Format { name: "date", called: "date", length: 71 },
    Format { name: "datetime", called: "datetime", length: 71 },
];

/// A format as a value of an expression.
#[derive(Debug)]
struct Named(&'static Format);

pub(super) fn call(name: &str, args: &[Value]) -> Option<Outcome> {
    match (name, args) {
        ("format.named", [Value::String(name)]) => {
            Some(Ok(Value::optional(find(name).map(|format| Value::object(Named(format))))))
        }
        (name, []) => find(name.strip_prefix("format.")?).map(|format| Ok(Value::object(Named(format)))),
        _ => None,
    }
}

fn find(called: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.called == called)
}

/// Returns the length of a regular expression that would cost as much as the format.
pub(in super::super) fn length_of(value: &Value) -> u64 {
    value.downcast::<Named>().map_or(0, |named| named.0.length)
}

impl Format {
    /// Returns the messages about a text that does not have this format.
    fn faults(&self, text: &str) -> Vec<String> {
        let of_schema = |format: OfSchema, why: &str| if format.fits(text) { Vec::new() } else { vec![why.to_owned()] };
        match self.called {
            "dns1123Label" => label(text),
            "dns1123Subdomain" => subdomain(text),
            "dns1035Label" => dns1035(text),
            "dns1123LabelPrefix" => label(&without_trailing_dash(text)),
            "dns1123SubdomainPrefix" => subdomain(&without_trailing_dash(text)),
            "dns1035LabelPrefix" => dns1035(&without_trailing_dash(text)),
            "qualifiedName" => label_key(text),
            "labelValue" => label_value(text),
            "uri" => parse_request(text).err().map(|why| url::wrong(text, &why)).into_iter().collect(),
            "uuid" => of_schema(OfSchema::Uuid, "does not match the UUID format"),
            "byte" => of_schema(OfSchema::Byte, "invalid base64"),
            "date" => of_schema(OfSchema::Date, "invalid date"),
            _ => of_schema(OfSchema::DateTime, "invalid datetime"),
        }
    }
}

impl Object for Named {
    #[cfg(test)]
    fn shown(&self) -> String {
        format!("format({})", self.0.name)
    }

    fn type_name(&self) -> &'static str {
        "kubernetes.NamedFormat"
    }

    fn equals(&self, other: &dyn Object) -> Option<bool> {
        (other as &dyn std::any::Any).downcast_ref::<Self>().map(|other| self.0 == other.0)
    }

    fn call(&self, _: &Meter, name: &str, args: &[Value]) -> Option<Outcome> {
        let ("validate", [Value::String(text)]) = (name, args) else { return None };
        let faults: Vec<Value> = self.0.faults(text).into_iter().map(Value::text).collect();
        Some(Ok(Value::optional((!faults.is_empty()).then(|| Value::list(faults)))))
    }
}
